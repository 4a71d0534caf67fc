import Foundation

/// Something that became of a purchase when nobody was waiting for it any more, to be told to the person wherever they are in the app.
public struct PurchaseNotice: Hashable, Sendable {
  /// What happened.
  public enum Event: Hashable, Sendable {
    /// What was pending is bought, and unlocked.
    case purchased
    /// What was pending is not bought, and nothing was charged.
    case failed
    /// The store took it back: access has ended.
    case revoked
  }

  /// The purchase.
  public let transaction: Transaction.ID
  /// What it was for.
  public let productID: Product.ID
  /// What happened.
  public let event: Event
  /// For the person: what happened, and why.
  public let sentence: String

  /// Memberwise initializer.
  public init(transaction: Transaction.ID, productID: Product.ID, event: Event, sentence: String) {
    self.transaction = transaction
    self.productID = productID
    self.event = event
    self.sentence = sentence
  }
}

/// Any number of listeners, each with a stream of its own; what nobody heard is kept for the first one. Unlike a state, a notice must not
/// be skipped, and is not said twice: no stream drops one, and none starts with an old one.
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

  /// Forgets what nobody heard: it was another user's.
  func forget() { unheard = [] }

  isolated deinit { for listener in listeners.values { listener.finish() } }
}
