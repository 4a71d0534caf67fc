import PurchaseService
import Foundation

/// A product of a test store, and the outcomes of its purchases.
public struct StubProduct: Sendable {
  /// What is sold, as the purchase layer sees it.
  public var product: Product
  /// The outcomes of its purchases, one after the other. They are used up before ``StubStoreFile/outcomes``.
  public var outcomes: [StubOutcome]

  /// By default purchases succeed.
  public init(_ product: Product, outcomes: [StubOutcome] = []) {
    self.product = product
    self.outcomes = outcomes
  }
}
