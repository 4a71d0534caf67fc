import Foundation
import SignedReceipts

/// Verifies receipts on the device, by their signature: works without a network once the seller's keys are known.
public struct DeviceVerifier<Purchasable: Hashable & Sendable>: ReceiptVerifier {
  private let keys: TrustedKeyCache
  private let read: @Sendable (Data) throws -> ReceiptContents<Purchasable>

  /// - Parameters:
  ///   - keys: the seller's public keys.
  ///   - read: what a receipt's payload says; may throw anything.
  public init(keys: TrustedKeyCache, read: @escaping @Sendable (Data) throws -> ReceiptContents<Purchasable>) {
    self.keys = keys
    self.read = read
  }

  /// What the receipt says, if one of the seller's keys signed it. An unknown key is requested once, and old keys are requested again,
  /// since the seller may have revoked one.
  /// - Throws: ``VerificationError``.
  public func verify(_ receipt: String) async throws -> ReceiptContents<Purchasable> { try await verify(receipt, by: keys.fresh()) }

  /// The same by the keys that are known, without asking the seller: works offline at once.
  /// - Throws: ``VerificationError``.
  public func verify(stored receipt: String) async throws -> ReceiptContents<Purchasable> {
    try await verify(receipt, by: keys.current())
  }

  private func verify(_ receipt: String, by initial: TrustedKeys) async throws -> ReceiptContents<Purchasable> {
    var trusted = initial
    let payload: Data
    do {
      payload = try JWS.verify(receipt, keys: trusted.keys)
    } catch .unknownKey(let kid) {
      trusted = try await keys.refetched(becauseOf: kid)
      do { payload = try JWS.verify(receipt, keys: trusted.keys) } catch { throw VerificationError.notGenuine("\(error)") }
    } catch {
      throw VerificationError.notGenuine("\(error)")
    }
    let contents: ReceiptContents<Purchasable>
    do { contents = try read(payload) } catch { throw VerificationError.unreadable("\(error)") }
    guard contents.issuer == trusted.issuer else { throw VerificationError.otherIssuer(contents.issuer) }
    return contents
  }
}
