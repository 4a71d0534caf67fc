import Foundation
import PublicationAPI

/// All that a publication starts with.
public struct PublicationContent: Sendable {
  /// A picture of the publication, at `/v1/pictures/NAME`.
  public struct Picture: Sendable {
    /// The name in the address: letters, digits, `-`, `_` and `.`.
    public var name: String
    /// The media type of the file, such as `image/png`.
    public var type: String
    /// The whole file.
    public var bytes: Data

    public init(name: String, type: String, bytes: Data) {
      self.name = name
      self.type = type
      self.bytes = bytes
    }
  }

  /// A reader with a password.
  public struct Account: Sendable {
    /// The address to sign in with.
    public var email: String
    /// What to call the reader.
    public var name: String
    /// The password to sign in with.
    public var password: String

    public init(email: String, name: String, password: String) {
      self.email = email
      self.name = name
      self.password = password
    }
  }

  /// What the publication says of itself.
  public var info: PublicationInfo
  /// The fan clubs. Followers are earlier ones, from elsewhere; other counts and flags are not read.
  public var fanClubs: [FanClub]
  /// The posts, with their bodies. Reactions are earlier ones, from elsewhere; flags are not read.
  public var posts: [Post]
  /// The pictures.
  public var pictures: [Picture]
  /// The products; one in several currencies is there once for each, with its default currency first.
  public var products: [ProductRecord]
  /// The paywalls, which offer the products.
  public var paywalls: [PaywallRecord]
  /// Who may sign in.
  public var accounts: [Account]

  /// ``Publication/install(_:)`` checks the content, not this.
  public init(
    info: PublicationInfo, fanClubs: [FanClub] = [], posts: [Post] = [], pictures: [Picture] = [], products: [ProductRecord] = [],
    paywalls: [PaywallRecord] = [], accounts: [Account] = []
  ) {
    self.info = info
    self.fanClubs = fanClubs
    self.posts = posts
    self.pictures = pictures
    self.products = products
    self.paywalls = paywalls
    self.accounts = accounts
  }
}

extension Publication {
  /// Fills an empty publication. One that was founded from the same content before gets today's products and is otherwise unchanged; any
  /// other is left as it is. The sample account is left out where it is not offered.
  /// - Returns: whether it was empty.
  /// - Throws: `SQLiteError`, `Problem`; `BillingPeriod.Failure` for a product whose period cannot be sold.
  @discardableResult public func install(_ content: PublicationContent) async throws -> Bool {
    for product in content.products where product.period != nil || product.kind == .subscription {
      _ = try BillingPeriod(product.period ?? "")
    }
    if let founded = try await self.content.info() {
      if founded.id == content.info.id { try await self.content.sell(content.products, content.paywalls) }
      return false
    }
    var readers: [(reader: Reader, password: PasswordHash)] = []
    for account in content.accounts where offersSampleAccount || account.email != content.info.sampleAccount?.email {
      readers.append(
        try await readerResource.new(
          email: account.email, name: account.name, password: account.password, isSample: account.email == content.info.sampleAccount?.email
        ))
    }
    return try await self.content.found(content, readers: readers)
  }

  /// Whether the publication was founded.
  /// - Throws: `SQLiteError`.
  public var isFounded: Bool { get async throws { try await content.info() != nil } }

  /// What it is called; `nil` before it was founded.
  /// - Throws: `SQLiteError`.
  public var name: String? { get async throws { try await content.info()?.name } }
}
