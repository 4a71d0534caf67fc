import Foundation
import Runtime

/// The outcome of a purchase that no caller awaited any more, to be shown to the person wherever they are in the app.
public struct PurchaseNotice: Hashable, Sendable {
  /// What became of a purchase.
  public enum Event: Hashable, Sendable {
    /// What was pending is bought, and unlocked.
    case purchased
    /// What was pending is not bought, and nothing was charged.
    case failed
    /// The store took it back: access has ended.
    case revoked
  }

  /// The transaction that the notice is about.
  public let transaction: Transaction.ID
  /// The product that the purchase was for.
  public let productID: Product.ID
  /// What became of the purchase.
  public let event: Event
  /// For the person: what happened, and why.
  public let sentence: String

  public init(transaction: Transaction.ID, productID: Product.ID, event: Event, sentence: String) {
    self.transaction = transaction
    self.productID = productID
    self.event = event
    self.sentence = sentence
  }
}

/// Any number of observers; notices from before the first one are kept for it. Unlike a state, a notice must be neither skipped nor
/// repeated: each observer is told of every one once.
@MainActor final class Notices {
  private var observers: [(number: Int, call: @MainActor (PurchaseNotice) -> Void)] = []
  private var streams: [Int: AsyncStream<PurchaseNotice>.Continuation] = [:]
  private var unheard: [PurchaseNotice] = []
  private var observed = 0

  func post(_ notice: PurchaseNotice) {
    if observers.isEmpty { unheard.append(notice) }
    for observer in observers { observer.call(notice) }
  }

  func observe(_ observer: @escaping @MainActor (PurchaseNotice) -> Void) -> Observation {
    observed += 1
    let number = observed
    observers.append((number, observer))
    let earlier = unheard
    unheard = []
    for notice in earlier { observer(notice) }
    return Observation { [weak self] in self?.observers.removeAll { $0.number == number } }
  }

  func stream() -> AsyncStream<PurchaseNotice> {
    let (stream, continuation) = AsyncStream.makeStream(of: PurchaseNotice.self)
    let observation = observe { continuation.yield($0) }
    let number = observed
    streams[number] = continuation
    continuation.onTermination = { [weak self] _ in
      Task { @MainActor in
        observation.cancel()
        self?.streams[number] = nil
      }
    }
    return stream
  }

  /// Drops the notices that no observer got: they were another user's.
  func forget() { unheard = [] }

  isolated deinit { for continuation in streams.values { continuation.finish() } }
}
