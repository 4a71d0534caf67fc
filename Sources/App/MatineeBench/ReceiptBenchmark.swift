import Foundation
import PublicationAPI
import PublicationCommerce
import PurchaseService
import Runtime
import SignedReceipts

/// Full verification of a receipt, as the app does it, against what cannot be left out: one signature check and one JSON decoding of the
/// same bytes.
enum ReceiptBenchmark {
  static let goal = 1.3

  static func run(rounds: Int) async throws -> [Figure] {
    var figures: [Figure] = []
    for algorithm in SignatureAlgorithm.allCases { figures.append(try await figure(algorithm, rounds)) }
    return figures
  }

  private static func figure(_ algorithm: SignatureAlgorithm, _ rounds: Int) async throws -> Figure {
    let (key, clock) = (try SigningKey.generate(algorithm), SystemClock())
    let issued = Int64(clock.now.timeIntervalSince1970)
    let claims = ReceiptClaims(
      iss: "the-interval", sub: "reader-1", jti: UUID().uuidString, iat: issued, exp: issued + 2_678_400, product: "premium.monthly",
      entitlement: "premium", purchased: issued, period: "P1M")
    let payload = try Wire.encode(claims)
    let token = try JWS.sign(payload: payload, key: key)
    let trusted = TrustedKeys(issuer: claims.iss, keys: [key.verificationKey])
    let journal = try await Journal(path: ":memory:", clock: clock)
    let keys = TrustedKeyCache(seller: "bench", purchasePath: "bench", journal: journal, clock: clock) { trusted }
    let verifier = DeviceVerifier(keys: keys) { try ReceiptContents<PurchasableProduct>(payload: $0) }

    let parts = token.split(separator: ".")
    let (message, signature) = (Data((parts[0] + "." + parts[1]).utf8), try key.signature(for: Data((parts[0] + "." + parts[1]).utf8)))
    let decoder = JSONDecoder()
    var (ours, baseline): ([Double], [Double]) = ([], [])
    for round in 0...rounds {
      let mine = try await seconds { for _ in 0..<times { _ = try await verifier.verify(token) } }
      let base = try await seconds {
        for _ in 0..<times {
          guard try key.verificationKey.isValid(signature, for: message) else { throw Mistake(description: "the signature is not valid") }
          _ = try decoder.decode(ReceiptClaims.self, from: payload)
        }
      }
      // The first round warms up.
      guard round > 0 else { continue }
      ours.append(mine / Double(times))
      baseline.append(base / Double(times))
    }
    await journal.close()
    return Figure(
      name: "receipt, \(algorithm.rawValue)", ours: ours.median, baseline: baseline.median, against: "one signature, one JSON decoding",
      goal: goal)
  }

  private static let times = 500
}
