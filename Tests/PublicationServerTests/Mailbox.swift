import Patience
import PublicationServer
import Runtime
import Synchronization

/// Keeps the mails that a publication sends.
final class Mailbox: Mailer {
  struct Refused: Error {}
  let mails = Mutex<[Mail]>([])
  let tries = Mutex(0)
  let refuses = Mutex(false)
  /// The addresses whose mails it refuses.
  let full = Mutex<Set<String>>([])
  private let silent = Mutex<(recipients: Set<String>, clock: ManualClock)?>(nil)

  /// Has a mail server say nothing about these addresses, until the mailer gives up after half a minute.
  func isSilent(about recipients: [String], on clock: ManualClock) { silent.withLock { $0 = (Set(recipients), clock) } }

  func send(_ mail: Mail) async throws {
    tries.withLock { $0 += 1 }
    if let clock = silent.withLock({ $0?.recipients.contains(mail.recipient) == true ? $0?.clock : nil }) {
      try await clock.sleep(for: .seconds(30))
      throw Refused()
    }
    guard !refuses.withLock({ $0 }), !full.withLock({ $0.contains(mail.recipient) }) else { throw Refused() }
    mails.withLock { $0.append(mail) }
  }

  func count(_ count: Int) async { await until { mails.withLock(\.count) >= count } }

  /// The six digits of a mail.
  func code(_ number: Int = 1) async -> String {
    await count(number)
    return String(mails.withLock { $0[number - 1].subject }.prefix(6))
  }
}
