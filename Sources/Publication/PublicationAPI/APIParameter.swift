/// A query parameter of a publication's HTTP API: for the server's routes, for clients, and for the operator's commands.
public enum APIParameter: String, Sendable {
  /// Where a page of a list begins: what the page before gave as the next.
  case cursor
  /// How many a page may have, 1 to 100.
  case limit
  /// Only posts of this fan club.
  case fanClub = "fanclub"
  /// `true` for what the reader bookmarked alone.
  case bookmarked
  /// `true` for posts of clubs that the reader follows alone.
  case followed
  /// `true` for what the reader has not read alone.
  case unread
  /// The text of a search, as it was typed.
  case text = "q"
  /// What the document of an import is called.
  case name
  /// Which identity provider.
  case issuer
  /// Identifiers of products, with commas between.
  case ids
  /// ISO 4217.
  case currency
  /// The version of the client.
  case client
  /// Features that the client has, with commas between.
  case features
  /// Only orders in this state.
  case state
  /// For how many days back.
  case days

  /// A query as it stands in a request line, behind the path: with its question mark, and percent-encoded (RFC 3986). Parameters without a
  /// value are left out; empty when none has one.
  public static func query(_ parameters: [(APIParameter, String?)]) -> String {
    let pairs = parameters.compactMap { name, value in value.map { "\(name.rawValue)=\(APIPath.encoded($0))" } }
    return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
  }
}
