import Foundation
import PublicationAPI
import PublicationClient
import PurchaseService
import Runtime
import SignedReceipts

/// The purchase paths of a publication, by their names in the journal.
public enum PublicationPath {
  /// Receipts are verified by the publication alone.
  public static let backend = "publication.backend"
  /// Receipts are verified on the device first, then confirmed by the publication; stored ones give access offline.
  public static let device = "publication.device"

  /// Finds the account of a reader: see ``PublicationQueue/init(account:)``.
  public typealias Account = @Sendable (_ user: Reader.ID) async -> APIClient?
}

extension PurchasePath<PurchasableProduct> {
  /// The path of a publication that verifies its receipts itself: ``PublicationPath/backend``.
  /// - Parameters:
  ///   - client: asks for products.
  ///   - queue: charges; the same for both paths.
  public static func publicationBackend(
    _ client: APIClient, queue: PublicationQueue, account: @escaping PublicationPath.Account
  ) -> PurchasePath {
    publication(PublicationPath.backend, client: client, queue: queue, verifier: BackendVerifier(account: account, otherwise: .otherUser))
  }

  /// The path of a publication whose receipts the device verifies and the publication confirms: ``PublicationPath/device``.
  /// - Parameters:
  ///   - client: asks for products and keys.
  ///   - seller: whose keys, as the journal names it.
  ///   - journal: keeps the keys.
  ///   - clock: dates the keys.
  ///   - queue: charges; the same for both paths.
  public static func publicationDevice(
    _ client: APIClient, seller: String, journal: Journal, clock: any AppClock, queue: PublicationQueue,
    account: @escaping PublicationPath.Account
  ) -> PurchasePath {
    let keys = TrustedKeyCache(seller: seller, purchasePath: PublicationPath.device, journal: journal, clock: clock) {
      try await client.trustedKeys()
    }
    let device = DeviceVerifier(keys: keys) { try ReceiptContents<PurchasableProduct>(payload: $0) }
    // A receipt that the device found genuine is confirmed when its reader is signed in again.
    let backend = BackendVerifier(account: account, otherwise: .unavailable("its reader is not signed in"))
    return publication(PublicationPath.device, client: client, queue: queue, verifier: CombinedVerifier(device: device, backend: backend))
  }

  private static func publication(
    _ name: String, client: APIClient, queue: PublicationQueue, verifier: any ReceiptVerifier<PurchasableProduct>
  ) -> PurchasePath {
    PurchasePath(name: name, fetcher: PublicationProductFetcher(client: client), queue: queue, verifier: verifier)
  }
}

extension BackendVerifier<PurchasableProduct> {
  /// Asks the publication in the name of the reader whom the receipt names, and of no other.
  /// - Parameter otherwise: the result for a receipt whose reader is not signed in.
  init(account: @escaping PublicationPath.Account, otherwise: VerificationError) {
    self.init { receipt in
      let user: String
      do { user = try ReceiptClaims.user(claimedBy: receipt) } catch { throw VerificationError.unreadable("\(error)") }
      guard let client = await account(user) else { throw otherwise }
      let verdict: ReceiptVerdict
      do throws(ClientError) { verdict = try await client.verify(receipt: receipt) } catch { throw StoreError(error) }
      do throws(ReceiptClaimsError) { return try ReceiptContents(verdict.claims) } catch {
        throw VerificationError.unreadable("\(error)")
      }
    }
  }
}

extension ReceiptClaims {
  private struct User: Decodable {
    let sub: String
  }

  /// Whose a receipt says it is, without proof.
  fileprivate static func user(claimedBy receipt: String) throws -> Reader.ID {
    let parts = receipt.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, parts[1].count <= JWS.maximumLength, let payload = Base64URL.decode(parts[1]) else {
      throw VerificationError.unreadable("no receipt")
    }
    return try JSONDecoder().decode(User.self, from: Data(payload)).sub
  }
}
