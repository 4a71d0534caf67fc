/// A path of a publication's HTTP API: for the server's routes, for clients, and for the operator's commands.
///
/// The pattern of a route is such a path with `*` where it takes any one segment, as in `APIPath.post("*")`.
public struct APIPath: Equatable, Sendable, ExpressibleByArrayLiteral {
  /// Its parts, not encoded.
  public let segments: [String]

  /// A path of these segments, not encoded.
  public init(arrayLiteral segments: String...) { self.segments = segments }

  /// As it stands in a request line: absolute, and percent-encoded (RFC 3986).
  public var target: String { segments.map { "/" + Self.encoded($0) }.joined() }

  /// Encodes everything but the unreserved characters as `%XX`, so that an identifier never becomes syntax.
  public static func encoded(_ text: String) -> String {
    // These are resolved away on the way to the server.
    if [".", ".."].contains(text) { return text.replacing(".", with: "%2E") }
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        encoded += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return encoded
  }
}

extension APIPath {
  // MARK: The publication

  /// The publication's details.
  public static var publication: APIPath { ["v1", "publication"] }
  /// The keys that receipts are signed with.
  public static var keys: APIPath { ["v1", "keys"] }
  /// One of the publication’s pictures.
  public static func picture(_ name: String) -> APIPath { ["v1", "pictures", name] }
  /// The session of the token that a request carries.
  public static var session: APIPath { ["v1", "session"] }
  /// New tokens of a session.
  public static var sessionRefresh: APIPath { ["v1", "session", "refresh"] }
  /// A code that is mailed.
  public static var sessionCode: APIPath { ["v1", "session", "code"] }
  /// A session by a code that was mailed.
  public static var mailedSession: APIPath { ["v1", "session", "mailed"] }
  /// A session by an ID token.
  public static var openIDSession: APIPath { ["v1", "session", "openid"] }
  /// The accounts at identity providers that sign the reader in.
  public static var identities: APIPath { ["v1", "session", "identities"] }
  /// All sessions of the reader. `DELETE` ends all but the one that sends it.
  public static var sessions: APIPath { ["v1", "sessions"] }
  /// One session of the reader.
  public static func session(_ id: ReaderSession.ID) -> APIPath { ["v1", "sessions", id] }
  /// The reader’s password.
  public static var password: APIPath { ["v1", "password"] }

  // MARK: Posts

  /// Posts, newest first.
  public static var posts: APIPath { ["v1", "posts"] }
  /// One post, with its body.
  public static func post(_ id: Post.ID) -> APIPath { ["v1", "posts", id] }
  /// The reader’s reaction to a post.
  public static func reaction(to post: Post.ID) -> APIPath { ["v1", "posts", post, "reaction"] }
  /// The reader’s bookmark of a post.
  public static func bookmark(of post: Post.ID) -> APIPath { ["v1", "posts", post, "bookmark"] }
  /// That the reader has read a post.
  public static func readMark(of post: Post.ID) -> APIPath { ["v1", "posts", post, "read"] }
  /// That the reader has read many posts.
  public static var readMarks: APIPath { ["v1", "posts", "read"] }
  /// What ``readMarks`` set under one identifier.
  public static func readMarks(of id: String) -> APIPath { ["v1", "posts", "read", id] }
  /// Opening a post with a pass.
  public static func unlock(_ post: Post.ID) -> APIPath { ["v1", "posts", post, "unlock"] }
  /// The comments on a post.
  public static func comments(of post: Post.ID) -> APIPath { ["v1", "posts", post, "comments"] }
  /// One comment on a post.
  public static func comment(_ id: Comment.ID, on post: Post.ID) -> APIPath { ["v1", "posts", post, "comments", id] }
  /// Posts and fan clubs that have some words.
  public static var search: APIPath { ["v1", "search"] }

  // MARK: Fan clubs

  /// Fan clubs, by name.
  public static var fanClubs: APIPath { ["v1", "fanclubs"] }
  /// One fan club.
  public static func fanClub(_ id: FanClub.ID) -> APIPath { ["v1", "fanclubs", id] }
  /// That the reader follows a fan club.
  public static func follow(_ club: FanClub.ID) -> APIPath { ["v1", "fanclubs", club, "follow"] }
  /// Fetching the feed of a fan club now.
  public static func refresh(_ club: FanClub.ID) -> APIPath { ["v1", "fanclubs", club, "refresh"] }
  /// An import of a feed, under the client’s identifier.
  public static func feedImport(_ id: Import.ID) -> APIPath { ["v1", "imports", id] }

