import ContentCache
import PublicationAPI
import PublicationClient

/// Requests for single entities and searches, without a stored list. Their entities are in the caches when each returns.
extension ContentStore {
  /// Whether a post is known here, without asking the publication.
  public func isStored(post id: Post.ID) async -> Bool { await postCache.loadFromStore(id) != nil }

  /// Whether a fan club is known here, without asking the publication.
  public func isStored(fanClub id: FanClub.ID) async -> Bool { await clubCache.loadFromStore(id) != nil }

  /// A page of posts that hold all words of a text, and the fan clubs with these words in their names; all are in the caches when it
  /// returns.
  /// - Throws: `ClientError`.
  public func search(_ text: String, cursor: String? = nil) async throws -> SearchResults {
    let (stamp, clubStamp, client) = (postCache.stamp(), clubCache.stamp(), client)
    let page = try await request("search.load") { try await client.search(text, cursor: cursor) }
    if !isClosed {
      postCache.store(page.items.map(\.post), asOf: stamp)
      clubCache.store(page.clubs.map(\.club), asOf: clubStamp)
    }
    return page
  }

  /// The fan clubs that were ever read and have all words of a text in their names, sorted by name: for when the publication is
  /// unreachable. They are in the cache when it returns.
  public func storedFanClubs(named text: String) async -> [FanClubHit] {
    await clubCache.loadAllFromStore()
    let clubs = clubCache.ids { !MarkedText($0.name, finding: text).matches.isEmpty }.compactMap { clubCache[$0] }
    return clubs.sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }.prefix(SearchResults.mostClubs)
      .map { FanClubHit(club: $0, name: MarkedText($0.name, finding: text).marked) }
  }

  /// The newest posts of the fan clubs that the reader follows, unless they are unchanged; the posts are in the cache when it returns.
  /// - Parameter label: what the delivery is called.
  /// - Throws: `ClientError`.
  public func followedPosts(_ label: String, ifNoneMatch etag: String?) async throws -> Conditional<Page<Post>> {
    let (stamp, client) = (postCache.stamp(), client)
    // As many as possible: a feed that is fetched seldom has new posts that are older than others.
    let answer = try await request(label) { try await client.posts(PostFilter(followed: true), limit: 100, ifNoneMatch: etag) }
    if case .changed(let page, _) = answer, !isClosed { postCache.store(page.items, asOf: stamp) }
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
    var (ids, cursor) = ([FanClub.ID](), String?.none)
    repeat {
      let stamp = clubCache.stamp()
      let page = try await request(label) { [cursor] in try await client.fanClubs(cursor: cursor) }
      guard !isClosed else { return [] }
      clubCache.store(page.items, asOf: stamp)
      ids += page.items.map(\.id)
      cursor = page.next
    } while cursor != nil
    return ids.compactMap { fanClubs[$0] }
  }
}
