import FeatureKit
import PublicationAPI

extension FeedViewModel {
  /// Which posts Home shows.
  public enum Choice: Codable, Hashable, Sendable {
    /// All of the publication.
    case all
    /// Those of all fan clubs that the reader follows.
    case followed
    /// Those of one fan club.
    case fanClub(FanClub.ID)
  }

  /// A choice, and what it is called.
  public struct Option: Equatable, Sendable, Identifiable {
    /// What the reader chooses by it.
    public var id: Choice
    /// What it is called: "All posts", "Fan clubs you follow", a club's name.
    public var name: String

    public init(_ id: Choice, _ name: String) {
      self.id = id
      self.name = name
    }
  }

  /// Everything the page shows, but the rows, which ``PostListScreen/row(for:)`` gives.
  public struct State: Equatable, Sendable {
    /// The list of posts: its rows, and how far it is.
    public var posts = ListState()
    /// What can be chosen: all posts, and as soon as they are known the fan clubs that the reader follows.
    public var options = [Option(.all, "All posts")]
    /// Which posts the reader chose to see.
    public var choice = Choice.all
    /// Whether only posts are shown that the reader had not read when the list was loaded.
    public var isUnreadOnly = false
    /// How many new posts there are above the first row. They are shown when ``FeedViewModel/newPostsTapped()`` is called, and no row moves
    /// before that.
    public var newPosts = 0
    /// What the pill says: "3 new posts"; `nil` for no pill.
    public var pill: String?
    /// What there is to do about the posts of the chosen fan club, which was imported from a list of feeds. Shown in place of rows, of
    /// which there are none.
    public var fetch = FanClubFetch.State.notNeeded
    /// The progress of fetching feeds again, and their failures.
    public var refresh = FanClubsFetch.Report()
    /// Whether the list is jumping to the top: the requested rows are added a moment later, above the first row. Show that row.
    public var isJumping = false
    /// Whether there is something to choose from.
    public var offersChoice: Bool { options.count > 1 }
    /// Whether there is a post to be marked as read.
    public var offersAllRead: Bool { !posts.ids.isEmpty }

    /// What the page shows in place of posts; `nil` while there are some.
    public var statusPage: StatusPage? {
      fetch.statusPage ?? posts.statusPage(loading: isUnreadOnly ? "Fetching what you have not read…" : loading, empty: empty)
    }

    private var loading: String { if case .fanClub = choice { "Fetching posts…" } else { "Fetching the latest posts…" } }

    private var empty: StatusPage {
      let nothing =
        switch choice {
        case .all: "This publication has no posts so far. Refresh to look again."
        case .followed: "The fan clubs that you follow have no posts so far. Refresh to look again."
        case .fanClub: "This fan club has not published anything so far."
        }
      return isUnreadOnly
        ? .message(
          .done, heading: "All read", sentence: "There is nothing here that you have not read. Refresh to look again.", action: .refresh)
        : .message(.empty, heading: "Nothing here yet", sentence: nothing, action: .refresh)
    }

    /// A page that has not loaded.
    public init() {}
  }
}
