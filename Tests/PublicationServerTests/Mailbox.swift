import Patience
import PublicationServer
import Synchronization

/// Keeps the mails that a publication sends.
final class Mailbox: Mailer {
  struct Refused: Error {}
  let mails = Mutex<[Mail]>([])
  let tries = Mutex(0)
  let refuses = Mutex(false)
  /// The addresses whose mails it refuses.
  let full = Mutex<Set<String>>([])

  func send(_ mail: Mail) async throws {
    tries.withLock { $0 += 1 }
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
