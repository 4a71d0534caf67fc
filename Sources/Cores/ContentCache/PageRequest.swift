import Foundation
import Runtime

/// One page of a longer list, as the server answered it.
public struct FetchedPage<Value: Entity>: Equatable, Sendable {
  /// The entities, in the list's order.
  public var items: [Value]
  /// The cursor of the next page; `nil` on the last.
  public var next: String?
  /// The entity tag of this state of the page; `nil` when the server gave none, or to request all of it next time.
  public var etag: String?

  public init(items: [Value], next: String? = nil, etag: String? = nil) {
    self.items = items
    self.next = next
    self.etag = etag
  }
}

/// What the server says to a question for a page.
public enum PageAnswer<Value: Entity>: Equatable, Sendable {
  /// The page, which is new or has changed.
  case page(FetchedPage<Value>)
  /// The page is still as its entity tag says.
  case notModified
}

/// A request under way, shared by all callers who want the same.
@MainActor final class PageRequest {
  var task: Task<Void, Never>?
  /// Counts how often it was sent: only the last answer counts.
  var attempt = 0
  private var listeners: [(token: Int, then: (Result<PageRow, any Error>) -> Void)] = []
  private var lastToken = 0

  var isWanted: Bool { !listeners.isEmpty }

  func add(_ then: @escaping (Result<PageRow, any Error>) -> Void) -> Int {
    lastToken += 1
    listeners.append((lastToken, then))
    return lastToken
  }

  func remove(_ token: Int) { listeners.removeAll { $0.token == token } }

  /// Gives all callers the result, in the order of their calls.
  func finish(_ result: Result<PageRow, any Error>) {
    while !listeners.isEmpty { listeners.removeFirst().then(result) }
  }
}

extension Cache {
  /// Loads one entity from the entity store, unless it is in memory already.
  /// - Returns: the entity; `nil` when only the server may have it.
  @discardableResult public func loadFromStore(_ id: String) async -> Value? {
    if self[id] == nil { _ = await loadFromStore(PageKey("=" + id, nil), single: id) }
    return self[id]
  }

  /// Loads one entity by itself: first its stored value with its ``Entity/detail``, then the server's. Callers at the same time share one
  /// request.
  /// - Parameters:
  ///   - id: which entity.
  ///   - label: what the delivery is called.
  ///   - effects: the door off the main actor.
  ///   - refetch: whether to send another request while one is under way, since the answer may differ now. All callers get the new one.
  ///   - fetch: asks the server, with the entity tag of the present value, if it has one; returns a page with one entity.
  /// - Returns: the server's value, without the user's pending changes, and with the detail only if the server gave it.
  /// - Throws: what `fetch` throws; `CancellationError` when the cache was emptied meanwhile.
  public func load(
    _ id: String, _ label: String, effects: Effects, refetch: Bool = false,
    fetch: @escaping @Sendable (_ etag: String?) async throws -> PageAnswer<Value>
  ) async throws -> Value {
    let key = PageKey("=" + id, nil)
    if let page = pages[key] { persist(page) } else { _ = await loadFromStore(key, single: id) }
    var observation: Observation?
    let page = try await withCheckedThrowingContinuation { continuation in
      observation = request(key, label, effects, refetch: refetch) {
        try await fetch($1)
      } then: {
        continuation.resume(with: $0)
      }
    }
    withExtendedLifetime(observation) {}
    guard var value = value(id) else { throw NothingToConfirm() }
    if page.isBare { value.detail = nil }
    return value
  }

  /// Requests a page from the server, once for all callers at the same time. The answer is stored before they get it.
  ///
  /// The request has an entity tag if the values here are those of the answer with that tag.
  /// - Returns: to be cancelled or released by a caller that no longer wants the answer; the request ends with the last.
  func request(
    _ key: PageKey, _ label: String, _ effects: Effects, refetch: Bool = false,
    fetch: @escaping @Sendable (_ cursor: String?, _ etag: String?) async throws -> PageAnswer<Value>,
    then: @escaping @MainActor (Result<PageRow, any Error>) -> Void
  ) -> Observation {
    let request = requests[key] ?? PageRequest()
    requests[key] = request
    if request.task == nil || refetch { start(request, of: key, label: label, effects: effects, fetch: fetch) }
    let token = request.add(then)
    return Observation { [weak self] in
      request.remove(token)
      guard !request.isWanted else { return }
      request.task?.cancel()
      if let self, requests[key] === request { requests[key] = nil }
    }
  }

