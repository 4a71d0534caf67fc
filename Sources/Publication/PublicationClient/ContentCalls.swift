import Foundation
import HTTPTransport
import PublicationAPI

extension APIClient {
  /// The publication's details; needs no token.
  /// - Throws: ``ClientError``.
  public func publication() async throws(ClientError) -> PublicationInfo { try await call(.get, .publication, as: .none) }

  /// A page of posts, newest first, without bodies.
  /// - Parameters:
  ///   - filter: which posts.
  ///   - cursor: ``Page/next`` of the page before; `nil` for the first.
  ///   - limit: 1 to 100; `nil` leaves it to the server.
  /// - Throws: ``ClientError``.
  public func posts(_ filter: PostFilter = PostFilter(), cursor: String? = nil, limit: Int? = nil) async throws(ClientError) -> Page<Post> {
    try await call(.get, .posts, query: filter.query + Self.page(cursor, limit))
  }

  /// The same, unless it is still what the client has.
  /// - Parameter etag: ``Conditional/changed(_:etag:)`` of the last answer; `nil` requests the page in any case.
  /// - Throws: ``ClientError``.
  public func posts(
    _ filter: PostFilter = PostFilter(), cursor: String? = nil, limit: Int? = nil, ifNoneMatch etag: String?
  ) async throws(ClientError) -> Conditional<Page<Post>> {
    try await get(.posts, query: filter.query + Self.page(cursor, limit), ifNoneMatch: etag)
  }

  /// One post, with its body where the reader may read it.
  /// - Throws: ``ClientError``.
  public func post(_ id: Post.ID) async throws(ClientError) -> Post { try await call(.get, .post(id)) }

  /// The same, unless it is still what the client has.
  /// - Throws: ``ClientError``.
  public func post(_ id: Post.ID, ifNoneMatch etag: String?) async throws(ClientError) -> Conditional<Post> {
    try await get(.post(id), ifNoneMatch: etag)
  }

  /// Sets the reader's reaction to a post, or removes it; a repeated request changes nothing.
  /// - Parameter reaction: the kind; `nil` for none.
  /// - Returns: the post after the change.
  /// - Throws: ``ClientError``.
  public func setReaction(_ id: Post.ID, _ reaction: Reaction?) async throws(ClientError) -> Post {
    let path = APIPath.reaction(to: id)
    guard let reaction else { return try await call(.delete, path) }
    return try await call(.put, path, body: ReactionRequest(kind: reaction))
  }

  /// Marks a post as read, or as unread; asking twice changes nothing.
  /// - Returns: the post after the change.
  /// - Throws: ``ClientError``.
  public func setRead(_ id: Post.ID, _ read: Bool) async throws(ClientError) -> Post {
    try await call(read ? .put : .delete, .readMark(of: id))
  }

  /// Marks all posts as read that appeared until a moment; a repeated request changes nothing.
  /// - Parameters:
  ///   - clubs: whose posts; `nil` for all. At most ``ReadRequest/mostClubs``.
  ///   - id: names it, to take it back by: ``unmarkRead(_:)``.
  /// - Throws: ``ClientError``.
  public func markRead(until: Date, in clubs: [FanClub.ID]?, as id: UUID? = nil) async throws(ClientError) {
    try await send(.put, .readMarks, body: ReadRequest(id: id, until: until, clubs: clubs))
  }

  /// Undoes ``markRead(until:in:as:)``; a repeated request changes nothing.
  /// - Throws: ``ClientError``.
  public func unmarkRead(_ id: UUID) async throws(ClientError) { try await send(.delete, .readMarks(of: id.uuidString)) }

  /// Adds or removes the reader's bookmark; asking twice changes nothing.
  /// - Returns: the post after the change.
  /// - Throws: ``ClientError``.
  public func setBookmark(_ id: Post.ID, _ bookmarked: Bool) async throws(ClientError) -> Post {
    try await call(bookmarked ? .put : .delete, .bookmark(of: id))
  }

  /// A page of fan clubs, by name.
  /// - Parameter cursor: ``Page/next`` of the page before; `nil` for the first.
  /// - Throws: ``ClientError``.
  public func fanClubs(cursor: String? = nil) async throws(ClientError) -> Page<FanClub> {
    try await call(.get, .fanClubs, query: Self.page(cursor))
  }

