import FeatureKit
import PublicationAPI

extension CommentsViewModel {
  /// Everything the page shows, but the rows, which ``CommentsViewModel/row(for:)`` gives.
  public struct State: Equatable, Sendable {
    /// The post's headline; empty while it is not known.
    public var title = ""
    /// The comments, oldest first; those that the reader wrote and that were not sent yet are among them.
    public var comments = ListState()
    /// What the reader is writing; kept for this post until it is sent.
    public var draft = ""
    /// Whether it can be sent.
    public var canSend = false
    /// What is wrong with its length: "12 characters too many"; `nil` when nothing is.
    public var surplus: String?
    /// How much more can be written: "40 characters left"; `nil` while there is plenty of room.
    public var room: String?
    /// Whether the reader cannot comment, because they cannot read the post.
    public var isLocked = false

    /// Whether the publication has no such post.
    public var isGone = false
    /// Whether there is a field to write in.
    public var canWrite: Bool { !isLocked && !isGone }

    /// What the page shows in place of comments; `nil` while there are some.
    public var statusPage: StatusPage? {
      if isGone { return .message(.failed, heading: "Not here", sentence: "The post that this is about is not here, or no longer.") }
      return comments.statusPage(
        loading: "Fetching the comments…",
        empty: .message(
          .comment, heading: "No comments yet",
          sentence: isLocked ? "Nobody has written anything so far." : "Be the first to say something."))
    }

    /// The state before anything is loaded.
    public init() {}
  }

  /// What the coordinator shall do.
  public enum Output: Equatable, Sendable {
    /// Open the post itself.
    case openPost(Post.ID)
    /// Open an address in the browser.
    case openWeb(String)
  }
}

/// A comment, ready to be drawn.
public struct CommentRow: Equatable, Sendable, Identifiable {
  /// Identifies the comment.
  public var id: Comment.ID
  /// Who wrote it: a name, or "You".
  public var author: String
  /// Plain text, with line ends.
  public var text: String
  /// When it was written, in words.
  public var date: String
  /// Whether the reader wrote it, and may delete it.
  public var isMine: Bool
  /// Whether it, or a change of it, was not sent yet: "Waiting to be sent" belongs in the place of the date.
  public var isWaiting: Bool
}
