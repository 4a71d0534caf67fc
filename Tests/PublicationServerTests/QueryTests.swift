import Foundation
import PublicationAPI
import SQLiteStorage
import Synchronization
import Testing

@testable import PublicationServer

/// Searches and lists, page by page, against plain Swift; and that SQLite takes the short way to them, which no answer tells.
@Suite struct QueryTests {
  @Test(arguments: [0, 0.1, 0.5, 1])
  func searchesFindWhatPlainSwiftFinds(premium: Double) async throws {
    var world = try ChanceWorld(100, premium: premium, seed: UInt64(premium * 100) + 1)
    let search = SQLiteSearch(database: world.database)
    for _ in 0..<15 {
      let text = world.query()
      let words = try #require(SearchWords(text))
      for seesAll in [false, true] {
        let expected = world.find(text, seesAll: seesAll)
        for order in [SearchPosition.Order.best, .newest] {
          func page(_ offset: Int, _ limit: Int) async throws -> [Post.ID] {
            try await search.search(
              words, after: SearchPosition(order: order, offset: offset), limit: limit, for: ChanceWorld.reader, seesAll: seesAll
            ).hits.map(\.id)
          }
          let all = try await page(0, 1000)
          if order == .newest { #expect(all == expected, "\(text)") } else { #expect(all.sorted() == expected.sorted(), "\(text)") }
          for limit in [2, 11] {
            var pages: [Post.ID] = []
            for offset in stride(from: 0, through: all.count, by: limit) { pages += try await page(offset, limit) }
            #expect(pages == all, "\(text), \(limit) at a time")
          }
        }
      }
    }
  }

  /// With 100,000 posts, words that are looked for once for each of them take ten seconds, in which the publication answers nobody.
  @Test(arguments: [SearchPosition.Order.best, .newest])
  func wordsAreLookedForOnce(order: SearchPosition.Order) throws {
    let plan = try plan(SQLiteSearch.statement(order), values: Array(repeating: nil, count: 6))
    let lookups = plan.filter { $0.step.contains("VIRTUAL TABLE") }
    #expect(lookups.count == 2)
    for lookup in lookups {
      let around = plan.first { $0.id == lookup.parent }?.step
      #expect(around?.hasPrefix("CORRELATED") != true, "\(plan)")
    }
    if order == .newest {
      #expect(plan.first?.step == "SCAN post USING INDEX post_by_time")
      #expect(!plan.contains { $0.step.contains("TEMP B-TREE") }, "\(plan)")
    }
  }

  private static let lists = (0..<16).map { (choice: Int) in
    PostQuery(
      fanClub: choice & 1 == 0 ? nil : "c1", isBookmarked: choice & 2 != 0, isFollowed: choice & 4 != 0, isUnread: choice & 8 != 0,
      limit: 0)
  }

  @Test(arguments: [1, 2, 3])
  func listsHaveWhatPlainSwiftHas(seed: UInt64) throws {
    let world = try ChanceWorld(100, premium: 0.3, seed: seed)
    let content = SQLiteContent(database: world.database)
    for list in Self.lists {
      let expected = world.list(list)
      for limit in [1, 7, 200] {
        var (query, seen) = (list, [Post]())
        query.limit = limit
        // Shorter than it may be is the last one.
        while let page = try content.posts(query, for: ChanceWorld.reader), let last = page.last {
          seen += page
          guard page.count == limit else { break }
          query.after = PostPosition(published: Int64(last.published.timeIntervalSince1970), id: last.id)
        }
        #expect(seen.map(\.id) == expected, "\(list)")
        #expect(seen.map(\.bookmarked) == expected.map(world.bookmarked.contains))
        #expect(seen.map(\.read) == expected.map(world.read.contains))
        #expect(seen.map(\.unlocked) == expected.map(world.unlocked.contains))
      }
    }
  }

  /// No list reads all that all readers did, and none looks up more of a post than its place before it is on the page.
  @Test func listsAreFoundByIndexes() throws {
    for var list in Self.lists {
      for after in [nil, PostPosition(published: 1, id: "p1")] {
        list.after = after
        let statement = SQLiteContent.statement(list, for: ChanceWorld.reader)
        let plan = try plan(statement.sql, values: statement.values)
        #expect(plan.first?.step == "SEARCH post USING INTEGER PRIMARY KEY (rowid=?)")
        // What has no end but the page's is walked in its order; posts are counted.
        let walks = plan.map(\.step).filter { $0.hasPrefix("SCAN") && !$0.hasPrefix("SCAN (") }
        #expect(walks.allSatisfy { $0.hasPrefix("SCAN post USING COVERING INDEX") }, "\(list): \(plan)")
        if list.isFollowed {
          #expect(plan.contains { $0.step.hasPrefix("SEARCH follow USING") && $0.step.contains("reader=?") }, "\(list): \(plan)")
        }
      }
    }
  }

  /// FTS5 finds a row by its number alone. By anything else it reads them all, and a list of 100,000 clubs takes up its names for hours.
  @Test func aClubIsTakenUpAndRemovedAsFastAmongMany() throws {
    func looks(among count: Int) throws -> Int {
      let database = try Connection(path: ":memory:")
      try database.migrate(Schema.migrations)
      let looks = Mutex(0)
      let isStopping: @Sendable () -> Bool = {
        looks.withLock { $0 += 1 }
        return false
      }
      let (content, search) = (SQLiteContent(database: database), SQLiteSearch(database: database, isStopping: isStopping))
      let all = (1...count).map { FanClub(id: "c\($0)", name: "Club \($0)") }
      for club in all { try content.store(club, source: nil) }
      while try search.index(limit: 500, inBackground: true) {}
      looks.withLock { $0 = 0 }
      for var club in all.suffix(200) {
        club.name += " renamed"
        try content.store(club, source: nil)
      }
      #expect(try search.index(limit: 500, inBackground: true) == false)
      try database.withLimit(WorkLimit(unless: isStopping)) {
        for club in all.suffix(200) { try database.execute("DELETE FROM fan_club WHERE id = ?", club.id) }
      }
      let left = try database.queryOne("SELECT count(*) FROM club_search") { try $0.get(0, as: Int.self) }
      #expect(left == count - 200)
      return looks.withLock { $0 }
    }
    #expect(try looks(among: 4000) <= looks(among: 400) + 5)
  }

  /// What SQLite is going to do, step by step, and inside which step.
  private func plan(_ sql: String, values: [(any SQLValue)?]) throws -> [(id: Int, parent: Int, step: String)] {
    let database = try Connection(path: ":memory:")
    try database.migrate(Schema.migrations)
    return try database.query("EXPLAIN QUERY PLAN \(sql)", values: values) { (try $0.get(0), try $0.get(1), try $0.get(3)) }
  }
}
