/// What a page shows while it has nothing else to show.
public enum StatusPage: Equatable, Sendable {
  /// Something is on its way; the sentence says what.
  case loading(String)
  /// There is nothing; why, and what to do.
  case message(Symbol, heading: String, sentence: String, action: Action? = nil)

  /// The picture above a message.
  public enum Symbol: Equatable, Sendable {
    /// There could be something here, and is not.
    case empty
    /// There is nothing left to do.
    case done
    /// It did not work.
    case failed
    /// The publication cannot be reached.
    case offline
    /// About bookmarks.
    case bookmark
    /// About comments.
    case comment
    /// About fan clubs.
    case people
    /// About searching.
    case search
  }

  /// What the button below a message does.
  public enum Action: Equatable, Sendable {
    /// Tries once more what failed.
    case retry
    /// Looks whether there is something by now.
    case refresh
    /// Fetches posts that no reader has requested yet.
    case fetch
    /// Leaves the page.
    case back
    /// Closes the window.
    case close

    /// The text of the button.
    public var title: String {
      switch self {
      case .retry: "Try again"
      case .refresh: "Refresh"
      case .fetch: "Fetch posts"
      case .back: "Go back"
      case .close: "Close"
      }
    }
  }

  /// What the button does; `nil` without one.
  public var action: Action? { if case .message(_, _, _, let action) = self { action } else { nil } }

  /// The publication cannot be reached, which the window says by itself.
  public static func offline(_ sentence: String, heading: String = "Not on this computer yet") -> StatusPage {
    .message(.offline, heading: heading, sentence: sentence, action: .retry)
  }

  /// It did not work, for another reason.
  public static func failed(_ sentence: String, heading: String = "This did not work") -> StatusPage {
    .message(.failed, heading: heading, sentence: sentence, action: .retry)
  }
}

extension ListState {
  /// What the page shows in place of rows; `nil` while there are some.
  /// - Parameters:
  ///   - loading: what it says while the first rows are on their way.
  ///   - empty: what it shows where there are none.
  public func statusPage(loading: String, empty: StatusPage) -> StatusPage? {
    switch phase {
    case .ready: nil
    case .loading: .loading(loading)
    case .empty: empty
    case .offline(let sentence): .offline(sentence)
    case .failed(let sentence): .failed(sentence)
    }
  }
}

extension EntityPhase {
  /// What the page shows in place of the entity; `nil` where all of it is there.
  /// - Parameter loading: what it says while the entity is on its way.
  public func statusPage(loading: String) -> StatusPage? {
    switch self {
    case .ready: nil
    case .loading: .loading(loading)
    case .gone(let sentence): .message(.failed, heading: "Not here", sentence: sentence, action: .back)
    case .offline(let sentence): .offline(sentence)
    case .failed(let sentence): .failed(sentence)
    }
  }
}

extension FanClubFetch.State {
  /// What the page shows in place of posts that were not fetched; `nil` where nothing is to be done about them.
  public var statusPage: StatusPage? {
    switch self {
    case .notNeeded: nil
    case .offered(let problem):
      .message(
        .people, heading: problem == nil ? "Not fetched yet" : "This did not work",
        sentence: problem ?? "This fan club came from a list of feeds. Its posts are fetched when you ask for them.", action: .fetch)
    case .running: .loading("Fetching the posts…")
    }
  }
}