  /// The same, unless it is still what the client has.
  /// - Throws: ``ClientError``.
  public func fanClubs(cursor: String? = nil, ifNoneMatch etag: String?) async throws(ClientError) -> Conditional<Page<FanClub>> {
    try await get(.fanClubs, query: Self.page(cursor), ifNoneMatch: etag)
  }

  /// One fan club.
  /// - Throws: ``ClientError``.
  public func fanClub(_ id: FanClub.ID) async throws(ClientError) -> FanClub { try await call(.get, .fanClub(id)) }

  /// The same, unless it is still what the client has.
  /// - Throws: ``ClientError``.
  public func fanClub(_ id: FanClub.ID, ifNoneMatch etag: String?) async throws(ClientError) -> Conditional<FanClub> {
    try await get(.fanClub(id), ifNoneMatch: etag)
  }

  /// Follows a fan club, or stops; asking twice changes nothing.
  /// - Returns: the club after the change.
  /// - Throws: ``ClientError``.
  public func setFollow(_ id: FanClub.ID, _ followed: Bool) async throws(ClientError) -> FanClub {
    try await call(followed ? .put : .delete, .follow(id))
  }

  /// Removes a fan club that the reader added, with its posts.
  /// - Throws: ``ClientError``; with ``Problem/Code/inUse`` while other readers use it.
  public func removeFanClub(_ id: FanClub.ID) async throws(ClientError) { try await send(.delete, .fanClub(id)) }

  /// A page of posts that hold all words of a text, the last one as a prefix, in the order that the server chooses, without bodies. The first
  /// page also has the fan clubs with these words in their names.
  /// - Parameter text: as the reader typed it: nothing in it is syntax.
  /// - Throws: ``ClientError``.
  public func search(_ text: String, cursor: String? = nil, limit: Int? = nil) async throws(ClientError) -> SearchResults {
    try await call(.get, .search, query: [(.text, text)] + Self.page(cursor, limit))
  }

  /// The largest picture that is accepted, in bytes.
  public static let largestPicture = 20 << 20

  /// A picture's bytes. The reader's token is never sent, since an absolute URL may lead to any host.
  /// - Parameter path: as posts and clubs name it: a path of the publication, or an absolute `http` or `https` URL.
  /// - Throws: ``ClientError``; ``ClientError/unacceptable(_:)`` for any other text and for a picture above ``largestPicture``.
  public func picture(_ path: String) async throws(ClientError) -> Data {
    guard ["/", "http://", "https://"].contains(where: path.hasPrefix), !path.contains(where: \.isWhitespace) else {
      throw .unacceptable(.unsupported("\(path) is no picture's address"))
    }
    let picture = try await send(Request(.get, path, headers: ["Accept": "image/*"]), as: .none).body
    guard picture.count <= Self.largestPicture else { throw .unacceptable(.tooLarge(limit: Self.largestPicture)) }
    return picture
  }

  static func page(_ cursor: String?, _ limit: Int? = nil) -> [(APIParameter, String?)] {
    [(.cursor, cursor), (.limit, limit.map { "\($0)" })]
  }
}

/// Which posts a list has: those that meet every condition here.
public struct PostFilter: Hashable, Sendable {
  /// Only posts of this fan club; `nil` for all.
  public var fanClub: FanClub.ID?
  /// Only what the reader bookmarked.
  public var bookmarked: Bool
  /// Only those of clubs that the reader follows.
  public var followed: Bool
  /// Only what the reader has not read.
  public var unread: Bool

  /// A filter; without arguments one that lets everything through.
  public init(fanClub: FanClub.ID? = nil, bookmarked: Bool = false, followed: Bool = false, unread: Bool = false) {
    self.fanClub = fanClub
    self.bookmarked = bookmarked
    self.followed = followed
    self.unread = unread
  }

  var query: [(APIParameter, String?)] {
    [
      (.fanClub, fanClub), (.bookmarked, bookmarked ? "true" : nil), (.followed, followed ? "true" : nil), (.unread, unread ? "true" : nil),
    ]
  }

  /// The name that the list is stored under; never changed once it shipped, since stored lists would not be found again.
  public var list: String { "posts" + query.compactMap { name, value in value.map { " \(name.rawValue)=\($0)" } }.joined() }
}
