import Foundation
import PublicationAPI

extension Post {
  /// A post that is as many hours old as its number says, before the manual clock's start.
  public static func sample(
    _ number: Int = 1, club: FanClub.ID = "c1", premium: Bool = false, reactions: Int = 0, bookmarked: Bool = false,
    body: String? = "<p>Body</p>"
  ) -> Post {
    Post(
      id: "p\(number)", fanClubID: club, fanClubName: "Club \(club)", title: "Title \(number)", teaser: "Teaser \(number)", body: body,
      published: Date(timeIntervalSince1970: 1_700_000_000 - Double(number) * 3600), premium: premium,
      reactions: reactions == 0 ? [:] : [.love: reactions], bookmarked: bookmarked)
  }
}

extension Comment {
  /// A comment on `p1` that is as many minutes younger as its number says than the manual clock's start is old.
  public static func sample(_ number: Int, post: Post.ID = "p1", author: String = "Ada", isMine: Bool = false) -> Comment {
    Comment(
      id: "00000000-0000-0000-0000-00000000000\(number)", postID: post, author: author, isMine: isMine, text: "Comment \(number)",
      posted: Date(timeIntervalSince1970: 1_700_000_000 - 7200 + Double(number) * 60))
  }
}

/// Keeps every state that a view model went through, without repetitions.
@MainActor public final class Recorder<State: Equatable> {
  /// The states so far.
  public private(set) var states: [State] = []
  /// Keeps none.
  public init() {}
  /// Keeps one.
  public func record(_ state: State) { if states.last != state { states.append(state) } }
  /// The states since the last call.
  public func take() -> [State] {
    defer { states = [] }
    return states
  }
}

/// Returns after the main queue has worked off what was on it: change notices are sent once a turn.
@MainActor public func mainQueueTurn() async {
  for _ in 0..<4 {
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    await Task.yield()
  }
}
