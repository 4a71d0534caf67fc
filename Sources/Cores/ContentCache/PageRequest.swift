import Foundation
import Runtime

/// One page of a longer list, as the server answered it.
public struct FetchedPage<Value: Entity>: Equatable, Sendable {
  /// The entities, in the list's order.
  public var items: [Value]
  /// What the next page is asked for with; `nil` on the last.
  public var next: String?
  /// What the server calls this state of the page; `nil` when it does not say, and to ask for all of it next time too.
  public var etag: String?

  /// Memberwise initializer.
  public init(items: [Value], next: String? = nil, etag: String? = nil) {
    self.items = items
    self.next = next
    self.etag = etag
  }
}

/// What the server says to a question for a page.
public enum PageAnswer<Value: Entity>: Equatable, Sendable {
  /// The page.
  case page(FetchedPage<Value>)
  /// The page is still as its entity tag says.
  case notModified
}

/// A question that is on its way, for everybody who asked it meanwhile.
@MainActor final class PageRequest {
  var task: Task<Void, Never>?
  /// Counts how often it was asked: only the last time counts.
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

  /// Tells all, in the order they asked.
  func finish(_ result: Result<PageRow, any Error>) {
    while !listeners.isEmpty { listeners.removeFirst().then(result) }
  }
}

extension Cache {
  /// Brings in what the store holds of one entity, unless it is known already.
  /// - Returns: the entity; `nil` when nothing is known of it without asking the server.
  @discardableResult public func loadFromStore(_ id: String) async -> Value? {
    if self[id] == nil { _ = await loadFromStore(PageKey("=" + id, nil), single: id) }
    return self[id]
  }

  /// Brings in one entity by itself: what is stored of it at once, its ``Entity/detail`` among it, and then what the server says. Asked by
  /// several meanwhile, it is asked for once.
  /// - Parameters:
  ///   - id: which entity.
  ///   - label: what the delivery is called.
  ///   - effects: the door off the main actor.
  ///   - refetch: whether it is asked for again while it is asked for already, since the answer may be another now. All get the new one.
  ///   - fetch: asks the server, with the entity tag of what is here, where there is one; answers with a page of one.
  /// - Returns: the server's value, without the reader's pending changes, and with the detail only if the server gave it.
  /// - Throws: what `fetch` throws; `CancellationError` when everything was forgotten meanwhile.
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

  /// Asks the server for a page, once for all who ask while that is under way; its answer is stored before they are told.
  ///
  /// With an entity tag, when what is here is what the answer with that tag said.
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
    let (attempt, requestedAt) = (request.attempt, stamp())
    let tagged = pages[key].flatMap(tagged)
    let cursor = key.cursor.isEmpty ? nil : key.cursor
    request.task = Task { [weak self] in
      let result: Result<Answered<Value>, any Error>
      do {
        result = .success(try await effects.run(label) { try await Answered(asking: fetch, at: cursor, unless: tagged) })
      } catch { result = .failure(error) }
      // The callers may be gone, or the reader signed out.
      guard let self, requests[key] === request, request.attempt == attempt else { return }
      requests[key] = nil
      request.finish(result.map { take($0, key, requestedAt) })
      onAnswer?(result.failure)
    }
  }

  private func take(_ answer: Answered<Value>, _ key: PageKey, _ requestedAt: Stamp) -> PageRow {
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

  /// A page with what the server last said of its entities; `nil` when that is not all here, or the page has no tag.
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
  /// Of what the server said when it gave the tag.
  let digest: Int64

  /// What the server said; `nil` when something else is here since: another answer changed it, or the file could not hold it.
  var whole: FetchedPage<Value>? {
    // What was read of an entity by itself is none of a list's, nor of an answer without it.
    var bare = page
    for index in bare.items.indices { bare.items[index].detail = nil }
    return [bare, page].first { $0.digest == digest }
  }
}

/// What the server said of a page.
private struct Answered<Value: Entity>: Sendable {
  let page: FetchedPage<Value>
  let digest: Int64?

  /// Asks with the tag of what is here, if that is what the tag stands for: "not modified" is the same answer once more, and counts as such.
  init(
    asking fetch: @Sendable (_ cursor: String?, _ etag: String?) async throws -> PageAnswer<Value>, at cursor: String?,
    unless tagged: TaggedPage<Value>?
  ) async throws {
    let known = tagged?.whole
    switch try await fetch(cursor, known?.etag) {
    case .page(let page): (self.page, digest) = (page, page.etag == nil ? nil : page.digest)
    case .notModified:
      guard let known else { throw NothingToConfirm() }
      (page, digest) = (known, tagged?.digest)
    }
  }
}

extension FetchedPage {
  /// What tells these entities from others, in every run of the app; `nil` when they cannot be encoded. Not of the form that they are stored
  /// in, which is without their ``Entity/detail``.
  var digest: Int64? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let bytes = try? encoder.encode(items) else { return nil }
    // No cryptographic hash: a reader who forges one misleads only themselves.
    var hash = FNV1a()
    hash.add(bytes)
    return Int64(bitPattern: hash.value)
  }
}

/// The server calls unchanged what was never here.
private struct NothingToConfirm: Error {}

extension Result {
  fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
