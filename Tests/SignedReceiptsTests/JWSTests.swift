import Foundation
import SignedReceipts
import Testing

@Suite struct JWSTests {
  private let payload = Data(#"{"iss":"sample","sub":"r1"}"#.utf8)

  private func token(header: String, payload: Data, key: SigningKey) throws -> String {
    let input = Base64URL.encode(Data(header.utf8)) + "." + Base64URL.encode(payload)
    return try input + "." + Base64URL.encode(key.signature(for: Data(input.utf8)))
  }

  private func parts(_ token: String) -> [String] { token.split(separator: ".", omittingEmptySubsequences: false).map(String.init) }

  @Test(arguments: SignatureAlgorithm.allCases)
  func roundTrips(algorithm: SignatureAlgorithm) throws {
    let key = try SigningKey.generate(algorithm, kid: "2026 \"a\"/b")
    let other = try SigningKey.generate(algorithm)
    let token = try JWS.sign(payload: payload, key: key)
    #expect(try JWS.verify(token, keys: [other.verificationKey, key.verificationKey]) == payload)
  }

  @Test(arguments: SignatureAlgorithm.allCases)
  func everyChangedByteIsNoticed(algorithm: SignatureAlgorithm) throws {
    let key = try SigningKey.generate(algorithm, kid: "k")
    let token = Array(try JWS.sign(payload: payload, key: key).utf8)
    for index in token.indices {
      var changed = token
      changed[index] = token[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      #expect(throws: JWSError.self) { try JWS.verify(String(decoding: changed, as: UTF8.self), keys: [key.verificationKey]) }
    }
  }

  @Test(arguments: SignatureAlgorithm.allCases)
  func everyTruncationIsNoticed(algorithm: SignatureAlgorithm) throws {
    let key = try SigningKey.generate(algorithm, kid: "k")
    let token = try JWS.sign(payload: payload, key: key)
    for length in 0..<token.count {
      #expect(throws: JWSError.self) { try JWS.verify(String(token.prefix(length)), keys: [key.verificationKey]) }
    }
  }

  @Test func algNoneIsRefusedWithAndWithoutSignature() throws {
    let key = try SigningKey.generate(.es256, kid: "k")
    let expected = JWSError.algorithmMismatch(kid: "k", alg: "none")
    let signed = try token(header: #"{"alg":"none","kid":"k"}"#, payload: payload, key: key)
    #expect(throws: expected) { try JWS.verify(signed, keys: [key.verificationKey]) }
    let bare = parts(signed).prefix(2).joined(separator: ".") + "."
    #expect(throws: expected) { try JWS.verify(bare, keys: [key.verificationKey]) }
  }

  @Test func aPublicKeyIsNeverTakenAsASecret() throws {
    // The classic confusion: an HMAC whose secret is the public key. HS256 is not even known here.
    let key = try SigningKey.generate(.es256, kid: "k")
    let forged = try token(header: #"{"alg":"HS256","kid":"k"}"#, payload: payload, key: key)
    #expect(throws: JWSError.algorithmMismatch(kid: "k", alg: "HS256")) { try JWS.verify(forged, keys: [key.verificationKey]) }
  }

  @Test(arguments: [
    // HMAC-SHA256 with the public key below as the secret: its PEM text, its DER, its point; and the first under the right name.
    "eyJhbGciOiJIUzI1NiIsImtpZCI6ImsifQ.eyJpc3MiOiJzYW1wbGUiLCJzdWIiOiJyMSJ9.wpnk25i_AFfppCmJw5v2SEsPoBNLM0J3e5okx7PgeyE",
    "eyJhbGciOiJIUzI1NiIsImtpZCI6ImsifQ.eyJpc3MiOiJzYW1wbGUiLCJzdWIiOiJyMSJ9.Kku4HMZ1tAv57jaALcglfggBaJ91Hqs_2HRMKENdKGo",
    "eyJhbGciOiJIUzI1NiIsImtpZCI6ImsifQ.eyJpc3MiOiJzYW1wbGUiLCJzdWIiOiJyMSJ9.UC4UhQQtOkNB-fU8DHorwQWWr_kAFnUIWi1GSjt-viM",
    "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ.eyJpc3MiOiJzYW1wbGUiLCJzdWIiOiJyMSJ9.OvhAIaukRFj9PACiIzQXdyXrO6VfXyDAY1mgRaa-9Bw6-EAhq6REWP08AKIjN"
      + "Bd3Jes7pV9fIMBjWaBFpr70HA",
  ])
  func anHMACWithThePublicKeyIsRefused(token: String) throws {
    let key = try VerificationKey(
      jwk: .init(
        kty: "EC", crv: "P-256", kid: "k", alg: "ES256", x: "iRTEQ_o0QBKk9RZE_v9eTZdvS7M1_z78dRWiIoJspUs",
        y: "AZ-o8oCxYvrg-6GFiHEP8a3r7LR36rgYWGSO4tcc0XY"))
    #expect(throws: JWSError.self) { try JWS.verify(token, keys: [key]) }
  }

  @Test func theAlgorithmIsTheKeysNotTheHeaders() throws {
    let ours = try SigningKey.generate(.es256, kid: "k")
    let theirs = try SigningKey.generate(.edDSA, kid: "k")
    let forged = try JWS.sign(payload: payload, key: theirs)
    #expect(throws: JWSError.algorithmMismatch(kid: "k", alg: "EdDSA")) { try JWS.verify(forged, keys: [ours.verificationKey]) }
    let relabelled = try token(header: #"{"alg":"ES256","kid":"k"}"#, payload: payload, key: theirs)
    #expect(throws: JWSError.badSignature) { try JWS.verify(relabelled, keys: [ours.verificationKey]) }
  }

  @Test func aKeyThatIsNotThereIsNamed() throws {
    let key = try SigningKey.generate(.edDSA, kid: "new")
    let token = try JWS.sign(payload: payload, key: key)
    let other = try SigningKey.generate(.edDSA, kid: "old")
    #expect(throws: JWSError.unknownKey(kid: "new")) { try JWS.verify(token, keys: [other.verificationKey]) }
    #expect(throws: JWSError.unknownKey(kid: "new")) { try JWS.verify(token, keys: []) }
  }

  @Test func anotherKeyUnderTheSameNameDoesNotVerify() throws {
    let token = try JWS.sign(payload: payload, key: SigningKey.generate(.es256, kid: "k"))
    let other = try SigningKey.generate(.es256, kid: "k")
    #expect(throws: JWSError.badSignature) { try JWS.verify(token, keys: [other.verificationKey]) }
  }

  @Test(arguments: [63, 65, 0, 32, 70, 72])
  func aSignatureThatIsNot64BytesIsRefused(count: Int) throws {
    let key = try SigningKey.generate(.es256, kid: "k")
    let token = try JWS.sign(payload: payload, key: key)
    let signature = try Vectors.bytes(parts(token)[2]) + Data(count: 100)
    let changed = parts(token).prefix(2).joined(separator: ".") + "." + Base64URL.encode(signature.prefix(count))
    #expect(throws: JWSError.malformed("a signature of \(count) bytes instead of 64")) {
      try JWS.verify(changed, keys: [key.verificationKey])
    }
  }

  @Test func looseBase64IsRefused() throws {
    let key = try SigningKey.generate(.edDSA, kid: "k")
    let token = try JWS.sign(payload: Data("a".utf8), key: key)
    let parts = parts(token)
    #expect(parts[1] == "YQ")
    for payload in ["YQ==", "YR", "Y", "Y Q", "YQ\n"] {
      #expect(throws: JWSError.malformed("not base64url")) {
        try JWS.verify("\(parts[0]).\(payload).\(parts[2])", keys: [key.verificationKey])
      }
    }
  }

  @Test(arguments: [
    "", "x", "[]", "null", "{}", #"{"alg":"ES256"}"#, #"{"kid":"k"}"#, #"{"alg":1,"kid":"k"}"#, #"{"alg":"ES256","kid":"k""#,
  ])
  func aHeaderWithoutAlgAndKidIsRefused(header: String) throws {
    let key = try SigningKey.generate(.es256, kid: "k")
    let token = try token(header: header, payload: payload, key: key)
    #expect(throws: JWSError.malformed("the header is no object with alg and kid")) {
      try JWS.verify(token, keys: [key.verificationKey])
    }
  }

  @Test func whatTheHeaderDemandsMustBeUnderstood() throws {
    let key = try SigningKey.generate(.es256, kid: "k")
    let demanding = try token(header: #"{"alg":"ES256","crit":["b64"],"b64":false,"kid":"k"}"#, payload: payload, key: key)
    #expect(throws: JWSError.unsupported("crit")) { try JWS.verify(demanding, keys: [key.verificationKey]) }
    let chatty = try token(header: #"{"alg":"ES256","jku":"https://evil.example","kid":"k","typ":"JWT"}"#, payload: payload, key: key)
    #expect(try JWS.verify(chatty, keys: [key.verificationKey]) == payload)
  }

  @Test func lengthsAreLimited() throws {
    let key = try SigningKey.generate(.es256, kid: "k")
    let long = try token(header: #"{"alg":"ES256","kid":"k","x":"\#(String(repeating: "x", count: 1024))"}"#, payload: payload, key: key)
    #expect(throws: JWSError.tooLong(limit: JWS.maximumHeaderLength)) { try JWS.verify(long, keys: [key.verificationKey]) }
    #expect(throws: JWSError.tooLong(limit: JWS.maximumLength)) {
      try JWS.verify(String(repeating: "A", count: JWS.maximumLength + 1), keys: [key.verificationKey])
    }
    #expect(throws: JWSError.tooLong(limit: JWS.maximumLength)) { try JWS.sign(payload: Data(count: JWS.maximumLength), key: key) }
  }

  @Test(arguments: ["", ".", "..", "...", "a.b", "a.b.c.d", "....", "ä.ö.ü"])
  func whatIsNoTokenIsRefused(text: String) throws {
    let key = try SigningKey.generate(.es256, kid: "k")
    #expect(throws: JWSError.self) { try JWS.verify(text, keys: [key.verificationKey]) }
  }

  @Test func aReshapedSignatureVerifiesSoTextIsNoIdentity() throws {
    // ECDSA accepts (r, n - s) for (r, s): facts that must never surprise whoever stores receipts.
    let key = try SigningKey.generate(.es256, kid: "k")
    let token = try JWS.sign(payload: payload, key: key)
    let signature = Array(try Vectors.bytes(parts(token)[2]))
    let order: [UInt8] = [
      0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84,
      0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
    var mirrored = [UInt8](repeating: 0, count: 32)
    var borrow = 0
    for index in (0..<32).reversed() {
      let difference = Int(order[index]) - Int(signature[32 + index]) - borrow
      borrow = difference < 0 ? 1 : 0
      mirrored[index] = UInt8(truncatingIfNeeded: difference)
    }
    let reshaped = parts(token).prefix(2).joined(separator: ".") + "." + Base64URL.encode(signature.prefix(32) + mirrored)
    #expect(reshaped != token)
    #expect(try JWS.verify(reshaped, keys: [key.verificationKey]) == payload)
  }
}
