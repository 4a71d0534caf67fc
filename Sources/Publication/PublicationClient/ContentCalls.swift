import Foundation
import HTTPTransport
import PublicationAPI

extension APIClient {
  /// What the publication says of itself; needs no token.
  /// - Throws: ``ClientError``.
  public func publication() async throws(ClientError) -> PublicationInfo { try await call(.get, ["v1", "publication"], as: .none) }

  /// A page of posts, newest first, without bodies.
  /// - Parameters:
  ///   - fanClub: only this club's.
  ///   - bookmarked: only what the reader bookmarked.
  ///   - cursor: ``Page/next`` of the page before; `nil` for the first.
  ///   - limit: 1 to 100; `nil` leaves it to the server.
  /// - Throws: ``ClientError``.
  public func posts(
    fanClub: FanClub.ID? = nil, bookmarked: Bool = false, cursor: String? = nil, limit: Int? = nil
  ) async throws(ClientError) -> Page<Post> {
    try await call(
      .get, ["v1", "posts"],
      query: [("fanclub", fanClub), ("bookmarked", bookmarked ? "true" : nil), ("cursor", cursor), ("limit", limit.map { "\($0)" })])
  }

  /// One post, with its body where the reader may read it.
  /// - Throws: ``ClientError``.
  public func post(_ id: Post.ID) async throws(ClientError) -> Post { try await call(.get, ["v1", "posts", id]) }

  /// Adds or removes the reader's reaction; asking twice changes nothing.
  /// - Returns: the post after the change.
  /// - Throws: ``ClientError``.
  public func setReaction(_ id: Post.ID, _ reacted: Bool) async throws(ClientError) -> Post {
    try await call(reacted ? .put : .delete, ["v1", "posts", id, "reaction"])
  }

  /// Adds or removes the reader's bookmark; asking twice changes nothing.
  /// - Returns: the post after the change.
  /// - Throws: ``ClientError``.
  public func setBookmark(_ id: Post.ID, _ bookmarked: Bool) async throws(ClientError) -> Post {
    try await call(bookmarked ? .put : .delete, ["v1", "posts", id, "bookmark"])
  }

  /// A page of fan clubs, by name.
  /// - Parameter cursor: ``Page/next`` of the page before; `nil` for the first.
  /// - Throws: ``ClientError``.
  public func fanClubs(cursor: String? = nil) async throws(ClientError) -> Page<FanClub> {
    try await call(.get, ["v1", "fanclubs"], query: [("cursor", cursor)])
  }

  /// One fan club.
  /// - Throws: ``ClientError``.
  public func fanClub(_ id: FanClub.ID) async throws(ClientError) -> FanClub { try await call(.get, ["v1", "fanclubs", id]) }

  /// Follows a fan club, or stops; asking twice changes nothing.
  /// - Returns: the club after the change.
  /// - Throws: ``ClientError``.
  public func setFollow(_ id: FanClub.ID, _ followed: Bool) async throws(ClientError) -> FanClub {
    try await call(followed ? .put : .delete, ["v1", "fanclubs", id, "follow"])
  }

  /// A picture's bytes. The reader's token never goes along, since an absolute URL may be anybody's.
  /// - Parameter path: as posts and clubs name it: a path of the publication, or an absolute `http` or `https` URL.
  /// - Throws: ``ClientError``; ``ClientError/unacceptable(_:)`` for any other text.
  public func picture(_ path: String) async throws(ClientError) -> Data {
    guard ["/", "http://", "https://"].contains(where: path.hasPrefix), !path.contains(where: \.isWhitespace) else {
      throw .unacceptable(.unsupported("\(path) is no picture's address"))
    }
    return try await send(Request(.get, path, headers: ["Accept": "image/*"]), as: .none).body
  }
}
