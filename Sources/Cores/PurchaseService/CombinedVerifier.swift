/// Verifies receipts on the device first, then has the backend confirm them.
///
/// A receipt that either refuses is refused. While the backend is unreachable, the device's approval gives access and nothing more
/// (``ReceiptContents/isConfirmed``): the purchase is not finished, and is confirmed later.
public struct CombinedVerifier<Purchasable: Hashable & Sendable>: ReceiptVerifier {
  private let device: any ReceiptVerifier<Purchasable>
  private let backend: any ReceiptVerifier<Purchasable>

  /// - Parameters:
  ///   - device: judges first, such as ``DeviceVerifier``.
  ///   - backend: confirms, such as ``BackendVerifier``.
  public init(device: any ReceiptVerifier<Purchasable>, backend: any ReceiptVerifier<Purchasable>) {
    self.device = device
    self.backend = backend
  }

  /// What the receipt says by both.
  /// - Throws: ``VerificationError``; ``VerificationError/rejected(_:)`` when the backend refuses a genuine receipt.
  public func verify(_ receipt: String) async throws -> ReceiptContents<Purchasable> {
    var contents = try await device.verify(receipt)
    do {
      let confirmed = try await backend.verify(receipt)
      guard
        (confirmed.transaction, confirmed.user, confirmed.productID) == (contents.transaction, contents.user, contents.productID)
      else { throw VerificationError.rejected("The store reads the receipt of this purchase differently.") }
    } catch VerificationError.unavailable {
      contents.isConfirmed = false
    } catch VerificationError.notGenuine(let reason) {
      throw VerificationError.rejected(reason)
    }
    return contents
  }

  /// What the device says: both confirmed it before it was stored.
  /// - Throws: ``VerificationError``.
  public func verify(stored receipt: String) async throws -> ReceiptContents<Purchasable> { try await device.verify(stored: receipt) }
}
