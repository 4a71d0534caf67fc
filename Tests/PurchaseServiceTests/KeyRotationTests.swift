import Foundation
import PurchaseServiceTesting
import Runtime
import SignedReceipts
import Synchronization
import Testing

@testable import PurchaseService

/// Keys that come and go while the app is in use.
@Suite(.timeLimit(.minutes(1))) struct KeyRotationTests {
  private final class Seller: Sendable {
    let keys: Mutex<TrustedKeys?>
    let fetches = Mutex(0)
    init(_ keys: TrustedKeys) { self.keys = Mutex(keys) }
    func fetch() throws -> TrustedKeys {
      fetches.withLock { $0 += 1 }
      guard let keys = keys.withLock({ $0 }) else { throw CancellationError() }
      return keys
    }
  }

  private let clock = ManualClock()
  private let old: ReceiptIssuer
  private let new: ReceiptIssuer
  private let seller: Seller

  init() throws {
    old = try ReceiptIssuer(algorithm: .es256)
    var new = old
    new.key = try .generate(.edDSA)
    self.new = new
    seller = Seller(old.trusted)
  }

  private func verifier(_ journal: Journal, path: String = "device") -> DeviceVerifier<String> {
    DeviceVerifier(
      keys: TrustedKeyCache(seller: "store", purchasePath: path, journal: journal, clock: clock) { [seller] in try seller.fetch() }
    ) {
      try ReceiptIssuer.read($0)
    }
  }

  private func receipt(_ issuer: ReceiptIssuer, _ number: UInt8) throws -> String {
    try issuer.receipt(id(number), user: "ada", product: "p")
  }

  @Test func aNewKeyIsFetchedOnceAndOldReceiptsKeepVerifying() async throws {
    let verifier = verifier(try await Journal(path: ":memory:", clock: clock))
    _ = try await verifier.verify(receipt(old, 1))
    clock.advance(by: TrustedKeyCache.refetchInterval)
    seller.keys.withLock { [old, new] in $0 = TrustedKeys(issuer: old.name, keys: [old.key.verificationKey, new.key.verificationKey]) }
    for number: UInt8 in 2...5 { #expect(try await verifier.verify(receipt(new, number)).transaction == id(number)) }
    #expect(try await verifier.verify(receipt(old, 6)).transaction == id(6))
    #expect(seller.fetches.withLock { $0 } == 2)
  }

  @Test func aKeyThatTheSellerGaveUpStopsWithinADay() async throws {
    let verifier = verifier(try await Journal(path: ":memory:", clock: clock))
    _ = try await verifier.verify(receipt(old, 1))
    seller.keys.withLock { [new] in $0 = new.trusted }
    clock.advance(by: TrustedKeyCache.refreshInterval - .seconds(1))
    _ = try await verifier.verify(receipt(old, 1))
    clock.advance(by: .seconds(1))
    let stolen = try receipt(old, 2)
    await #expect { try await verifier.verify(stolen) } throws: { if case VerificationError.notGenuine = $0 { true } else { false } }
    await #expect(throws: VerificationError.self) { try await verifier.verify(stored: stolen) }
    #expect(try await verifier.verify(receipt(new, 3)).transaction == id(3))
  }

  @Test func keysFromAnEarlierRunAreAsOldAsTheyAre() async throws {
    let journal = try await Journal(path: ":memory:", clock: clock)
    _ = try await verifier(journal).verify(receipt(old, 1))
    clock.advance(by: .seconds(3600))
    _ = try await verifier(journal).verify(receipt(old, 1))
    #expect(seller.fetches.withLock { $0 } == 1)
    clock.advance(by: TrustedKeyCache.refreshInterval)
    let third = verifier(journal)
    _ = try await third.verify(stored: receipt(old, 1))
    #expect(seller.fetches.withLock { $0 } == 1, "what is stored is verified without asking")
    _ = try await third.verify(receipt(old, 1))
    #expect(seller.fetches.withLock { $0 } == 2)
  }

  @Test func oldKeysServeWhileTheSellerIsAwayAndItIsNotAskedAtWill() async throws {
    let verifier = verifier(try await Journal(path: ":memory:", clock: clock))
    _ = try await verifier.verify(receipt(old, 1))
    seller.keys.withLock { $0 = nil }
    clock.advance(by: TrustedKeyCache.refreshInterval)
    for number: UInt8 in 2...5 { _ = try await verifier.verify(receipt(old, number)) }
    #expect(seller.fetches.withLock { $0 } == 2)
  }

  @Test func eachPathHasKeysOfItsOwn() async throws {
    let journal = try await Journal(path: ":memory:", clock: clock)
    _ = try await verifier(journal).verify(receipt(old, 1))
    seller.keys.withLock { $0 = nil }
    let receipt = try receipt(old, 2)
    await #expect { try await verifier(journal, path: "other").verify(receipt) } throws: {
      if case VerificationError.unavailable = $0 { true } else { false }
    }
  }

  @Test func aReceiptOfAnotherSellerOfTheSameStoreIsRefused() async throws {
    let verifier = verifier(try await Journal(path: ":memory:", clock: clock))
    var other = old
    other.name = "another"
    let receipt = try receipt(other, 1)
    await #expect(throws: VerificationError.otherIssuer("another")) { try await verifier.verify(receipt) }
  }
}
