import Foundation
import PublicationAPI
import SQLiteStorage
import Testing

@testable import PublicationServer

/// Searches page by page against plain Swift, and that SQLite looks for the words once and by an index.
@Suite struct QueryTests {
  @Test(arguments: [0, 0.1, 0.5, 1])
  func searchesFindWhatPlainSwiftFinds(premium: Double) throws {
    var world = try ChanceWorld(150, premium: premium, seed: UInt64(premium * 100) + 1)
    let search = SQLiteSearch(database: world.database)
    for _ in 0..<25 {
      let text = world.query()
      let words = try #require(SearchWords(text))
      for seesAll in [false, true] {
        let expected = world.find(text, seesAll: seesAll)
        for order in [SearchPosition.Order.best, .newest] {
          func page(_ offset: Int, _ limit: Int) throws -> [Post.ID] {
            try search.search(
              words, after: SearchPosition(order: order, offset: offset), limit: limit, for: ChanceWorld.reader, seesAll: seesAll
            ).hits.map(\.id)
          }
          let all = try page(0, 1000)
          if order == .newest { #expect(all == expected, "\(text)") } else { #expect(all.sorted() == expected.sorted(), "\(text)") }
          for limit in [1, 7] {
            let pages = try stride(from: 0, through: all.count, by: limit).flatMap { try page($0, limit) }
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

  /// What SQLite is going to do, step by step, and inside which step.
  private func plan(_ sql: String, values: [(any SQLValue)?]) throws -> [(id: Int, parent: Int, step: String)] {
    let database = try Connection(path: ":memory:")
    try database.migrate(Schema.migrations)
    return try database.query("EXPLAIN QUERY PLAN \(sql)", values: values) { (try $0.get(0), try $0.get(1), try $0.get(3)) }
  }
}