  // MARK: Buying

  /// What a paywall offers.
  public static func paywall(_ id: PaywallRecord.ID) -> APIPath { ["v1", "paywalls", id] }
  /// Products with their prices.
  public static var products: APIPath { ["v1", "products"] }
  /// The reader’s orders, newest first.
  public static var orders: APIPath { ["v1", "orders"] }
  /// One order, under the client’s identifier.
  public static func order(_ id: Order.ID) -> APIPath { ["v1", "orders", id] }
  /// Where an order is charged.
  public static func charge(_ order: Order.ID) -> APIPath { ["v1", "orders", order, "charge"] }
  /// The hosted checkout of an order.
  public static func checkout(of order: Order.ID) -> APIPath { ["v1", "orders", order, "checkout"] }
  /// The receipts that are in force.
  public static var entitlements: APIPath { ["v1", "entitlements"] }
  /// What the publication thinks of a receipt.
  public static var receiptCheck: APIPath { ["v1", "receipts", "verify"] }
  /// What the reader has left of consumables.
  public static var balances: APIPath { ["v1", "balances"] }
  /// A post's page, for browsers: what a reader shares.
  public static func postPage(_ id: Post.ID) -> APIPath { ["posts", id] }
  /// A checkout page, for browsers.
  public static func checkoutPage(_ key: String) -> APIPath { ["checkout", key] }
  /// Agreeing on a checkout page.
  public static func checkoutApproval(_ key: String) -> APIPath { ["checkout", key, "approve"] }
  /// Declining on a checkout page.
  public static func checkoutRefusal(_ key: String) -> APIPath { ["checkout", key, "decline"] }

  // MARK: Flags

  /// The flags that are for a client.
  public static var flags: APIPath { ["v1", "flags"] }
  /// What is counted for flags.
  public static var events: APIPath { ["v1", "events"] }
  /// What readers who agreed have counted.
  public static var analytics: APIPath { ["v1", "analytics"] }

  // MARK: For the operator

  /// The orders of all readers.
  public static var operatorOrders: APIPath { ["v1", "operator", "orders"] }
  /// Approving a deferred order, by its identifier or its number.
  public static func operatorApproval(of order: String) -> APIPath { ["v1", "operator", "orders", order, "approve"] }
  /// Declining a deferred order, by its identifier or its number.
  public static func operatorRefusal(of order: String) -> APIPath { ["v1", "operator", "orders", order, "decline"] }
  /// Giving a payment back.
  public static func operatorRefund(of order: String) -> APIPath { ["v1", "operator", "orders", order, "refund"] }
  /// All flags.
  public static var operatorFlags: APIPath { ["v1", "operator", "flags"] }
  /// One flag: its rule, and what was counted for it.
  public static func operatorFlag(_ name: String) -> APIPath { ["v1", "operator", "flags", name] }
  /// What was counted of readers who agreed, by day.
  public static var operatorAnalytics: APIPath { ["v1", "operator", "analytics"] }
  /// All readers.
  public static var operatorReaders: APIPath { ["v1", "operator", "readers"] }
  /// One reader, by the address to sign in with.
  public static func operatorReader(_ email: String) -> APIPath { ["v1", "operator", "readers", email] }
  /// A reader’s password.
  public static func operatorPassword(of email: String) -> APIPath { ["v1", "operator", "readers", email, "password"] }
  /// A reader’s sessions.
  public static func operatorSessions(of email: String) -> APIPath { ["v1", "operator", "readers", email, "sessions"] }
  /// The oldest version of the app that is served.
  public static var operatorMinimumVersion: APIPath { ["v1", "operator", "minimum-version"] }
  /// That the publication is being maintained.
  public static var operatorMaintenance: APIPath { ["v1", "operator", "maintenance"] }
  /// The key that receipts are signed with from now on.
  public static var operatorKeys: APIPath { ["v1", "operator", "keys"] }
}
