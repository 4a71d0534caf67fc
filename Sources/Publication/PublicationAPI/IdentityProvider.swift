/// An OpenID provider at which readers may sign in, and what it knows of the app.
public struct IdentityProvider: Codable, Equatable, Sendable, Identifiable {
  /// How long a provider's document may be, in bytes. A discovery document and a set of keys are a few kilobytes.
  public static let documentLimit = 1 << 20

  /// The issuer is unique among a publication's providers.
  public var id: String { issuer }
  /// Its identifier, an `https` URL (OpenID Connect Discovery 1.0).
  public var issuer: String
  /// What readers know it as.
  public var name: String
  /// The app's identifier there.
  public var clientID: String
  /// The secret that some providers give installed apps too; no secret (RFC 8252, section 8.5).
  public var clientSecret: String?
  /// The ports of the redirect addresses `http://127.0.0.1:PORT/callback` that are registered there; empty where any port will do.
  public var ports: [Int]

  public init(issuer: String, name: String, clientID: String, clientSecret: String? = nil, ports: [Int] = []) {
    self.issuer = issuer
    self.name = name
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.ports = ports
  }
}

/// `POST /v1/session/openid`: signs in by an ID token; the answer is ``SignedIn``. `PUT /v1/session/identities`: adds the account at the
/// provider to those that sign the reader in.
public struct IDTokenCredentials: Codable, Equatable, Sendable {
  /// The provider, one of ``PublicationInfo/identityProviders``.
  public var issuer: String
  /// The ID token, at most ten minutes old.
  public var idToken: String
  /// A secret of the app's: the nonce of the token is base64url of its SHA-256. A token that got lost is of no use without it.
  public var nonceSecret: String
  /// The reader's name of the device: ``Credentials/device``.
  public var device: String?
  /// A refresh token of the session that adds the account; not needed to sign in. The account will sign in for good, which an access token that
  /// leaked must not reach: that one is valid for an hour.
  public var refreshToken: String?

  public init(issuer: String, idToken: String, nonceSecret: String, device: String? = nil, refreshToken: String? = nil) {
    self.issuer = issuer
    self.idToken = idToken
    self.nonceSecret = nonceSecret
    self.device = device
    self.refreshToken = refreshToken
  }
}

/// `GET /v1/session/identities`: an account at a provider that signs the reader in.
public struct ReaderIdentity: Codable, Equatable, Sendable {
  /// The issuer of the provider at which the account is.
  public var issuer: String
  /// Whether the reader came by it: it stays, since they may have no password.
  public var isFirst: Bool
  /// Which account there it is, in the provider's words when it was added: an address or a name; `nil` when it told neither.
  public var account: String?

  public init(issuer: String, isFirst: Bool, account: String? = nil) {
    self.issuer = issuer
    self.isFirst = isFirst
    self.account = account
  }
}
