import Runtime

/// One page of a longer list, as the server answered it.
public struct FetchedPage<Value: Entity>: Equatable, Sendable {
  /// The entities, in the list's order.
  public var items: [Value]
  /// What the next page is asked for with; `nil` on the last.
  public var next: String?
  /// What the server calls this state of the page; `nil` when it does not say, and to ask for all of it next time too.
  public var etag: String?

  /// Makes one.
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
  /// Brings in one entity by itself: what is stored of it at once, its ``Entity/detail`` among it, and then what the server says. Asked by
  /// several meanwhile, it is asked for once.
  /// - Parameters:
  ///   - label: what the delivery is called.
  ///   - anew: whether it is asked for again while it is asked for already, since the answer may be another now. All get the new one.
  ///   - fetch: asks the server, with the entity tag of what is here, where there is one; answers with a page of one.
  /// - Returns: the server's value, without the reader's pending changes, and with the detail only if the server gave it.
  /// - Throws: what `fetch` throws; `CancellationError` when everything was forgotten meanwhile.
  public func load(
    _ id: String, _ label: String, effects: Effects, anew: Bool = false,
    fetch: @escaping @Sendable (_ etag: String?) async throws -> PageAnswer<Value>
  ) async throws -> Value {
    let key = PageKey("=" + id, nil)
    if pages[key] == nil { _ = await recall(key, single: id) }
    var held: Observation?
    let page = try await withCheckedThrowingContinuation { continuation in
      held = request(key, label, effects, anew: anew) {
        try await fetch($1)
      } then: {
        continuation.resume(with: $0)
      }
    }
    withExtendedLifetime(held) {}
    guard var value = value(id) else { throw NothingToConfirm() }
    if page.isBare { value.detail = nil }
    return value
  }

  /// Asks the server for a page, once for all who ask while that is under way; its answer is stored before they are told.
  ///
  /// With an entity tag, when the page and all of its entities are here.
  /// - Returns: whoever no longer wants to know cancels or releases it; the question ends with the last.
  func request(
    _ key: PageKey, _ label: String, _ effects: Effects, anew: Bool = false,
    fetch: @escaping @Sendable (_ cursor: String?, _ etag: String?) async throws -> PageAnswer<Value>,
    then: @escaping @MainActor (Result<PageRow, any Error>) -> Void
  ) -> Observation {
    let request = requests[key] ?? PageRequest()
    requests[key] = request
    if request.task == nil || anew { begin(request, key, label, effects, fetch) }
    let token = request.add(then)
    return Observation { [weak self] in
      request.remove(token)
      guard !request.isWanted else { return }
      request.task?.cancel()
      if let self, requests[key] === request { requests[key] = nil }
    }
  }

  private func begin(
    _ request: PageRequest, _ key: PageKey, _ label: String, _ effects: Effects,
    _ fetch: @escaping @Sendable (_ cursor: String?, _ etag: String?) async throws -> PageAnswer<Value>
  ) {
    request.task?.cancel()
    request.attempt += 1
    let (attempt, asked) = (request.attempt, stamp())
    let etag = pages[key].flatMap { page in page.ids.allSatisfy(knows) ? page.etag : nil }
    let cursor = key.cursor.isEmpty ? nil : key.cursor
    request.task = Task { [weak self] in
      let result: Result<PageAnswer<Value>, any Error>
      do { result = .success(try await effects.run(label) { try await fetch(cursor, etag) }) } catch { result = .failure(error) }
      // Whoever wanted to know may be gone, or signed out.
      guard let self, requests[key] === request, request.attempt == attempt else { return }
      requests[key] = nil
      request.finish(result.flatMap { answer in Result { try take(answer, key, asked) } })
      onAnswer?(result.failure)
    }
  }

  private func take(_ answer: PageAnswer<Value>, _ key: PageKey, _ asked: Stamp) throws -> PageRow {
    let now = entityStore?.clock.now ?? .distantPast
    switch answer {
    case .page(let page):
      store(page.items, asOf: asked)
      var row = PageRow(key: key, ids: page.items.map(\.id), next: page.next, etag: page.etag, fetched: now)
      row.isBare = page.items.allSatisfy { $0.detail == nil }
      row.asked = asked
      keep(row)
    case .notModified:
      if let page = pages[key] { keep(PageRow(key: key, ids: page.ids, next: page.next, etag: page.etag, fetched: now, asked: asked)) }
    }
    guard let page = pages[key] else { throw NothingToConfirm() }
    return page
  }
}

/// The server calls unchanged what was never here.
private struct NothingToConfirm: Error {}

extension Result {
  fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
