import ContentCache
import PublicationAPI
import PublicationClient

/// The publication's lists: each is fetched page by page, and its entities go into their cache.
extension ContentStore {
  /// Posts, newest first. In a list of bookmarks a row leaves as soon as its bookmark is removed, and comes back to its place if that was
  /// refused; other lists stay unchanged until they are loaded again.
  /// - Parameters:
  ///   - label: names the request among the deliveries: `feed.load`.
  ///   - filter: which posts.
  public func postList(_ label: String, _ filter: PostFilter) -> PageFetcher<Post> {
    let newestFirst: (Post, Post) -> Bool = { ($1.published, $1.id) < ($0.published, $0.id) }
    let membership = filter.bookmarked ? ListMembership<Post>(contains: \.bookmarked, precedes: newestFirst) : nil
    return list(label, filter.list, of: postCache, membership: membership, order: newestFirst) { [client] in
      try await client.posts(filter, cursor: $0, ifNoneMatch: $1)
    }
  }

  /// Fan clubs, by name.
  /// - Parameter followedOnly: only those that the reader follows. A row leaves as soon as the reader stops following.
  public func fanClubList(followedOnly: Bool = false) -> PageFetcher<FanClub> {
    let followed = ListMembership<FanClub>(contains: \.followed) { (NaturalOrder.key($0.name), $0.id) < (NaturalOrder.key($1.name), $1.id) }
    // The publication answers both with the same pages.
    return list("fanclubs.load", "fanclubs", of: clubCache, membership: followedOnly ? followed : nil) { [client] in
      try await client.fanClubs(cursor: $0, ifNoneMatch: $1)
    }
  }

  /// A post's comments, oldest first, with those that wait to be sent.
  public func commentList(of post: Post.ID) -> PageFetcher<Comment> {
    let membership = ListMembership<Comment>(contains: { $0.postID == post }) { ($0.posted, $0.id) < ($1.posted, $1.id) }
    return list("comments.load", "posts/\(post)/comments", of: commentCache, membership: membership) { [client] in
      try await client.comments(of: post, cursor: $0, ifNoneMatch: $1)
    }
  }

  private func list<Value: Entity>(
    _ label: String, _ name: String, of cache: Cache<Value>, membership: ListMembership<Value>?, order: ((Value, Value) -> Bool)? = nil,
    fetch: @escaping @Sendable (_ cursor: String?, _ etag: String?) async throws -> Conditional<Page<Value>>
  ) -> PageFetcher<Value> {
    PageFetcher(
      label, list: name, cache: cache, effects: effects, membership: membership, order: order, explain: RequestError.init(explaining:)
    ) { cursor, etag in try await fetch(cursor, etag).answer { $0 } }
  }
}
