import Foundation

/// What a reader wrote under a post, as another reader sees it.
public struct Comment: Codable, Equatable, Sendable, Identifiable {
  /// A UUID in upper case, chosen by the client that writes it, so that sending it again adds nothing twice.
  public var id: String
  /// The post it is under.
  public var postID: Post.ID
  /// Who wrote it: a name to show.
  public var author: String
  /// Whether this reader wrote it, and may delete it.
  public var isMine: Bool
  /// Plain text, 1 to ``longest`` characters and at most ``largest`` bytes, with line ends.
  public var text: String
  /// When it reached the publication.
  public var posted: Date

  /// The most characters that ``text`` has.
  public static let longest = 4000
  /// The most bytes that ``text`` has as UTF-8. A character may have any number of accents.
  public static let largest = 16 << 10

  public init(id: String, postID: Post.ID, author: String, isMine: Bool, text: String, posted: Date) {
    self.id = id
    self.postID = postID
    self.author = author
    self.isMine = isMine
    self.text = text
    self.posted = posted
  }
}

/// `PUT /v1/posts/ID/comments/COMMENT`: writes a comment, or replaces it.
public struct CommentRequest: Codable, Equatable, Sendable {
  /// See ``Comment/text``; white space around it is left out.
  public var text: String

  public init(text: String) { self.text = text }
}
