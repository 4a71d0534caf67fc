import Foundation
import HTTPTransport
import OpenIDConnectTesting
import Runtime
import SignedReceipts
import TestSupport
import Testing

@testable import OpenIDConnect

/// What is checked of an ID token, and of the documents of a provider.
@Suite struct IDTokenTests {
  private static let now = Date(timeIntervalSince1970: 1_780_000_000)
  private static let rsa = StubKey.rsa("rsa-1")
  private static let nonce = "n-0S6_WzA2Mj"

  private func keys(_ keys: StubKey...) throws -> ProviderKeys {
    try ProviderKeys(document: StubProvider.json(["keys": keys.map(\.field)]))
  }

  private func read(
    _ token: String, _ keys: ProviderKeys, of provider: OpenIDProvider = StubProvider.registration, at now: Date = now
  ) throws(IDTokenError) -> IDToken {
    try IDToken(verifying: token, of: provider, keys: keys, nonce: Self.nonce, now: now)
  }

  private func claims(_ changes: [String: (any Sendable)?] = [:]) -> [String: any Sendable] {
    var claims = StubProvider.claims(at: Self.now)
    claims["nonce"] = Self.nonce
    for (name, value) in changes { claims[name] = value }
    return claims
  }

  @Test func bothAlgorithmsAndWhatATokenSays() throws {
    let ec = try StubKey.ec("ec-1")
    for key in [Self.rsa, ec] {
      let token = try read(key.token(claims()), try keys(Self.rsa, ec))
      #expect(token.issuer == StubProvider.issuer && token.subject == "user-7" && token.issued == Self.now)
      #expect(token.email == "ada@example.org" && token.name == "Ada L.")
    }
  }

  @Test func anAddressThatTheProviderDoesNotVouchForIsNone() throws {
    for (value, email) in [(false, nil), ("true", "ada@example.org"), ("no", nil), (nil, nil)] as [((any Sendable)?, String?)] {
      #expect(try read(Self.rsa.token(claims(["email_verified": .some(value)])), try keys(Self.rsa)).email == email)
    }
  }

  /// RFC 7515, appendix A.2: made by nobody here.
  @Test func theSignatureOfTheSpecification() throws {
    let n =
      "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b"
      + "32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5"
      + "IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
    let modulus = try #require(Base64URL.decode(n))
    let key = try #require(RSAKey(modulus: modulus, exponent: [1, 0, 1]))
    let input = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    let signature =
      "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAyn"
      + "RFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnv"
      + "Wh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
    let bytes = try #require(Base64URL.decode(signature))
    #expect(key.isValid(bytes, for: Array(input.utf8)))
    #expect(!key.isValid(bytes, for: Array(input.utf8.dropLast())))
    #expect(!key.isValid(bytes.dropLast(), for: Array(input.utf8)))
  }

  /// A claim that is `nil` is left out.
  static let refused: [(name: String, changes: [String: (any Sendable)?], error: IDTokenError)] = [
    ("issuer", ["iss": "https://accounts.example.org/"], .otherIssuer),
    ("audience", ["aud": "another-app"], .otherAudience),
    ("audiences", ["aud": ["reader-app", "another-app"]], .otherAudience),
    ("authorized party", ["azp": "another-app"], .otherAudience),
    ("nonce", ["nonce": "another"], .otherNonce),
    ("no nonce", ["nonce": nil as (any Sendable)?], .otherNonce),
    ("expired", ["exp": 1_780_000_000 - 120], .expired),
    ("from the future", ["iat": 1_780_000_000 + 120], .fromTheFuture),
    ("no subject", ["sub": ""], .malformed("its subject is empty or too long")),
    ("no expiry", ["exp": nil as (any Sendable)?], .malformed("its claims cannot be read")),
  ]

  @Test(arguments: refused.indices) func whatIsNotForUs(index: Int) throws {
    let some = Self.refused[index]
    let keys = try keys(Self.rsa)
    #expect(throws: some.error, "\(some.name)") { try read(Self.rsa.token(claims(some.changes)), keys) }
  }

  @Test func severalAudiencesNameTheOneThatAsked() throws {
    let keys = try keys(Self.rsa)
    #expect(try read(Self.rsa.token(claims(["aud": ["reader-app", "another-app"], "azp": "reader-app"])), keys).subject == "user-7")
    #expect(try read(Self.rsa.token(claims(["aud": ["reader-app"]])), keys).subject == "user-7")
    #expect(try read(Self.rsa.token(claims(["exp": 1_780_000_000 - 119, "iat": 1_780_000_000 + 119])), keys).subject == "user-7")
  }

