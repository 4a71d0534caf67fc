import Foundation
import Runtime

/// A process that answers each line on its input with a line on its output. Belongs to one thread; ends with the object.
final class LedgerProcess {
  /// Why there is no answer.
  enum Failure: Error, Equatable, CustomStringConvertible {
    case cannotStart(String)
    case ended
    case tooSlow

    var description: String {
      switch self {
      case .cannotStart(let reason): "cannot be started (\(reason))"
      case .ended: "ended without an answer"
      case .tooSlow: "did not answer in time"
      }
    }
  }

  let process: pid_t
  /// Its input and its output. A pair of sockets: a write to a process that ended is then an error, and not a signal.
  private let socket: Int32
  private var isReaped = false

  /// - Throws: ``Failure/cannotStart(_:)``.
  init(_ program: String, _ arguments: [String]) throws(Failure) {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw .cannotStart(String(cString: strerror(errno)))
    }
    var process: pid_t = 0
    let code = Self.spawn(&process, program, arguments, ends[1])
    close(ends[1])
    (socket, self.process) = (ends[0], process)
    guard code == 0 else {
      isReaped = true
      throw .cannotStart(String(cString: strerror(code)))
    }
  }

  deinit {
    close(socket)
    guard !isReaped else { return }
    var status: Int32 = 0
    kill(process, SIGTERM)
    waitpid(process, &status, 0)
  }

  /// Whether the process is no more.
  var hasEnded: Bool {
    if !isReaped {
      var status: Int32 = 0
      isReaped = waitpid(process, &status, WNOHANG) == process
    }
    return isReaped
  }

  /// - Returns: the answer, without its line end.
  /// - Throws: ``Failure``.
  func ask(_ line: Data, within patience: Duration) throws(Failure) -> Data {
    var rest = line + [UInt8(ascii: "\n")]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .ended }
      rest = rest.dropFirst(count)
    }
    var answer = Data()
    let deadline = ContinuousClock.now + patience
    while true {
      try waitForOutput(until: deadline)
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(socket, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .ended }
      answer.append(contentsOf: bytes.prefix(count))
      if answer.last == UInt8(ascii: "\n") { return answer.dropLast() }
    }
  }

  private func waitForOutput(until deadline: ContinuousClock.Instant) throws(Failure) {
    while true {
      let left = max(0, (deadline - ContinuousClock.now).seconds)
      var wanted = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      switch poll(&wanted, 1, Int32((left * 1000).rounded(.up))) {
      case 1: return
      case 0: throw .tooSlow
      default: if errno != EINTR { throw .ended }
      }
    }
  }

  private static func spawn(
    _ process: inout pid_t, _ program: String, _ arguments: [String], _ socket: Int32
  ) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, socket, 0)
    posix_spawn_file_actions_adddup2(&actions, socket, 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The child begins with no signal blocked, and in a group of its own: what ends its parent from the keyboard does not cut off
    // an entry it is writing.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    return posix_spawn(&process, program, &actions, &attributes, &words, environ)
  }
}
