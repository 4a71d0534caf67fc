import OpenIDConnectTesting
import SignedReceipts
import Testing

/// RS256 is for what providers sign: no receipt is verified with it.
@Suite struct RSAReceiptTests {
  private let claims: [String: any Sendable] = ["iss": "sample", "sub": "r1"]

  @Test(arguments: SignatureAlgorithm.allCases) func aReceiptSignedWithRSAIsRefused(algorithm: SignatureAlgorithm) throws {
    let ours = try SigningKey.generate(algorithm, kid: "k").verificationKey
    let rsa = StubKey.rsa("k")
    let token = rsa.token(claims)
    #expect(throws: JWSError.algorithmMismatch(kid: "k", alg: "RS256")) { try JWS.verify(token, keys: [ours]) }
    // Under the name of the algorithm that the key is for.
    let relabelled = rsa.token(claims, header: ["alg": algorithm.rawValue])
    #expect(throws: JWSError.malformed("a signature of 256 bytes instead of 64")) { try JWS.verify(relabelled, keys: [ours]) }
  }

  @Test func noRSAKeyIsTakenForReceipts() throws {
    let field = StubKey.rsa("k").field
    let jwk = VerificationKey.JWK(
      kty: "RSA", crv: "", kid: "k", alg: "RS256", x: field["n"] ?? "", y: field["e"] ?? "")
    #expect(throws: KeyError.unsupported("RSA  with RS256")) { try VerificationKey(jwk: jwk) }
    var ours = try SigningKey.generate(.es256, kid: "k").verificationKey.jwk
    ours.alg = "RS256"
    #expect(throws: KeyError.unsupported("EC P-256 with RS256")) { try VerificationKey(jwk: ours) }
  }

  @Test func onlyTwoAlgorithmsAreKnown() {
    #expect(SignatureAlgorithm.allCases.map(\.rawValue) == ["ES256", "EdDSA"])
  }
}
