import Foundation
import HTTPTransport
import SignedReceipts
import Synchronization

/// A key of a provider that does not exist: signs ID tokens as RS256 and ES256 have it.
public struct TestKey: Sendable {
  /// Its name in the key set.
  public let name: String
  /// `RS256` or `ES256`.
  public let algorithm: String
  /// As the provider's key set has it.
  public let field: [String: String]
  private let sign: @Sendable (Data) -> Data

  /// Memberwise initializer.
  public init(name: String, algorithm: String, field: [String: String], sign: @escaping @Sendable (Data) -> Data) {
    self.name = name
    self.algorithm = algorithm
    self.field = field
    self.sign = sign
  }

  /// A token with these claims; `header` has what stands in its header besides.
  public func token(_ claims: [String: any Sendable], header extra: [String: any Sendable] = [:], isNamed: Bool = true) -> String {
    var header: [String: any Sendable] = ["alg": algorithm, "kid": name, "typ": "JWT"]
    header.merge(extra) { $1 }
    if !isNamed { header["kid"] = nil }
    let input = [header, claims].map { Base64URL.encode(TestProvider.json($0)) }.joined(separator: ".")
    return "\(input).\(Base64URL.encode(sign(Data(input.utf8))))"
  }

  /// A new key for ES256.
  public static func ec(_ name: String) throws -> TestKey {
    let key = try SigningKey.generate(.es256, kid: name)
    let jwk = key.verificationKey.jwk
    return TestKey(name: name, algorithm: "ES256", field: ["kty": "EC", "crv": "P-256", "kid": name, "x": jwk.x, "y": jwk.y ?? ""]) {
      (try? key.signature(for: $0)) ?? Data()
    }
  }
}

/// A provider in this process: its documents, its keys and its token endpoint. Safe from any thread.
public final class TestProvider: Transport {
  /// What it answers with.
  public struct State {
    /// The discovery document.
    public var document: [String: any Sendable]
    /// Its keys; the first one signs.
    public var keys: [TestKey]
    /// What its tokens say.
    public var claims: [String: any Sendable]
    /// What the token endpoint answers in the place of a token.
    public var tokenAnswer: Response?
    /// Why there is no answer.
    public var failure: TransportError?
    /// What came.
    public var requests: [Request] = []
  }

  /// Its identifier.
  public static let issuer = "https://accounts.example.org"
  /// What it answers with.
  public let state: Mutex<State>

  /// One that signs by the first of these keys.
  public init(keys: [TestKey], now: Date) {
    state = Mutex(
      State(
        document: [
          "issuer": Self.issuer, "authorization_endpoint": "\(Self.issuer)/authorize", "token_endpoint": "\(Self.issuer)/token",
          "jwks_uri": "\(Self.issuer)/keys", "code_challenge_methods_supported": ["plain", "S256"],
        ], keys: keys, claims: Self.claims(at: now)))
  }

  /// The claims of a reader who signs in now.
  public static func claims(at now: Date) -> [String: any Sendable] {
    [
      "iss": issuer, "sub": "user-7", "aud": "reader-app", "iat": Int(now.timeIntervalSince1970),
      "exp": Int(now.timeIntervalSince1970) + 300,
      "email": "ada@example.org", "email_verified": true, "name": "Ada L.",
    ]
  }

  /// A value as JSON.
  public static func json(_ value: Any) -> Data { (try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys])) ?? Data() }

  /// Answers as the provider.
  public func send(_ request: Request) async throws -> Response {
    try state.withLock { state in
      state.requests.append(request)
      if let failure = state.failure { throw failure }
      switch request.path.dropFirst(Self.issuer.count) {
      case "/.well-known/openid-configuration": return Response(200, body: Self.json(state.document))
      case "/keys": return Response(200, body: Self.json(["keys": state.keys.map(\.field)]))
      case "/token": return state.tokenAnswer ?? Response(200, body: Self.json(["id_token": state.keys[0].token(state.claims)]))
      default: return Response(404)
      }
    }
  }

  /// How many requests for a path came.
  public func count(_ path: String) -> Int { state.withLock { $0.requests.count { $0.path.hasSuffix(path) } } }
}
