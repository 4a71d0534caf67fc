import Foundation
import SignedReceipts
import Testing

/// The keys and signatures that the RFCs print.
enum Vectors {
  static let es256 = VerificationKey.JWK(
    kty: "EC", crv: "P-256", kid: "a3", alg: "ES256", x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
  static let es256Private = "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"
  static let es256Input =
    "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
  static let es256Signature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

  static let edDSA = VerificationKey.JWK(
    kty: "OKP", crv: "Ed25519", kid: "a4", alg: "EdDSA", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
  static let edDSAPrivate = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"
  static let edDSAInput = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
  static let edDSASignature = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"

  static func bytes(_ text: String) throws -> Data { Data(try #require(Base64URL.decode(text))) }
}

@Suite struct KeyTests {
  @Test func rfc7515AppendixA3Verifies() throws {
    let key = try VerificationKey(jwk: Vectors.es256)
    #expect(try key.isValid(Vectors.bytes(Vectors.es256Signature), for: Data(Vectors.es256Input.utf8)))
    #expect(try !key.isValid(Vectors.bytes(Vectors.es256Signature), for: Data((Vectors.es256Input + "x").utf8)))
  }

  @Test func rfc7515AppendixA3KeyIsReadFromItsPrivateHalf() throws {
    let key = try SigningKey(raw: Vectors.bytes(Vectors.es256Private), algorithm: .es256, kid: "a3")
    #expect(key.verificationKey.jwk == Vectors.es256)
    let message = Data("hello".utf8)
    #expect(try key.verificationKey.isValid(key.signature(for: message), for: message))
  }

  @Test func rfc8037AppendixA4SignsAndVerifies() throws {
    let key = try SigningKey(raw: Vectors.bytes(Vectors.edDSAPrivate), algorithm: .edDSA, kid: "a4")
    #expect(key.verificationKey.jwk == Vectors.edDSA)
    let input = Data(Vectors.edDSAInput.utf8)
    #expect(try Base64URL.encode(key.signature(for: input)) == Vectors.edDSASignature)
    #expect(try VerificationKey(jwk: Vectors.edDSA).isValid(Vectors.bytes(Vectors.edDSASignature), for: input))
  }

  @Test func rfc8037AppendixA3ThumbprintNamesTheKey() throws {
    let key = try SigningKey(raw: Vectors.bytes(Vectors.edDSAPrivate), algorithm: .edDSA)
    #expect(key.kid == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
  }

  @Test(arguments: SignatureAlgorithm.allCases)
  func exportsAndImports(algorithm: SignatureAlgorithm) throws {
    let key = try SigningKey.generate(algorithm)
    let fromRaw = try SigningKey(raw: key.raw(), algorithm: algorithm)
    let fromPEM = try SigningKey(pem: key.pem())
    let fromJWK = try VerificationKey(jwk: key.verificationKey.jwk)
    #expect(fromRaw.verificationKey == key.verificationKey)
    #expect(fromPEM.verificationKey == key.verificationKey)
    #expect(fromPEM.algorithm == algorithm)
    #expect(fromJWK == key.verificationKey)
    #expect(try SigningKey.generate(algorithm).kid != key.kid)
    #expect(!"\(key)".contains(try Base64URL.encode(key.raw())))
  }

  @Test(arguments: SignatureAlgorithm.allCases)
  func aSignatureIsAlways64Bytes(algorithm: SignatureAlgorithm) throws {
    let key = try SigningKey.generate(algorithm)
    for number in 0..<200 {
      let message = Data("\(number)".utf8)
      let signature = try key.signature(for: message)
      #expect(signature.count == 64)
      #expect(try key.verificationKey.isValid(signature, for: message))
      #expect(try !key.verificationKey.isValid(signature + [0], for: message))
      #expect(try !key.verificationKey.isValid(signature.dropLast(), for: message))
    }
  }

  @Test func zeroAndTooLargeNumbersAreNoSignature() throws {
    let key = try VerificationKey(jwk: Vectors.es256)
    #expect(try !key.isValid(Data(repeating: 0, count: 64), for: Data()))
    #expect(try !key.isValid(Data(repeating: 0xFF, count: 64), for: Data()))
    #expect(try !VerificationKey(jwk: Vectors.edDSA).isValid(Data(repeating: 0xFF, count: 64), for: Data()))
  }

  @Test func keysOfAnotherFormAreRefused() throws {
    var jwk = Vectors.es256
    jwk.alg = "EdDSA"
    #expect(throws: KeyError.unsupported("EC P-256 with EdDSA")) { try VerificationKey(jwk: jwk) }
    jwk = Vectors.es256
    jwk.y = nil
    #expect(throws: KeyError.malformed("y is not 32 bytes")) { try VerificationKey(jwk: jwk) }
    jwk.y = jwk.x
    #expect(throws: KeyError.self, "a point off the curve") { try VerificationKey(jwk: jwk) }
    jwk = Vectors.edDSA
    jwk.x += "AA"
    #expect(throws: KeyError.malformed("x is not 32 bytes")) { try VerificationKey(jwk: jwk) }
    jwk = Vectors.edDSA
    jwk.kid = ""
    #expect(throws: KeyError.malformed("kid is empty")) { try VerificationKey(jwk: jwk) }
    jwk.kid = String(repeating: "k", count: 1024)
    #expect(try VerificationKey(jwk: jwk).kid == jwk.kid)
    jwk.kid += "k"
    #expect(throws: KeyError.malformed("kid is longer than a header")) { try VerificationKey(jwk: jwk) }
  }

  @Test func privateKeysOutOfRangeOrFormAreRefused() throws {
    #expect(throws: KeyError.self) { try SigningKey(raw: Data(repeating: 0, count: 32), algorithm: .es256) }
    #expect(throws: KeyError.self) { try SigningKey(raw: Data(repeating: 0xFF, count: 32), algorithm: .es256) }
    #expect(throws: KeyError.self) { try SigningKey(raw: Data(count: 31), algorithm: .edDSA) }
    #expect(throws: KeyError.self) { try SigningKey(pem: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n") }
    #expect(throws: KeyError.self) { try SigningKey(pem: "") }
  }
}
