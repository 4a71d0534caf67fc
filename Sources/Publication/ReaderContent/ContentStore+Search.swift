import ContentCache
import PublicationAPI
import PublicationClient

/// Searching. What is found is in the caches when each returns.
extension ContentStore {
  /// A page of posts that hold all words of a text, and the fan clubs with these words in their names; all are in the caches when it
  /// returns.
  /// - Throws: `ClientError`.
  public func search(_ text: String, cursor: String? = nil) async throws -> SearchResults {
    let (time, clubTime, client) = (postCache.logicalTime(), clubCache.logicalTime(), client)
    let page = try await request("search.load") { try await client.search(text, cursor: cursor) }
    if !isClosed {
      postCache.store(page.items.map(\.post), asOf: time)
      clubCache.store(page.clubs.map(\.club), asOf: clubTime)
    }
    return page
  }

  /// The fan clubs that were ever read and have all words of a text in their names, sorted by name: for when the publication is
  /// unreachable. They are in the cache when it returns.
  public func storedFanClubs(named text: String) async -> [FanClubHit] {
    await clubCache.loadAllFromStore()
    let clubs = clubCache.ids { !MarkedText($0.name, finding: text).matches.isEmpty }.compactMap { clubCache[$0] }
    let sorted = clubs.map { (key: NaturalOrder.key($0.name), club: $0) }.sorted { ($0.key, $0.club.id) < ($1.key, $1.club.id) }
    return sorted.prefix(SearchResults.mostClubs)
      .map { FanClubHit(club: $0.club, name: MarkedText($0.club.name, finding: text).marked) }
  }
}
