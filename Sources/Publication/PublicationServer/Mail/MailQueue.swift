import Runtime

/// Sends mails in the background, a few at a time and one for each recipient: a mailbox that takes none, or whose server says nothing,
/// keeps no other reader from a code. From any thread.
final class MailQueue: Sendable {
  /// How long after each failure a mail is tried again.
  static let pauses: [Duration] = [.seconds(5), .seconds(30)]
  /// How long a mail has one of the places. A slower one goes on without it, so that slow recipients cannot occupy all of them.
  static let longestInPlace = Duration.seconds(5)

  private let line: MailLine
  private let clock: any AppClock
  private let task: Task<Void, Never>

  /// - Parameter delay: how long after the request a mail is sent.
  init(_ mailer: any Mailer, delay: Duration, clock: any AppClock, log: OperatorLog) {
    let line = MailLine()
    self.line = line
    self.clock = clock
    task = Task {
      await withDiscardingTaskGroup { group in
        for await _ in line.changes {
          let dropped = line.drop(at: clock.uptime)
          if dropped.expired > 0 { log("mail: dropped, since the codes had expired: \(dropped.expired).") }
          if dropped.surplus > 0 { log("mail: dropped, since more than \(MailLine.longest) waited: \(dropped.surplus).") }
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

  func send(_ mail: Mail) { line.add(mail, at: clock.uptime) }

  private static func send(
    _ entry: MailLine.Entry, of line: MailLine, by mailer: any Mailer, clock: any AppClock, log: OperatorLog
  ) async {
    let timer = Task {
      guard (try? await clock.sleep(for: longestInPlace)) != nil else { return false }
      line.takesLong(entry, at: clock.uptime)
      return true
    }
    let failure: (any Error)?
    do {
      try await mailer.send(entry.mail)
      failure = nil
    } catch { failure = error }
    timer.cancel()
    line.leavePlace(entry, tookLong: await timer.value, at: clock.uptime)
    if let failure {
      let pause = pauses.dropFirst(entry.failures).first
      if let pause, (try? await clock.sleep(for: pause)) != nil { return line.wait(entry) }
      if !Task.isCancelled { log("mail", failure) }
    }
    line.end(entry)
  }
}
