/// Has receipts verified by the backend: needs no keys, and gives no access while the backend is unreachable.
public struct BackendVerifier<Purchasable: Hashable & Sendable>: ReceiptVerifier {
  private let confirm: @Sendable (String) async throws -> ReceiptContents<Purchasable>

  /// - Parameter confirm: asks the backend what a receipt says. A ``StoreError`` of the kind ``StoreError/Kind/refused`` means that it
  ///   refuses the receipt, and a ``VerificationError`` is passed on; every other error means that it is unreachable.
  public init(confirm: @escaping @Sendable (String) async throws -> ReceiptContents<Purchasable>) { self.confirm = confirm }

  /// What the backend says.
  /// - Throws: ``VerificationError``.
  public func verify(_ receipt: String) async throws -> ReceiptContents<Purchasable> {
    do { return try await confirm(receipt) } catch let failure as VerificationError {
      throw failure
    } catch let failure as StoreError where failure.kind == .refused {
      throw VerificationError.notGenuine(failure.sentence)
    } catch {
      throw VerificationError.unavailable("\(error)")
    }
  }
}
