import ContentCache
import Foundation
import PublicationAPI
import PublicationClient

/// Writes a comment under an identifier chosen here, writes it again, or deletes one of the reader's own.
///
/// Only the last action on a comment counts, so that deleting one that was never sent sends no text. It changes ``Post/comments`` by
/// ``counted`` until the publication has said how many there are.
public struct CommentAction: Action {
  /// Its name in the outbox.
  public static let kind = "comment"
  /// Which action this is.
  public let id: UUID
  /// Identifies the comment, as the client named it.
  public let comment: UUID
  /// The post that it is under.
  public let post: Post.ID
  /// What it says; `nil` deletes it.
  public let text: String?
  /// The reader's name, until the publication says it.
  public let author: String
  /// When the reader wrote it, until the publication's answer has the date.
  public let written: Date
  /// By how much the post has more comments: 1 for a new one, -1 for one of the publication's that goes; `nil` for 0.
  public let counted: Int?

  public init(id: UUID, comment: UUID, post: Post.ID, text: String?, author: String, written: Date, counted: Int? = nil) {
    self.id = id
    self.comment = comment
    self.post = post
    self.text = text
    self.author = author
    self.written = written
    self.counted = counted
  }

  /// The comment, as the publication writes identifiers.
  public var entityID: Comment.ID { comment.uuidString }

  /// Makes the comment, sets its text, or takes it away.
  public func apply(to value: inout Comment?) {
    guard let text else { return value = nil }
    value = value ?? Comment(id: entityID, postID: post, author: author, isMine: true, text: text, posted: written)
    value?.text = text
  }

  /// `PUT` or `DELETE /v1/posts/ID/comments/COMMENT`; a comment that is gone already counts as deleted.
  /// - Returns: the comment as the publication has it; `nil` once it is deleted.
  /// - Throws: ``ClientError``.
  func send(by client: APIClient) async throws -> Comment? {
    guard let text else {
      do { try await client.deleteComment(entityID, on: post) } catch { if !error.isNotFound { throw error } }
      return nil
    }
    return try await client.putComment(comment, on: post, text: text)
  }
}
