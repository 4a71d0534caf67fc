import Foundation
import PurchaseServiceTesting
import Runtime
import SignedReceipts
import Synchronization
import Testing

@testable import PurchaseService

@Suite(.timeLimit(.minutes(1))) struct VerifierTests {
  private final class Seller: Sendable {
    let answer: Mutex<Result<TrustedKeys, StoreError>>
    let fetches = Mutex(0)
    init(_ trusted: TrustedKeys) { answer = Mutex(.success(trusted)) }
    func fetch() throws -> TrustedKeys {
      fetches.withLock { $0 += 1 }
      return try answer.withLock { $0 }.get()
    }
    func change(_ trusted: TrustedKeys) { answer.withLock { $0 = .success(trusted) } }
    func goAway() { answer.withLock { $0 = .failure(StoreError(.unavailable, code: "offline", sentence: "Offline.")) } }
    var count: Int { fetches.withLock { $0 } }
  }

  private let clock = ManualClock()

  private func verifier(_ seller: Seller) async throws -> DeviceVerifier<String> {
    let journal = try await Journal(path: ":memory:", clock: clock)
    let keys = TrustedKeyCache(seller: "store", purchasePath: "device", journal: journal, clock: clock) { try seller.fetch() }
    return DeviceVerifier(keys: keys, read: ReceiptIssuer.read)
  }

  @Test(arguments: SignatureAlgorithm.allCases) func aGenuineReceiptIsRead(algorithm: SignatureAlgorithm) async throws {
    let issuer = try ReceiptIssuer(algorithm: algorithm)
    let contents = try await verifier(Seller(issuer.trusted)).verify(issuer.receipt(id(1), user: "ada", product: "p"))
    #expect(contents.transaction == id(1))
    #expect(contents.user == "ada")
    #expect(contents.purchasable == "p")
  }

  @Test func anUnknownKeyIsAskedForOnce() async throws {
    let old = try ReceiptIssuer()
    var new = old
    new.key = try .generate(.es256)
    let seller = Seller(old.trusted)
    let verifier = try await verifier(seller)
    _ = try await verifier.verify(old.receipt(id(1), user: "ada", product: "p"))
    #expect(seller.count == 1)
    clock.advance(by: TrustedKeyCache.refetchInterval)
    seller.change(TrustedKeys(issuer: old.name, keys: [old.key.verificationKey, new.key.verificationKey]))
    _ = try await verifier.verify(new.receipt(id(2), user: "ada", product: "p"))
    _ = try await verifier.verify(new.receipt(id(3), user: "ada", product: "p"))
    _ = try await verifier.verify(old.receipt(id(4), user: "ada", product: "p"))
    #expect(seller.count == 2)
  }

  @Test func forgedReceiptsDoNotCauseRequestsAtWill() async throws {
    let issuer = try ReceiptIssuer()
    let seller = Seller(issuer.trusted)
    let verifier = try await verifier(seller)
    for number in 1...20 {
      let forged = try ReceiptIssuer().receipt(id(UInt8(number)), user: "ada", product: "p")
      await #expect { try await verifier.verify(forged) } throws: {
        if case VerificationError.notGenuine = $0 { true } else { false }
      }
    }
    #expect(seller.count == 1)
    clock.advance(by: TrustedKeyCache.refetchInterval)
    let forged = try ReceiptIssuer().receipt(id(99), user: "ada", product: "p")
    await #expect(throws: VerificationError.self) { try await verifier.verify(forged) }
    #expect(seller.count == 2)
  }

  @Test func withoutKeysNothingCanBeJudged() async throws {
    let issuer = try ReceiptIssuer()
    let seller = Seller(issuer.trusted)
    seller.goAway()
    let verifier = try await verifier(seller)
    let receipt = try issuer.receipt(id(1), user: "ada", product: "p")
    await #expect { try await verifier.verify(receipt) } throws: { if case VerificationError.unavailable = $0 { true } else { false } }
    seller.change(issuer.trusted)
    #expect(try await verifier.verify(receipt).purchasable == "p")
  }

  @Test func aPayloadThatIsNotUnderstoodIsUnreadable() async throws {
    let issuer = try ReceiptIssuer()
    let verifier = try await verifier(Seller(issuer.trusted))
    let token = try JWS.sign(payload: Data("{}".utf8), key: issuer.key)
    await #expect { try await verifier.verify(token) } throws: { if case VerificationError.unreadable = $0 { true } else { false } }
  }

  @Test func theIssuerIsTheOneWhoseKeysTheyAre() async throws {
    let issuer = try ReceiptIssuer()
    let verifier = try await verifier(Seller(issuer.trusted))
    var other = issuer
    other.name = "another"
    let receipt = try other.receipt(id(1), user: "ada", product: "p")
    await #expect(throws: VerificationError.otherIssuer("another")) { try await verifier.verify(receipt) }
  }

  @Test func whoeverAsksWhileKeysAreFetchedWaitsForThatFetch() async throws {
    let issuer = try ReceiptIssuer()
    let gate = Gate()
    let fetches = Mutex(0)
    let journal = try await Journal(path: ":memory:", clock: clock)
    let keys = TrustedKeyCache(seller: "store", purchasePath: "device", journal: journal, clock: clock) {
      fetches.withLock { $0 += 1 }
      await gate.wait()
      return issuer.trusted
    }
    async let first = keys.current()
    await gate.reached()
    async let second = keys.current()
    gate.open()
    #expect(try await first == issuer.trusted)
    #expect(try await second == issuer.trusted)
    #expect(fetches.withLock { $0 } == 1)
  }
}
