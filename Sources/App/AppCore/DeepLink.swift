import Foundation
import HTTPTransport
import PublicationAPI
import PublicationClient
import ReaderContent
import Runtime

/// A `matinee:` URI, translated to a ``Navigation``.
///
/// Eight forms are known: `matinee://home`, `matinee://posts/ID`, `matinee://posts/ID/comments`, `matinee://fanclubs/ID`,
/// `matinee://search?q=WORDS`, `matinee://paywall/ID`, `matinee://orders/ID` and `matinee://purchases`, each with an optional
/// `publication=ORIGIN` in its query; and the address of a post's page at the publication, `https://ORIGIN/posts/ID`, which is what readers
/// share. A link only navigates: it never buys, signs out or adds a publication.
public struct DeepLink: Equatable, Sendable {
  /// The move that a click on the link requests.
  public let navigation: Navigation
  /// The origin of the publication it belongs to; `nil` for the one that is open.
  public let publication: String?

  /// Why a text is no link. Each has a sentence for the reader in ``sentence``.
  public enum Failure: Error, Equatable, Sendable {
    /// It is not a `matinee:` URI, or not a URI.
    case notALink(String)
    /// It names a place that there is not.
    case unknownPlace(String)
    /// Its identifier is missing or has characters that identifiers never have.
    case badIdentifier(String)

    /// One sentence that says what is wrong.
    public var sentence: String {
      switch self {
      case .notALink(let text): "“\(text)” is not a Matinee link."
      case .unknownPlace(let place): "This link leads to “\(place)”, which Matinee does not know."
      case .badIdentifier(let text): "This link names nothing that could be opened: “\(text)”."
      }
    }
  }

  /// Reads a URI, as the desktop hands it over.
  public init(_ uri: String) throws(Failure) {
    let shown = String(uri.prefix(80))
    let allowed = { (character: Character) in
      character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
    }
    guard let components = URLComponents(string: uri), let host = components.host, components.user == nil else { throw .notALink(shown) }
    var parts = components.path.split(separator: "/", omittingEmptySubsequences: true)
    let place: String
    let isPage = ["http", "https"].contains(components.scheme?.lowercased())
    if isPage, parts.count == 2, APIPath.postPage(String(parts[1])).segments == parts.map(String.init) {
      place = String(parts.removeFirst())
    } else {
      guard components.scheme?.lowercased() == "matinee", components.port == nil else { throw .notALink(shown) }
      place = host
    }
    let id = parts.first.map(String.init) ?? ""
    let isIdentifier = parts.count == 1 && id.count <= 128 && id.allSatisfy(allowed)
    switch (place.lowercased(), isIdentifier) {
    case ("home", _) where parts.isEmpty: navigation = .tab(.home)
    case ("posts", true): navigation = .post(id)
    case ("posts", _) where parts.count == 2 && parts[1] == "comments" && id.count <= 128 && id.allSatisfy(allowed):
      navigation = .comments(id)
    case ("search", _) where parts.isEmpty: navigation = .search(components.queryItems?.first { $0.name == "q" }?.value ?? "")
    case ("fanclubs", true): navigation = .fanClub(id)
    case ("paywall", true): navigation = .paywall(id, then: nil)
    case ("orders", true):
      guard let order = UUID(uuidString: id) else { throw .badIdentifier(shown) }
      navigation = .purchases(order: order)
    case ("purchases", _) where parts.isEmpty: navigation = .purchases(order: nil)
    case ("home", _), ("posts", false), ("fanclubs", false), ("search", _), ("paywall", false), ("orders", false), ("purchases", _):
      throw .badIdentifier(shown)
    default: throw .unknownPlace(String(place.prefix(80)))
    }
    let named = isPage ? uri : components.queryItems?.first { $0.name == "publication" }?.value
    // A browser may have written it in capital letters, or with the port that the scheme implies.
    publication = named.map { Origin(of: $0)?.text ?? $0 }
  }
}

extension Navigation {
  /// Whether there is what a link names, here or at the publication. Also true when that cannot be found out soon: the page then says why,
  /// with what to do.
  @MainActor func leadsSomewhere(content: ContentStore?, client: APIClient, environment: AppEnvironment) async -> Bool {
    guard await !isStored(in: content) else { return true }
    let effects = environment.effects
    var isMissing = false
    let question = Task {
      do { try await effects.run("link.load") { try await fetchTarget(client) } } catch {
        isMissing = (error as? ClientError)?.isNotFound == true
      }
    }
    await effects.wait("link.patience", for: Self.linkPatience, on: environment.clock, until: question)
    // The page asks for itself.
    question.cancel()
    return !isMissing
  }

  /// For how long a link may show no sign: after that its page does.
  static let linkPatience = Duration.milliseconds(500)

  private func isStored(in content: ContentStore?) async -> Bool {
    switch self {
    case .post(let id), .comments(let id): await content?.isStored(post: id) ?? false
    case .fanClub(let id): await content?.isStored(fanClub: id) ?? false
    default: false
    }
  }

  private func fetchTarget(_ client: APIClient) async throws {
    switch self {
    case .post(let id), .comments(let id): _ = try await client.post(id)
    case .fanClub(let id): _ = try await client.fanClub(id)
    case .paywall(let id, _): _ = try await client.paywall(id)
    case .purchases(let order?): _ = try await client.order(order)
    default: break
    }
  }
}
