import Foundation

/// The details of a publication: `GET /v1/publication`, without signing in.
public struct PublicationInfo: Codable, Equatable, Sendable {
  /// An account that anyone may try; only a publication that runs inside the app offers one.
  public struct SampleAccount: Codable, Equatable, Sendable {
    /// The address to sign in with.
    public var email: String
    /// Its password, which is no secret.
    public var password: String

    public init(email: String, password: String) {
      self.email = email
      self.password = password
    }
  }

  /// Stable and unique among publications; receipts name it as their issuer.
  public var id: String
  /// The name on the masthead.
  public var name: String
  /// One line below it.
  public var tagline: String
  /// The paywall behind "Unlock" on a premium post.
  public var defaultPaywallID: String
  /// The account that anyone may try; `nil` for a publication without one.
  public var sampleAccount: SampleAccount?
  /// Whether it has a checkout page for the system browser: see ``Checkout``.
  public var hostedCheckout: Bool
  /// How a reader ends a subscription, a sentence or two; `nil` when the publication does not say.
  public var cancelling: String?
  /// Whether readers may add feeds: see ``Import``.
  public var canAddFeeds: Bool
  /// Whether readers may sign in, and set another password, by a code that is mailed: see ``CodeRequest``.
  public var mailsCodes: Bool
  /// Where readers may sign in, besides here: see ``IDTokenCredentials``.
  public var identityProviders: [IdentityProvider]
  /// The oldest version of the app that it serves, such as 1.2.0; `nil` for any.
  public var minimumVersion: String?

  public init(
    id: String, name: String, tagline: String, defaultPaywallID: String, sampleAccount: SampleAccount? = nil, hostedCheckout: Bool = false,
    cancelling: String? = nil, canAddFeeds: Bool = false, mailsCodes: Bool = false, identityProviders: [IdentityProvider] = [],
    minimumVersion: String? = nil
  ) {
    self.id = id
    self.name = name
    self.tagline = tagline
    self.defaultPaywallID = defaultPaywallID
    self.sampleAccount = sampleAccount
    self.hostedCheckout = hostedCheckout
    self.cancelling = cancelling
    self.canAddFeeds = canAddFeeds
    self.mailsCodes = mailsCodes
    self.identityProviders = identityProviders
    self.minimumVersion = minimumVersion
  }

  /// Reads what any version wrote.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decode(String.self, forKey: .id)
    name = try values.decode(String.self, forKey: .name)
    tagline = try values.decode(String.self, forKey: .tagline)
    defaultPaywallID = try values.decode(String.self, forKey: .defaultPaywallID)
    sampleAccount = try values.decodeIfPresent(SampleAccount.self, forKey: .sampleAccount)
    hostedCheckout = try values.decodeIfPresent(Bool.self, forKey: .hostedCheckout) ?? false
    cancelling = try values.decodeIfPresent(String.self, forKey: .cancelling)
    canAddFeeds = try values.decodeIfPresent(Bool.self, forKey: .canAddFeeds) ?? false
    mailsCodes = try values.decodeIfPresent(Bool.self, forKey: .mailsCodes) ?? false
    identityProviders = try values.decodeIfPresent([IdentityProvider].self, forKey: .identityProviders) ?? []
    minimumVersion = try values.decodeIfPresent(String.self, forKey: .minimumVersion)
  }
}
