import Foundation
import PublicationAPI
import Runtime
import SignedReceipts

/// The end of a page: opaque to clients; it contains the place of the last item.
struct Cursor: Equatable, Sendable {
  /// The list it belongs to.
  enum Kind: String, Sendable {
    case posts = "p"
    case fanClubs = "c"
    case comments = "m"
    case search = "s"
    case orders = "o"
    case readers = "r"
  }

  let kind: Kind
  let key: String
  let id: String

  init(_ kind: Kind, key: String, id: String) {
    self.kind = kind
    self.key = key
    self.id = id
  }

  /// Reads what ``text`` wrote.
  /// - Throws: `Problem` for anything else, and for another list's.
  init(_ text: String, _ kind: Kind) throws(Problem) {
    let parts = Base64URL.decode(text).flatMap { String(validating: $0, as: UTF8.self) }?.streamSafe
      .split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    guard let parts, parts.count == 3, parts[0] == kind.rawValue else { throw .noCursor }
    self.init(kind, key: parts[2], id: parts[1])
  }

  /// As clients get it. The id is before the key, since names may have line ends.
  var text: String { Base64URL.encode(Array("\(kind.rawValue)\n\(id)\n\(key)".utf8)) }

  /// As a post's place.
  var postPosition: PostPosition {
    get throws {
      guard let published = Int64(key) else { throw Problem.noCursor }
      return PostPosition(published: published, id: id)
    }
  }
}

extension Problem {
  static var noCursor: Problem { .badRequest("“cursor” is none that this list gave.") }
}
