import Foundation

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

/// Any number of listeners, each with a stream of its own; notices without a listener are kept for the first one. Unlike a state, a notice
/// must be neither skipped nor repeated: no stream drops one, and none starts with an old one.
@MainActor final class Notices {
  private var listeners: [Int: AsyncStream<PurchaseNotice>.Continuation] = [:]
  private var unheard: [PurchaseNotice] = []
  private var nextID = 0

  func post(_ notice: PurchaseNotice) {
    if listeners.isEmpty { unheard.append(notice) }
    for listener in listeners.values { listener.yield(notice) }
  }

  func stream() -> AsyncStream<PurchaseNotice> {
    let (stream, listener) = AsyncStream.makeStream(of: PurchaseNotice.self)
    nextID += 1
    let id = nextID
    listeners[id] = listener
    listener.onTermination = { [weak self] _ in Task { @MainActor in self?.listeners[id] = nil } }
    for notice in unheard { listener.yield(notice) }
    unheard = []
    return stream
  }

  /// Drops the notices that no listener got: they were another user's.
  func forget() { unheard = [] }

  isolated deinit { for listener in listeners.values { listener.finish() } }
}
