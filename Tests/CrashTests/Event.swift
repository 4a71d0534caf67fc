import Foundation
import Synchronization

@testable import CrashProbe

/// What a world hears from its processes and its wire, in one line.
enum Event: Sendable {
  /// Somebody stands still until told to go on.
  case stands(Standstill)
  /// The client of that number has done its errand, and waits to be let go.
  case done(Report, client: Int)
  /// The line to the client of that number has ended.
  case gone(client: Int)
  /// A request arrived on the wire.
  case exchangeBegan
  /// Its answer went out, or never will.
  case exchangeOver
  /// A ledger process wants the file that is held.
  case ledgerCalled
  /// A ledger process wrote into its file.
  case ledgerWrote
  /// Nothing waits for the bank, or not any more.
  case bankAnswered
  /// Nothing has come of it for far too long.
  case late
}

/// One place where somebody stands still.
struct Standstill: Sendable {
  /// What becomes of it.
  enum Word: Sendable {
    case goOn
    /// A message is lost, and its connection with it.
    case drop
  }

  let label: String
  /// The client that stands; `nil` for a message on the wire.
  let client: Int?
  let tell: @Sendable (Word) -> Void

  /// Whether it is a message of the bank, or of the reader at the bank's page.
  var isBanks: Bool { label.contains(" /v1/operator/") || label.contains(" /checkout/") }
}

/// A thread's wait for a word.
final class Gate: Sendable {
  private let word = Mutex<Standstill.Word>(.drop)
  private let semaphore = DispatchSemaphore(value: 0)

  func open(_ said: Standstill.Word) {
    word.withLock { $0 = said }
    semaphore.signal()
  }

  func wait() -> Standstill.Word {
    semaphore.wait()
    return word.withLock { $0 }
  }
}
