import Foundation
import HTTPTransport
import OpenIDConnect
import Runtime
import SignedReceipts
import Synchronization

/// A provider in this process, without a network: its documents, its keys, its token endpoint, and what its page answers. One person has an
/// account there. Safe from any thread.
///
///     let provider = StubProvider(keys: [try .ec("ec-1")], clock: clock)
///     let directory = ProviderDirectory(StubProvider.registration, transport: provider, clock: clock)
///     let signIn = BrowserSignIn(directory, app: "Reader", for: "https://read.example.org", clock: clock)
///     let granted = try await signIn.signIn { page in visit(provider.redirect(from: page, allows: true)) }
public final class StubProvider: Transport {
  /// What it answers with.
  public struct State {
    /// The fields of its discovery document.
    public var document: [String: any Sendable]
    /// Its keys; the first one signs.
    public var keys: [StubKey]
    /// What its tokens say of the person.
    public var claims: [String: any Sendable]
    /// What the token endpoint answers in the place of a token.
    public var tokenAnswer: Response?
    /// Why there is no answer.
    public var failure: TransportError?
    /// Every request that arrived, in order.
    public var requests: [Request] = []
    /// The requests that were allowed and whose code was not exchanged, by code.
    fileprivate var allowed: [String: [String: String]] = [:]
  }

  /// The provider's identifier, an address at which nothing lies.
  public static let issuer = "https://accounts.example.org"
  /// What an app knows of it.
  public static let registration = OpenIDProvider(issuer: issuer, clientID: "reader-app")
  /// What it answers with.
  public let state: Mutex<State>
  private let clock: any AppClock

  /// - Parameters:
  ///   - keys: the first of them signs.
  ///   - clock: when tokens are issued.
  public init(keys: [StubKey], clock: any AppClock) {
    self.clock = clock
    state = Mutex(
      State(
        document: [
          "issuer": Self.issuer, "authorization_endpoint": "\(Self.issuer)/authorize", "token_endpoint": "\(Self.issuer)/token",
          "jwks_uri": "\(Self.issuer)/keys", "code_challenge_methods_supported": ["plain", "S256"],
        ], keys: keys, claims: Self.claims(at: clock.now)))
  }

  /// The claims of a user who signs in now.
  public static func claims(at now: Date) -> [String: any Sendable] {
    [
      "iss": issuer, "sub": "user-7", "aud": registration.clientID, "iat": Int(now.timeIntervalSince1970),
      "exp": Int(now.timeIntervalSince1970) + 300, "email": "ada@example.org", "email_verified": true, "name": "Ada L.",
    ]
  }

  /// Where the browser is sent once the person has answered the page: the app's own address, with a code or an error.
  /// - Parameters:
  ///   - page: the address that the app opened.
  ///   - allows: whether the person signs in there; otherwise they refuse.
  /// - Returns: `nil` for an address that is no page of this provider's.
  public func redirect(from page: String, allows: Bool) -> String? {
    let fields = Self.fields(page.split(separator: "?", maxSplits: 1).last.map(String.init) ?? "")
    guard page.hasPrefix("\(Self.issuer)/authorize?"), let address = fields["redirect_uri"], let appState = fields["state"] else {
      return nil
    }
    guard allows else { return "\(address)?error=access_denied&state=\(appState)" }
    return state.withLock { state in
      let code = "code-\(state.allowed.count + state.requests.count + 1)"
      state.allowed[code] = fields
      return "\(address)?code=\(code)&state=\(appState)"
    }
  }

  /// Answers as the provider. A code that no page gave is taken too, for tests that answer in the browser's place.
  /// - Throws: the `TransportError` that the test has set in the provider's state; otherwise nothing.
  public func send(_ request: Request) async throws -> Response {
    try state.withLock { state in
      state.requests.append(request)
      if let failure = state.failure { throw failure }
      switch request.path.dropFirst(Self.issuer.count) {
      case "/.well-known/openid-configuration": return Response(200, body: Self.json(state.document))
      case "/keys": return Response(200, body: Self.json(["keys": state.keys.map(\.field)]))
      case "/token": return state.tokenAnswer ?? token(for: request, &state)
      default: return Response(404)
      }
    }
  }

  private func token(for request: Request, _ state: inout State) -> Response {
    let fields = Self.fields(String(decoding: request.body, as: UTF8.self))
    var claims = state.claims
    if let allowed = state.allowed.removeValue(forKey: fields["code"] ?? "") {
      let challenge = (try? OpenSSL.sha256(Array((fields["code_verifier"] ?? "").utf8))).map(Base64URL.encode)
      guard challenge == allowed["code_challenge"], fields["redirect_uri"] == allowed["redirect_uri"],
        fields["client_id"] == allowed["client_id"]
      else { return Response(400, body: Self.json(["error": "invalid_grant"])) }
      claims.merge(Self.claims(at: clock.now).filter { ["iat", "exp"].contains($0.key) }) { $1 }
      claims["aud"] = allowed["client_id"]
      claims["nonce"] = allowed["nonce"]
    }
    return Response(200, body: Self.json(["id_token": state.keys[0].token(claims)]))
  }

  /// How many requests for a path came.
  public func count(_ path: String) -> Int { state.withLock { $0.requests.count { $0.path.hasSuffix(path) } } }

  /// What a form says.
  private static func fields(_ form: String) -> [String: String] {
    Dictionary(Request(.get, "/?\(form)").query.map { ($0.name, $0.value) }) { first, _ in first }
  }

  package static func json(_ value: Any) -> Data {
    (try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys])) ?? Data()
  }
}

/// A key of a provider that does not exist: signs ID tokens as RS256 and ES256 have it.
public struct StubKey: Sendable {
  /// Its name in the key set.
  public let name: String
  /// How it signs: `RS256` or `ES256`.
  public let algorithm: String
  /// As the provider's key set has it.
  public let field: [String: String]
  private let sign: @Sendable (Data) -> Data

  /// A key whose `sign` makes the signature of the given bytes, as `algorithm` has it.
  public init(name: String, algorithm: String, field: [String: String], sign: @escaping @Sendable (Data) -> Data) {
    self.name = name
    self.algorithm = algorithm
    self.field = field
    self.sign = sign
  }

  /// A new key for ES256.
  /// - Throws: what the library throws.
  public static func ec(_ name: String) throws -> StubKey {
    let key = try SigningKey.generate(.es256, kid: name)
    let jwk = key.verificationKey.jwk
    return StubKey(name: name, algorithm: "ES256", field: ["kty": "EC", "crv": "P-256", "kid": name, "x": jwk.x, "y": jwk.y ?? ""]) {
      (try? key.signature(for: $0)) ?? Data()
    }
  }

  /// A token with these claims.
  /// - Parameters:
  ///   - claims: what it says, as JSON has it.
  ///   - extra: what stands in its header besides.
  ///   - isNamed: whether its header names the key.
  public func token(_ claims: [String: any Sendable], header extra: [String: any Sendable] = [:], isNamed: Bool = true) -> String {
    var header: [String: any Sendable] = ["alg": algorithm, "kid": name, "typ": "JWT"]
    header.merge(extra) { $1 }
    if !isNamed { header["kid"] = nil }
    let input = [header, claims].map { Base64URL.encode(StubProvider.json($0)) }.joined(separator: ".")
    return "\(input).\(Base64URL.encode(sign(Data(input.utf8))))"
  }
}
