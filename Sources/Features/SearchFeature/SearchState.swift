import FeatureKit
import PublicationAPI
import ReaderContent

extension SearchViewModel {
  /// Everything the page shows, but the rows, which ``SearchViewModel/row(for:)`` gives.
  public struct State: Equatable, Sendable {
    /// What fills the page.
    public enum Phase: Equatable, Sendable {
      /// Nothing was typed: what can be found here is to be said.
      case idle
      /// The first answer is on its way.
      case searching
      /// Something was found: there are rows.
      case results
      /// Nothing was found; the sentence says so, with what was looked for.
      case nothing(String)
      /// Searching takes the publication, which cannot be reached; the sentence says so.
      case offline(String)
      /// It did not work, for another reason; the sentence says which.
      case failed(String)
    }

    /// What stands in the field.
    public var query = ""
    /// What fills the page.
    public var phase = Phase.idle
    /// The fan clubs that were found by their names, the best first. They are also there when the publication cannot be reached: those that
    /// the reader has met.
    public var clubs: [FanClub.ID] = []
    /// The posts that were found, in the publication's order.
    public var ids: [Post.ID] = []
    /// Whether an answer is on its way while rows of the one before are shown.
    public var isSearching = false
    /// Whether there are further rows below the last.
    public var canLoadMore = false
    /// Whether they are on their way.
    public var isLoadingMore = false
    /// Why further rows could not be loaded. They are requested again only on `retryTapped`.
    public var loadMoreFailure: String?
    /// A short message to the reader; `nil` for none.
    public var message: String?

    /// What the page shows in place of rows; `nil` while there are some. Without the publication, fan clubs that are known here are better
    /// than a reason.
    public var statusPage: StatusPage? {
      switch phase {
      case .results: nil
      case .idle:
        .message(
          .search, heading: "Search all posts",
          sentence: "Titles and texts of this publication, and the names of fan clubs, also by the beginnings of words.")
      case .searching: .loading("Searching…")
      case .nothing(let sentence): .message(.search, heading: "Nothing found", sentence: sentence)
      case .offline(let sentence): clubs.isEmpty ? .offline(sentence, heading: "The publication is needed") : nil
      case .failed(let sentence): .failed(sentence)
      }
    }
    /// What is under way while there are rows; `nil` for nothing.
    public var underWay: String? {
      guard phase == .results else { return nil }
      return isSearching ? "Searching…" : isLoadingMore ? "Loading more…" : nil
    }
    /// Why the rows are not all there could be, or why there are no further ones; `nil` while there is no reason.
    public var failure: String? {
      switch phase {
      case .results: isSearching ? nil : loadMoreFailure
      case .offline(let sentence): clubs.isEmpty ? nil : sentence
      case .idle, .searching, .nothing, .failed: nil
      }
    }

    /// A page on which nothing was typed.
    public init() {}
  }

  /// What the coordinator shall do.
  public enum Output: Equatable, Sendable {
    /// Open a post.
    case openPost(Post.ID)
    /// Open a fan club's page.
    case openFanClub(FanClub.ID)
  }
}

/// A fan club that was found.
public struct SearchClubRow: Equatable, Sendable, Identifiable {
  /// The club, as lists show it.
  public var club: FanClubRow
  /// The name, with what was found marked.
  public var name: MarkedText
  /// Identifies the fan club.
  public var id: FanClub.ID { club.id }
}

/// A post that was found.
public struct SearchRow: Equatable, Sendable, Identifiable {
  /// The post, as lists show it.
  public var post: PostRow
  /// The headline, with what was found marked.
  public var title: MarkedText
  /// Words around what was found, or the opening, marked the same way.
  public var excerpt: MarkedText
  /// Who wrote it, where that was found, marked the same way; `nil` where it was not.
  public var byline: MarkedText?
  /// Identifies the post.
  public var id: Post.ID { post.id }
}