  @Test func signaturesOfOthers() throws {
    let (ec, other) = (try StubKey.ec("ec-1"), try StubKey.ec("ec-1"))
    let keys = try keys(Self.rsa, ec)
    #expect(throws: IDTokenError.badSignature) { try read(other.token(claims()), keys) }
    #expect(throws: IDTokenError.unknownKey) { try read(ec.token(claims(), header: ["kid": "ec-2"]), keys) }
    // An algorithm belongs to its keys: none of them signs by that of another.
    #expect(throws: IDTokenError.unknownKey) { try read(ec.token(claims(), header: ["alg": "RS256"]), keys) }
    for algorithm in ["none", "HS256", "RS384", "ES256K", ""] {
      #expect(throws: IDTokenError.unsupported("alg")) { try read(ec.token(claims(), header: ["alg": algorithm]), keys) }
    }
    #expect(throws: IDTokenError.unsupported("crit")) { try read(ec.token(claims(), header: ["crit": ["exp"]]), keys) }
    let token = ec.token(claims())
    for broken in ["", ".", "..", token + ".", token + "=", String(token.dropLast(2)), "e30." + token, token.replacing(".", with: "..")] {
      #expect(throws: IDTokenError.self, "\(broken)") { try read(broken, keys) }
    }
    #expect(throws: IDTokenError.malformed("it is longer than 16384 bytes")) {
      try read(ec.token(claims(["x": String(repeating: "a", count: 13_000)])), keys)
    }
  }

  /// A provider with one key of a kind need not name it.
  @Test func aTokenThatNamesNoKey() throws {
    let ec = try StubKey.ec("ec-1")
    let keys = try keys(Self.rsa, ec)
    #expect(try read(ec.token(claims(), isNamed: false), keys).subject == "user-7")
    #expect(throws: IDTokenError.badSignature) { try read(try StubKey.ec("x").token(claims(), isNamed: false), keys) }
  }

  /// Strangers would have all of them tried with tokens that they made up.
  @Test func aTokenThatNamesNoneOfSeveralKeysIsTriedWithNone() throws {
    let ec = try StubKey.ec("ec-1")
    let keys = try keys(ec, try StubKey.ec("ec-2"))
    #expect(throws: IDTokenError.malformed("it does not name its key")) { try read(ec.token(claims(), isNamed: false), keys) }
    #expect(try read(ec.token(claims()), keys).subject == "user-7")
  }

  @Test func ofKeysOfOneNameAFewAreTried() throws {
    let ec = try (0..<5).map { _ in try StubKey.ec("same") }
    let keys = try ProviderKeys(document: StubProvider.json(["keys": ec.map(\.field)]))
    #expect(try read(ec[3].token(claims()), keys).subject == "user-7")
    #expect(throws: IDTokenError.badSignature) { try read(ec[4].token(claims()), keys) }
  }

  @Test func ofManyKeysTheFirstAreUsed() throws {
    let ec = try (1...17).map { try StubKey.ec("ec-\($0)") }
    // What is no key of ours takes no place.
    let other: [String: String] = ["kty": "oct", "kid": "other"]
    let fields = [other] + ec.map(\.field)
    let keys = try ProviderKeys(document: StubProvider.json(["keys": fields]))
    #expect(try read(ec[15].token(claims()), keys).subject == "user-7")
    #expect(throws: IDTokenError.unknownKey) { try read(ec[16].token(claims()), keys) }
  }

  /// To compare such a text takes time by the square of the marks, and every sign-in compares the names of keys.
  @Test func aLetterWithMarksWithoutEndIsRefused() throws {
    let marks = String(repeating: "\u{323}\u{301}", count: 16)
    let unreadable = OpenIDError.unusable("its keys cannot be read")
    for changes in [["kid": "e" + marks], ["e" + marks: "x"]] {
      let field = Self.rsa.field.merging(changes) { $1 }
      #expect(throws: unreadable) { try ProviderKeys(document: StubProvider.json(["keys": [Self.rsa.field, field]])) }
    }
    let escaped = "{\"keys\": [], \"e\(String(repeating: "\\u0301", count: 31))\": 1}"
    #expect(throws: unreadable) { try ProviderKeys(document: Data(escaped.utf8)) }
    var document = StubProvider(keys: [], clock: ManualClock(now: Self.now)).state.withLock { $0.document }
    document["issuer"] = StubProvider.issuer + marks
    #expect(throws: OpenIDError.unusable("its discovery document cannot be read")) {
      try ProviderMetadata(document: StubProvider.json(document), issuer: StubProvider.issuer)
    }
    let keys = try keys(Self.rsa)
    #expect(throws: IDTokenError.malformed("its header cannot be read")) {
      try read(Self.rsa.token(claims(), header: ["kid": "e" + marks]), keys)
    }
  }

  /// What people call themselves is no reason to refuse them.
  @Test func marksThatAreTooManyAreLeftOutOfANameAndAnAddress() throws {
    let text = "e" + String(repeating: "\u{323}\u{301}", count: 16)
    let token = try read(Self.rsa.token(claims(["name": text, "email": text])), try keys(Self.rsa))
    #expect(token.name?.unicodeScalars.count == 31)
    #expect(token.email?.unicodeScalars.count == 31)
  }

  @Test func aKeySetWithoutEndIsNotRead() throws {
    for (count, isRead) in [(9000, true), (10_000, false)] {
      let fields = [Self.rsa.field] + Array(repeating: [String: String](), count: count)
      let document = StubProvider.json(["keys": fields])
      if isRead {
        #expect(try read(Self.rsa.token(claims()), ProviderKeys(document: document)).subject == "user-7")
      } else {
        #expect(throws: OpenIDError.unusable("its keys cannot be read")) { try ProviderKeys(document: document) }
      }
    }
  }

  @Test func theLargestKeyForRSA() throws {
    let largest = [UInt8](repeating: 0xFF, count: 512)
    #expect(RSAKey(modulus: largest, exponent: [0xFF, 0xFF, 0xFF, 0xFF]) != nil)
    #expect(RSAKey(modulus: [0] + largest, exponent: [0, 1, 0, 1]) != nil)
    #expect(RSAKey(modulus: [1] + largest, exponent: [1, 0, 1]) == nil)
    #expect(RSAKey(modulus: largest, exponent: [1, 0, 0, 0, 1]) == nil)
  }

  @Test func keysThatAreNoneOfOurs() throws {
    let weak = StubKey.rsa("weak", bits: 1024)
    for (changes, name) in [
      (["use": "enc"], "for encryption"), (["kty": "oct"], "another kind"), (["alg": "RS512"], "another algorithm"),
      (["n": "AQAB"], "small"),
      (["n": weak.field["n"] ?? ""], "1,024 bits"), (["e": ""], "no exponent"), (["n": "@"], "no base64url"),
      (["n": Base64URL.encode([UInt8](repeating: 0xFF, count: 513))], "too large"),
      (["e": Base64URL.encode([1, 0, 0, 0, 1] as [UInt8])], "too large an exponent"),
    ] {
      let field = Self.rsa.field.merging(changes) { $1 }
      #expect(throws: OpenIDError.unusable("it has no key for RS256 or ES256"), "\(name)") {
        try ProviderKeys(document: StubProvider.json(["keys": [field]]))
      }
    }
    #expect(throws: OpenIDError.unusable("its keys cannot be read")) { try ProviderKeys(document: Data("[]".utf8)) }
    // Beside one that is not understood, the others count.
    let mixed = try ProviderKeys(document: StubProvider.json(["keys": [["kty": 7], Self.rsa.field] as [Any]]))
    #expect(try read(Self.rsa.token(claims()), mixed).subject == "user-7")
  }

  /// As glewlwyd publishes about one key in 128.
  @Test func aCoordinateWithoutItsLeadingZeros() throws {
    var key = try StubKey.ec("ec-1")
    while Base64URL.decode(key.field["x"] ?? "")?.first != 0 { key = try StubKey.ec("ec-1") }
    var field = key.field
    field["x"] = Base64URL.encode((Base64URL.decode(field["x"] ?? "") ?? []).dropFirst())
    let keys = try ProviderKeys(document: StubProvider.json(["keys": [field]]))
    #expect(try read(key.token(claims()), keys).subject == "user-7")
  }

  @Test func aDiscoveryDocument() throws {
    let issuer = StubProvider.issuer
    let good = StubProvider(keys: [], clock: ManualClock(now: Self.now)).state.withLock { $0.document }
    #expect(try ProviderMetadata(document: StubProvider.json(good), issuer: issuer).tokenEndpoint == "\(issuer)/token")
    let changes: [(String, any Sendable, String)] = [
      ("issuer", "https://elsewhere.example.org", "its discovery document is about https://elsewhere.example.org"),
      ("token_endpoint", "http://accounts.example.org/token", "its token_endpoint is no https address"),
      ("authorization_endpoint", "javascript:alert(1)", "its authorization_endpoint is no https address"),
      ("jwks_uri", "http://127.0.0.1/keys", "its jwks_uri is no https address"),
      ("jwks_uri", "https://user@accounts.example.org/keys", "its jwks_uri is no https address"),
      ("code_challenge_methods_supported", ["plain"], "it does not know the code challenge S256"),
      ("jwks_uri", 7, "its discovery document cannot be read"),
    ]
    for (name, value, reason) in changes {
      var document = good
      document[name] = value
      #expect(throws: OpenIDError.unusable(reason)) { try ProviderMetadata(document: StubProvider.json(document), issuer: issuer) }
    }
    #expect(ProviderMetadata.documentURL(of: "https://a.example.org/x/") == "https://a.example.org/x/.well-known/openid-configuration")
    for (url, isSafe) in [
      ("https://a.example.org", true), ("http://a.example.org", false), ("http://127.0.0.1:80/o", true), ("http://[::1]:80/o", true),
      ("https://", false), ("https://a.example.org/#x", false), ("file:///etc/passwd", false),
    ] { #expect(ProviderMetadata.isSafe(url) == isSafe, "\(url)") }
  }
}
