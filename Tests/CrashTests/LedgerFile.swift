import Foundation

/// The payment provider's own file: the witness of what was charged. Can be held, so that a provider's process stands still before it
/// reads or writes.
final class LedgerFile {
  struct Entry: Decodable {
    let key: String
    let result: String
    let charge: String?
  }

  private let path: String
  private var suspended: Int32?
  private var watch: Watch?

  init(path: String) { self.path = path }

  deinit { letGo() }

  /// What was charged: a charge's identifier by the key it was asked under.
  func charges() throws -> [String: Set<String>] {
    guard let data = FileManager.default.contents(atPath: path) else { return [:] }
    var charges: [String: Set<String>] = [:]
    for line in data.split(separator: UInt8(ascii: "\n")) {
      let entry = try JSONDecoder().decode(Entry.self, from: Data(line))
      if entry.result == "charged" { charges[entry.key, default: []].insert(entry.charge ?? "") }
    }
    return charges
  }

  /// The processes that work on the file, or wait for it.
  func processes() -> [pid_t] {
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
    return numbers.filter { number in
      guard let line = FileManager.default.contents(atPath: "/proc/\(number)/cmdline") else { return false }
      let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      return words.last == path && words.first?.hasSuffix("matinee-ledger") == true
    }
  }

  /// Whether a process of that server's works on the file, or waits for it.
  func isUsed(by server: pid_t) -> Bool {
    processes().contains { number in
      // After the name, which can have anything in it: the state and the parent.
      let words = FileManager.default.contents(atPath: "/proc/\(number)/stat").map { String(decoding: $0, as: UTF8.self) }?
        .split(separator: ")").last?.split(separator: " ")
      return words?.dropFirst().first.flatMap { pid_t($0) } == server
    }
  }

  func killProcesses() { for process in processes() { kill(process, SIGKILL) } }

  /// Takes the file from whoever has it, and keeps it until ``letGo()``. The next process that wants it is told of, and every writing.
  func hold(tell: @escaping @Sendable (Event) -> Void) throws {
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    while flock(file, LOCK_EX | LOCK_NB) != 0 {
      killProcesses()
      sched_yield()
    }
    suspended = file
    watch = try Watch(path: path, tell: tell)
  }

  func letGo() {
    if let suspended { close(suspended) }
    suspended = nil
  }

  func stopWatching() { watch = nil }

  /// Hears of the file by the system's own notices.
  private final class Watch: Sendable {
    private let stopping: Int32

    init(path: String, tell: @escaping @Sendable (Event) -> Void) throws {
      let notices = inotify_init1(Int32(IN_CLOEXEC))
      guard inotify_add_watch(notices, path, UInt32(IN_OPEN | IN_MODIFY)) >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
      let stop = ends[0]
      stopping = ends[1]
      let thread = Thread {
        while let notice = Self.next(notices, stop) { tell(notice) }
        close(notices)
        close(stop)
      }
      thread.stackSize = 1 << 19
      thread.start()
    }

    /// The other end of the pipe hears of it.
    deinit { close(stopping) }

    private static func next(_ notices: Int32, _ stop: Int32) -> Event? {
      var wanted = [pollfd(fd: notices, events: Int16(POLLIN), revents: 0), pollfd(fd: stop, events: Int16(POLLIN), revents: 0)]
      while poll(&wanted, 2, -1) < 0, errno == EINTR {}
      guard wanted[1].revents == 0 else { return nil }
      // No name comes with a notice of a file that is watched itself.
      var notice = inotify_event()
      guard read(notices, &notice, MemoryLayout<inotify_event>.size) > 0 else { return nil }
      return notice.mask & UInt32(IN_OPEN) != 0 ? .ledgerCalled : .ledgerWrote
    }
  }
}
