import ContentCache
import PublicationAPI
import PublicationClient

/// Requests for entities without a stored list. The entities are in the caches when each returns.
extension ContentStore {
  /// Whether a post is known here, without asking the publication.
  public func isStored(post id: Post.ID) async -> Bool { await postCache.loadFromStore(id) != nil }

  /// Whether a fan club is known here, without asking the publication.
  public func isStored(fanClub id: FanClub.ID) async -> Bool { await clubCache.loadFromStore(id) != nil }

  /// The newest posts of the fan clubs that the reader follows, unless they are unchanged; the posts are in the cache when it returns.
  /// - Parameter label: what the delivery is called.
  /// - Throws: `ClientError`.
  public func followedPosts(_ label: String, ifNoneMatch etag: String?) async throws -> Conditional<Page<Post>> {
    let (time, client) = (postCache.logicalTime(), client)
    // As many as possible: a feed that is fetched seldom has new posts that are older than others.
    let answer = try await request(label) { try await client.posts(PostFilter(followed: true), limit: 100, ifNoneMatch: etag) }
    if case .changed(let page, _) = answer, !isClosed { postCache.store(page.items, asOf: time) }
    return answer
  }

  /// Every fan club that the reader follows, by name; all are in the cache when it returns.
  /// - Parameter label: what the deliveries are called.
  /// - Throws: `ClientError`.
  public func followedClubs(_ label: String) async throws -> [FanClub] { try await allClubs(label).filter(\.followed) }

  /// The fan clubs whose feeds matter to a reader: those that the reader follows, and those with posts. None where readers may not fetch
  /// feeds. All are in the cache when it returns.
  /// - Parameter label: what the deliveries are called.
  /// - Throws: `ClientError`.
  public func clubsWithFeeds(_ label: String) async throws -> [FanClub] {
    try await allClubs(label).filter { $0.feed != nil && ($0.followed || $0.fetched) }
  }

  private func allClubs(_ label: String) async throws -> [FanClub] {
    let client = client
    var (ids, pages) = ([FanClub.ID](), Pagination<FanClub>())
    while !pages.isAtEnd {
      let time = clubCache.logicalTime()
      let page = try await request(label) { [cursor = pages.cursor] in try await client.fanClubs(cursor: cursor) }
      guard !isClosed else { return [] }
      clubCache.store(page.items, asOf: time)
      ids += pages.newItems(page.items, next: page.next).map(\.id)
    }
    return ids.compactMap { fanClubs[$0] }
  }
}
