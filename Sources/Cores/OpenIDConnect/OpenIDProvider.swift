import Foundation

/// An OpenID provider, and what it knows of this client.
public struct OpenIDProvider: Codable, Hashable, Sendable {
  /// The provider's identifier: an `https` URL, below which its discovery document lies. `http` is for loopback alone.
  public var issuer: String
  /// This client's identifier there.
  public var clientID: String
  /// The secret that some providers give installed apps too, and want back. It keeps nothing secret (RFC 8252, section 8.5).
  public var clientSecret: String?
  /// The ports of the redirect addresses `http://127.0.0.1:PORT/callback` that are registered there. Empty for a provider that takes any
  /// port, as RFC 8252 asks for (section 7.3).
  public var ports: [Int]
  /// What is requested besides `openid`, such as `email`.
  public var scopes: [String]

  /// Whether a text may be an issuer: an `https` address without a query, or an `http` one on loopback.
  public static func isIssuer(_ text: String) -> Bool { ProviderMetadata.isSafe(text) && !text.contains("?") }

  /// Nothing checks `issuer`: ``isIssuer(_:)`` does. By default the client has no secret, may use any port, and requests address and name.
  public init(
    issuer: String, clientID: String, clientSecret: String? = nil, ports: [Int] = [], scopes: [String] = ["email", "profile"]
  ) {
    self.issuer = issuer
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.ports = ports
    self.scopes = scopes
  }
}

/// What a provider publishes about itself (OpenID Connect Discovery 1.0, section 3; RFC 8414).
public struct ProviderMetadata: Equatable, Sendable {
  /// The provider's identifier, the one that was asked for.
  public var issuer: String
  /// The page on which a person signs in.
  public var authorizationEndpoint: String
  /// Where a code is exchanged for tokens.
  public var tokenEndpoint: String
  /// Where the keys are that ID tokens are signed with.
  public var keysURI: String
  /// Whether each answer of the page names the provider (RFC 9207).
  public var namesIssuerInAnswers: Bool

  /// Reads a discovery document.
  /// - Parameters:
  ///   - document: the JSON.
  ///   - issuer: whom it was requested from: a document that names another issuer is of no use (section 4.3).
  /// - Throws: ``OpenIDError/unusable(_:)``.
  public init(document: Data, issuer: String) throws(OpenIDError) {
    guard let fields = StrictJSON.decode(Document.self, from: document) else {
      throw .unusable("its discovery document cannot be read")
    }
    guard fields.issuer == issuer else { throw .unusable("its discovery document is about \(fields.issuer.prefix(200))") }
    self.issuer = issuer
    authorizationEndpoint = fields.authorization_endpoint
    tokenEndpoint = fields.token_endpoint
    keysURI = fields.jwks_uri
    namesIssuerInAnswers = fields.authorization_response_iss_parameter_supported ?? false
    for (name, url) in [
      ("authorization_endpoint", authorizationEndpoint), ("token_endpoint", tokenEndpoint), ("jwks_uri", keysURI),
    ] where !Self.isSafe(url, for: issuer) {
      throw .unusable("its \(name) is no https address")
    }
    // A document without the list may take challenges nevertheless (RFC 8414); one with another list does not.
    if let methods = fields.code_challenge_methods_supported, !methods.contains("S256") {
      throw .unusable("it does not know the code challenge S256")
    }
  }

  // The names of the specification.
  private struct Document: Decodable {
    var issuer: String
    var authorization_endpoint: String
    var token_endpoint: String
    var jwks_uri: String
    var code_challenge_methods_supported: [String]?
    var authorization_response_iss_parameter_supported: Bool?
  }

  /// Where an issuer's document lies (section 4.1).
  static func documentURL(of issuer: String) -> String {
    (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
  }

  /// Whether an address is encrypted, or on loopback.
  static func isSafe(_ url: String, for issuer: String? = nil) -> Bool {
    guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty, parts.user == nil, parts.password == nil,
      parts.fragment == nil
    else { return false }
    if parts.scheme == "https" { return true }
    let isLoopback = ["127.0.0.1", "[::1]", "::1", "localhost"].contains(host)
    // An address of the user's own machine is nothing that a provider elsewhere may send them to.
    return parts.scheme == "http" && isLoopback && issuer.map { isSafe($0) && !$0.hasPrefix("https:") } ?? true
  }
}
