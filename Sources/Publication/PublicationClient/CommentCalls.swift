import Foundation
import PublicationAPI

extension APIClient {
  /// A page of a post's comments, oldest first.
  /// - Parameter cursor: ``Page/next`` of the page before; `nil` for the first.
  /// - Throws: ``ClientError``.
  public func comments(of post: Post.ID, cursor: String? = nil, limit: Int? = nil) async throws(ClientError) -> Page<Comment> {
    try await call(.get, .comments(of: post), query: Self.page(cursor, limit))
  }

  /// The same, unless it is still what the client has.
  /// - Throws: ``ClientError``.
  public func comments(
    of post: Post.ID, cursor: String? = nil, limit: Int? = nil, ifNoneMatch etag: String?
  ) async throws(ClientError) -> Conditional<Page<Comment>> {
    try await get(.comments(of: post), query: Self.page(cursor, limit), ifNoneMatch: etag)
  }

  /// Writes a comment under the client's own identifier; a repeated request writes no second one, and one with another text replaces it.
  /// - Parameter text: 1 to ``Comment/longest`` characters, at most ``Comment/largest`` bytes.
  /// - Throws: ``ClientError``; with ``Problem/Code/conflict`` for the identifier of another comment, with ``Problem/Code/locked`` for a
  ///   post that the reader may not read.
  public func putComment(_ id: UUID, on post: Post.ID, text: String) async throws(ClientError) -> Comment {
    try await call(.put, .comment(id.uuidString, on: post), body: CommentRequest(text: text))
  }

  /// Deletes one of the reader's own comments; a repeated request changes nothing.
  /// - Throws: ``ClientError``; with ``Problem/Code/notYours`` for another reader's.
  public func deleteComment(_ id: Comment.ID, on post: Post.ID) async throws(ClientError) {
    try await send(.delete, .comment(id, on: post))
  }
}
