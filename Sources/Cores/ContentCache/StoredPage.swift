import Foundation
import SQLiteStorage

/// One page of one list.
struct PageKey: Hashable, Sendable {
  let list: String
  /// The cursor of its request; empty for the first page.
  var cursor: String

  init(_ list: String, _ cursor: String?) {
    self.list = list
    self.cursor = cursor ?? ""
  }
}

/// What is known of a page besides its entities.
struct PageRow: Equatable, Sendable {
  /// How many pages are followed, at most, to find where one list continues in another.
  static let hops = 20

  var key: PageKey
  var ids: [String]
  var next: String?
  var etag: String?
  /// Shows whether the entities are unchanged since the server gave the tag: ``FetchedPage/digest``.
  var digest: Int64?
  /// When the server last said that it is so.
  var fetchedAt: Date
  /// Whether the server's answer, if it is one of this run, had only entities without their detail.
  var isBare = false
  /// The moment of the request, if that was in this run.
  var requestedAt: LogicalTime?
}

/// A page out of the entity store.
struct StoredPage: Sendable {
  let page: PageRow
  /// The page's entities, as far as they are stored.
  let items: [AnyCacheEntry]
}

/// What is written together.
struct StoreBatch<Value: Entity>: Sendable {
  /// What the server did to all, before it said anything else of this.
  var bulkChanges: [@Sendable (inout Value?) -> Void] = []
  /// The server's values, and whether each is pinned.
  var values: [(entry: CacheEntry<Value>, isPinned: Bool)] = []
  /// What was read, and is as it was written.
  var read: [(entry: CacheEntry<Value>, isPinned: Bool)] = []
  /// When the first of that was last noted.
  var isReadSince: Int64?
  /// Entities without a value here, and whether each is pending: if not, it is pinned only if its value says so.
  var unknown: [(id: String, isPending: Bool)] = []
  /// What the server said is gone.
  var removed: [String] = []
  var pages: [PageRow] = []
}

extension PageRow {
  /// Reads the page that is stored under a key.
  /// - Parameter ids: reads its identifiers, which are ``FieldCoder/bytes(_:)``.
  init?(
    _ key: PageKey, _ connection: Connection, ids: (UnsafeRawBufferPointer) throws -> [String]? = { FieldCoder.texts(from: $0) }
  ) throws {
    let row = try connection.queryOne(
      "SELECT ids, next, etag, fetched, digest FROM page WHERE list = ? AND cursor = ?", key.list, key.cursor
    ) {
      PageRow(
        key: key, ids: try $0.withBytes(0, ids) ?? [], next: try $0.get(1), etag: try $0.get(2), digest: try $0.get(4),
        fetchedAt: try $0.get(3))
    }
    guard let row else { return nil }
    self = row
  }

  /// Writes the page over the one that was there.
  ///
  /// When the server has new items before this page, the page ends earlier than its stored one did, and nothing is stored under its new
  /// cursor. The entities below it are stored there, so that a list stays readable as far as it was ever read.
  func write(_ connection: Connection, _ tick: Int64) throws {
    if let next, let old = try PageRow(key, connection), old.next != next {
      let nextKey = PageKey(key.list, next)
      if try PageRow(nextKey, connection) == nil {
        var rest = try old.rest(after: Set(ids), connection)
        rest.key = nextKey
        try rest.put(connection, tick)
      }
    }
    try put(connection, tick)
  }

  /// The part of the list that begins with this page, after the last of some items; all of it when it has none of them.
  private func rest(after items: Set<String>, _ connection: Connection) throws -> PageRow {
    var (page, hops, found) = (self, 0, PageRow?.none)
    while true {
      if let last = page.ids.lastIndex(where: items.contains) {
        var rest = page
        rest.ids = Array(page.ids[(last + 1)...])
        found = rest
        if !rest.ids.isEmpty { break }
      } else if found != nil {
        break
      }
      hops += 1
      guard hops < Self.hops, let next = page.next, let following = try PageRow(PageKey(key.list, next), connection) else { break }
      page = following
    }
    var rest = found ?? self
    rest.etag = nil
    return rest
  }

  private func put(_ connection: Connection, _ tick: Int64) throws {
    try connection.execute(
      "INSERT OR REPLACE INTO page (list, cursor, read, fetched, ids, next, etag, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", key.list,
      key.cursor, tick, fetchedAt, FieldCoder.bytes(ids), next, etag, digest)
  }
}
