/// A post that a search found: `GET /v1/search?q=`.
public struct SearchHit: Codable, Equatable, Sendable, Identifiable {
  /// The post, without its body.
  public var post: Post
  /// The headline, with what was found marked: see ``markStart``.
  public var title: String
  /// Some words around what was found, or the opening, marked the same way. Plain text; of a body that this reader may not read nothing.
  public var excerpt: String
  /// The post's.
  public var id: Post.ID { post.id }

  /// Stands before what was found: a character that no text of a post has. This is no HTML.
  public static let markStart: Character = "\u{E000}"
  /// Stands behind it.
  public static let markEnd: Character = "\u{E001}"

  /// Makes one.
  public init(post: Post, title: String, excerpt: String) {
    self.post = post
    self.title = title
    self.excerpt = excerpt
  }
}
