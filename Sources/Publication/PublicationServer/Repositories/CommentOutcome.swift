import PublicationAPI

/// The outcome of writing a comment.
enum CommentOutcome: Equatable, Sendable {
  case written(Comment, isNew: Bool)
  /// The identifier is another comment's, or a deleted one's.
  case taken
}
