import PublicationAPI

/// A post as every list of posts shows it: text and flags, ready to be drawn.
public struct PostRow: Equatable, Sendable, Identifiable {
  /// The post.
  public var id: Post.ID
  /// The headline.
  public var title: String
  /// The opening, plain text.
  public var teaser: String
  /// The fan club's name.
  public var club: String
  /// The fan club.
  public var clubID: FanClub.ID
  /// Who wrote it; empty when nobody says.
  public var byline: String
  /// When it appeared.
  public var date: String
  /// What ``APIClient/picture(_:)`` loads.
  public var picture: String?
  /// How many readers reacted.
  public var reactions: String
  /// Whether this reader reacted.
  public var isReacted: Bool
  /// Whether this reader bookmarked it.
  public var isBookmarked: Bool
  /// Whether it takes access that this reader does not have.
  public var isLocked: Bool

  /// From a post, as this reader sees it.
  public init(_ post: Post, hasPremium: Bool, formatting: Formatting) {
    id = post.id
    title = post.title
    teaser = post.teaser
    club = post.fanClubName
    clubID = post.fanClubID
    byline = post.byline
    date = formatting.date(post.published)
    picture = post.picture
    reactions = formatting.count(post.reactionCount)
    isReacted = post.reaction != nil
    isBookmarked = post.bookmarked
    isLocked = post.premium && !post.unlocked && !hasPremium
  }
}

/// A fan club as lists and its own page show it.
public struct FanClubRow: Equatable, Sendable, Identifiable {
  /// The club.
  public var id: FanClub.ID
  /// The name.
  public var name: String
  /// A sentence or two, plain text; may be empty.
  public var about: String
  /// What ``APIClient/picture(_:)`` loads.
  public var picture: String?
  /// Such as `1,200 followers`.
  public var followers: String
  /// Such as `40 posts`.
  public var posts: String
  /// Whether this reader follows it.
  public var isFollowed: Bool

  /// From a club, as this reader sees it.
  public init(_ club: FanClub, formatting: Formatting) {
    id = club.id
    name = club.name
    about = club.about
    picture = club.picture
    followers = formatting.count(club.followers, "follower", "followers")
    posts = formatting.count(club.posts, "post", "posts")
    isFollowed = club.followed
  }
}
