import Runtime

/// Sends mails one after the other, in the background. The time of an answer does not tell whether a mail was sent for it.
/// From any thread.
final class MailQueue: Sendable {
  /// How often a mail is tried, and how long between.
  static let pauses: [Duration] = [.seconds(5), .seconds(30)]
  /// How many may wait. A code behind them would have expired when it is sent.
  static let longest = 200

  private let mailer: any Mailer
  private let clock: any AppClock
  private let log: OperatorLog
  private let mails: AsyncStream<Mail>.Continuation
  private let task: Task<Void, Never>

  init(_ mailer: any Mailer, clock: any AppClock, log: OperatorLog) {
    self.mailer = mailer
    self.clock = clock
    self.log = log
    let (stream, continuation) = AsyncStream.makeStream(of: Mail.self, bufferingPolicy: .bufferingOldest(Self.longest))
    mails = continuation
    task = Task { for await mail in stream { await Self.send(mail, by: mailer, clock: clock, log: log) } }
  }

  deinit { task.cancel() }

  func send(_ mail: Mail) {
    if case .dropped = mails.yield(mail) { log("mail: \(Self.longest) wait already, and one more was dropped.") }
  }

  private static func send(_ mail: Mail, by mailer: any Mailer, clock: any AppClock, log: OperatorLog) async {
    for pause in pauses.map(Optional.some) + [nil] {
      do { return try await mailer.send(mail) } catch {
        guard !Task.isCancelled else { return }
        guard let pause, (try? await clock.sleep(for: pause)) != nil else { return log("mail", error) }
      }
    }
  }
}
