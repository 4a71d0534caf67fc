import Runtime
import Synchronization

/// Sends mails in the background, a few at a time and one for each recipient: a mailbox that takes none keeps no other reader from a code.
/// From any thread.
final class MailQueue: Sendable {
  /// How long after each failure a mail is tried again.
  static let pauses: [Duration] = [.seconds(5), .seconds(30)]
  /// How many mails there may be. A code behind them would have expired when it is sent.
  static let longest = 200
  /// How many are handed over at a time.
  static let atATime = 4

  private let line: MailLine
  private let log: OperatorLog
  private let task: Task<Void, Never>

  /// - Parameter delay: how long after the request a mail is sent.
  init(_ mailer: any Mailer, delay: Duration, clock: any AppClock, log: OperatorLog) {
    let line = MailLine()
    self.line = line
    self.log = log
    task = Task {
      await withDiscardingTaskGroup { group in
        for await _ in line.changes {
          while let entry = line.next() {
            group.addTask {
              if delay > .zero, entry.failures == 0 { try? await clock.sleep(for: delay) }
              await Self.send(entry, of: line, by: mailer, clock: clock, log: log)
            }
          }
        }
        group.cancelAll()
      }
    }
  }

  deinit { task.cancel() }

  func send(_ mail: Mail) {
    if !line.add(mail) { log("mail: \(Self.longest) wait already, and one more was dropped.") }
  }

  private static func send(
    _ entry: MailLine.Entry, of line: MailLine, by mailer: any Mailer, clock: any AppClock, log: OperatorLog
  ) async {
    let failure: (any Error)?
    do {
      try await mailer.send(entry.mail)
      failure = nil
    } catch { failure = error }
    line.leavePlace()
    if let failure {
      let pause = pauses.dropFirst(entry.failures).first
      if let pause, (try? await clock.sleep(for: pause)) != nil { return line.wait(entry) }
      if !Task.isCancelled { log("mail", failure) }
    }
    line.end(entry)
  }
}

/// The mails that were not sent yet, oldest first. From any thread.
private final class MailLine: Sendable {
  struct Entry: Sendable {
    let mail: Mail
    var failures = 0
  }

  private struct State {
    var waiting: [Entry] = []
    /// Whose mail is being sent, or is going to be tried again.
    var recipients: Set<String> = []
    var placesTaken = 0
    /// How many mails there are. One that is tried again is waiting, and its recipient's.
    var count: Int { waiting.count { $0.failures == 0 } + recipients.count }
  }

  private let state = Mutex(State())
  /// An element whenever a mail may be next.
  let changes: AsyncStream<Void>
  private let changed: AsyncStream<Void>.Continuation

  init() { (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  /// - Returns: false when there are too many.
  func add(_ mail: Mail) -> Bool {
    defer { changed.yield() }
    return state.withLock { state in
      guard state.count < MailQueue.longest else { return false }
      state.waiting.append(Entry(mail: mail))
      return true
    }
  }

  /// Takes a place for the oldest mail whose recipient no other mail is on its way to.
  func next() -> Entry? {
    state.withLock { state in
      guard state.placesTaken < MailQueue.atATime,
        let index = state.waiting.firstIndex(where: { $0.failures > 0 || !state.recipients.contains($0.mail.recipient) })
      else { return nil }
      let entry = state.waiting.remove(at: index)
      state.recipients.insert(entry.mail.recipient)
      state.placesTaken += 1
      return entry
    }
  }

  func leavePlace() {
    state.withLock { $0.placesTaken -= 1 }
    changed.yield()
  }

  /// A mail that failed waits for a place, before all others.
  func wait(_ entry: Entry) {
    state.withLock { $0.waiting.insert(Entry(mail: entry.mail, failures: entry.failures + 1), at: 0) }
    changed.yield()
  }

  func end(_ entry: Entry) {
    state.withLock { _ = $0.recipients.remove(entry.mail.recipient) }
    changed.yield()
  }
}
