import ContentCache
import PublicationAPI
import ReaderContent

/// What the test sends the reader out for, as JSON in the probe's only argument.
struct Errand: Codable, Sendable {
  /// Where the publication answers.
  var origin: String
  var token: String
  /// Where the reader keeps the outbox.
  var outbox: String
  /// Whether the reader does something, or only comes back to see what is left.
  var acts: Bool
  /// At which of its points the process ends, from 1; `nil` for none.
  var killedAt: Int?
  /// How long after that, in turns of a loop on another thread: wherever it is then.
  var later = 0
}

/// One thing that the reader does, and what a publication has afterwards.
enum Deed: Codable, Sendable {
  case comment(String)
  case react(Reaction)
  case bookmark
  case markRead
  case follow

  /// All of them, in their order: some take the place of the one before, or undo it.
  static let all: [Deed] = [
    .comment("first"), .react(.like), .bookmark, .react(.wow), .bookmark, .comment("second"), .follow, .markRead, .follow,
    .comment("third"),
  ]

  @MainActor func perform(on post: Post.ID, of club: FanClub.ID, in store: ContentStore) {
    switch self {
    case .comment(let text): store.comment(on: post, text)
    case .react(let kind): store.react(post, kind)
    case .bookmark: store.toggleBookmark(post)
    case .markRead: store.markRead(post)
    case .follow: store.toggleFollow(club)
    }
  }
}