  private func start(
    _ request: PageRequest, of key: PageKey, label: String, effects: Effects,
    fetch: @escaping @Sendable (_ cursor: String?, _ etag: String?) async throws -> PageAnswer<Value>
  ) {
    request.task?.cancel()
    request.attempt += 1
    let (attempt, requestedAt) = (request.attempt, logicalTime())
    let tagged = pages[key].flatMap(tagged)
    let cursor = key.cursor.isEmpty ? nil : key.cursor
    request.task = Task { [weak self] in
      let result: Result<Answered<Value>, any Error>
      do {
        result = .success(try await effects.run(label) { try await Answered(requesting: fetch, at: cursor, unless: tagged) })
      } catch { result = .failure(error) }
      // The callers may be gone, or the user signed out.
      guard let self, requests[key] === request, request.attempt == attempt else { return }
      requests[key] = nil
      request.finish(result.map { take($0, key, requestedAt) })
      onAnswer?(result.failure)
    }
  }

  private func take(_ answer: Answered<Value>, _ key: PageKey, _ requestedAt: LogicalTime) -> PageRow {
    let page = answer.page
    store(page.items, asOf: requestedAt)
    var taken: Set<String> = []
    let ids = page.items.map(\.id).filter { taken.insert($0).inserted }
    var row = PageRow(
      key: key, ids: ids, next: page.next, etag: page.etag, digest: answer.digest,
      fetchedAt: entityStore?.clock.now ?? .distantPast)
    row.isBare = page.items.allSatisfy { $0.detail == nil }
    row.requestedAt = requestedAt
    persist(row)
    return row
  }

  /// A page with the server's last values of its entities; `nil` when some are missing here, or the page has no tag.
  private func tagged(_ row: PageRow) -> TaggedPage<Value>? {
    guard let etag = row.etag, let digest = row.digest else { return nil }
    let items = row.ids.compactMap(value)
    guard items.count == row.ids.count else { return nil }
    return TaggedPage(page: FetchedPage(items: items, next: row.next, etag: etag), digest: digest)
  }
}

/// A page that has an entity tag.
private struct TaggedPage<Value: Entity>: Sendable {
  /// As it is here.
  let page: FetchedPage<Value>
  /// The digest of the answer that had the tag.
  let digest: Int64

  /// The server's answer; `nil` when it has changed here since: by another answer, or because the file could not store it.
  var whole: FetchedPage<Value>? {
    // An entity's own request may have brought its detail, which belongs neither to a list nor to an answer without it.
    var bare = page
    for index in bare.items.indices { bare.items[index].detail = nil }
    return [bare, page].first { $0.digest == digest }
  }
}

/// The server's answer to the request for a page.
private struct Answered<Value: Entity>: Sendable {
  let page: FetchedPage<Value>
  let digest: Int64?

  /// Sends the tag of the present values, if they are still those of the answer that had it: "not modified" then counts as that answer.
  init(
    requesting fetch: @Sendable (_ cursor: String?, _ etag: String?) async throws -> PageAnswer<Value>, at cursor: String?,
    unless tagged: TaggedPage<Value>?
  ) async throws {
    let cached = tagged?.whole
    switch try await fetch(cursor, cached?.etag) {
    case .page(let page): (self.page, digest) = (page, page.etag == nil ? nil : page.digest)
    case .notModified:
      guard let cached else { throw NothingToConfirm() }
      (page, digest) = (cached, tagged?.digest)
    }
  }
}

extension FetchedPage {
  /// Identifies these entities' values in every run of the app; `nil` when they cannot be encoded. Computed from the whole value, not from
  /// the stored form, which is without ``Entity/detail``.
  var digest: Int64? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let bytes = try? encoder.encode(items) else { return nil }
    // No cryptographic hash: a user who forges one misleads only themselves.
    var hash = FNV1a()
    hash.add(bytes)
    return Int64(bitPattern: hash.value)
  }
}

/// There is nothing to give: the server calls unchanged what is not here, or its answer lacks the entity.
private struct NothingToConfirm: Error {}

extension Result {
  fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
