import PurchaseService
import Foundation

/// A product of a test store, and what becomes of its purchases.
public struct StubProduct: Sendable {
  /// The product.
  public var product: Product
  /// What becomes of its purchases, one after the other, before ``StubStoreFile/outcomes`` have a say.
  public var outcomes: [StubOutcome]

  /// Makes one whose purchases succeed, unless told otherwise.
  public init(_ product: Product, outcomes: [StubOutcome] = []) {
    self.product = product
    self.outcomes = outcomes
  }
}
