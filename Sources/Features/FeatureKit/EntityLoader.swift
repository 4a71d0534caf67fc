import ContentCache
import PublicationClient
import ReaderContent

/// How a page about one entity stands.
public enum EntityPhase: Equatable, Sendable {
  /// Something of it is on its way; what is known is shown meanwhile.
  case loading
  /// All there is to show is shown.
  case ready
  /// There is no such entity, or no longer; the sentence says so.
  case gone(String)
  /// It did not come, because the publication cannot be reached; the sentence says when it does.
  case offline(String)
  /// It did not come, for another reason; the sentence says which.
  case failed(String)
}

extension RequestError {
  /// What a page says in place of what did not come. Why the publication cannot be reached is said once, below all pages.
  public var absence: String { isUnreachable ? "It comes as soon as the publication can be reached." : sentence }
}

/// Loads one entity for a page: at first, when the reader wants it again, and when the publication can be reached again. Isolated to the main
/// actor.
@MainActor public final class EntityLoader<Entity> {
  /// Whether a request is on its way.
  public private(set) var isLoading = false
  /// Why the last request failed; `nil` after an answer, and while the reader awaits one.
  public private(set) var failure: (any Error)?

  private let store: ContentStore
  private let request: @MainActor (_ refetch: Bool) async throws -> Entity
  private let onEnd: @MainActor (Result<Entity, any Error>) -> Void
  /// Counts requests: only the answer to the last one counts.
  private var generation = 0

  /// - Parameters:
  ///   - store: the reader's content; nothing is told once it is closed.
  ///   - request: brings the entity into the cache. `refetch` says that a request is under way already, whose answer may be from before what
  ///     is wanted now.
  ///   - onEnd: told how each request ended, unless a later one replaced it.
  public init(
    _ store: ContentStore, request: @escaping @MainActor (_ refetch: Bool) async throws -> Entity,
    onEnd: @escaping @MainActor (Result<Entity, any Error>) -> Void = { _ in }
  ) {
    self.store = store
    self.request = request
    self.onEnd = onEnd
  }

  /// Sends the request.
  /// - Parameter retainsFailure: whether ``failure`` stays until there is an answer.
  public func load(retainsFailure: Bool = false) {
    let refetch = isLoading
    generation += 1
    isLoading = true
    if !retainsFailure { failure = nil }
    Task { [weak self, request, generation] in
      let result: Result<Entity, any Error>
      do { result = .success(try await request(refetch)) } catch { result = .failure(error) }
      self?.ended(result, generation)
    }
  }

  /// Sends the request again when the publication could not be reached for it. The page keeps its notice until there is an answer.
  /// - Returns: whether it does.
  @discardableResult public func retryUnreachable() -> Bool {
    guard isUnreachable, !isLoading else { return false }
    load(retainsFailure: true)
    return true
  }

  /// Drops the answer that is on its way: what is here is newer.
  public func dropAnswer() {
    generation += 1
    isLoading = false
  }

  /// Whether the publication could not be reached.
  public var isUnreachable: Bool { failure.map { RequestError(explaining: $0).isUnreachable } ?? false }

  /// Whether the publication says that there is no such entity.
  public var isNotFound: Bool { (failure as? ClientError)?.isNotFound == true }

  /// What the page says of ``failure``; `nil` without one.
  public var failedPhase: EntityPhase? {
    failure.map {
      let error = RequestError(explaining: $0)
      return error.isUnreachable ? .offline(error.absence) : .failed(error.sentence)
    }
  }

  private func ended(_ result: Result<Entity, any Error>, _ mine: Int) {
    guard mine == generation, !store.isClosed else { return }
    isLoading = false
    failure = if case .failure(let error) = result { error } else { nil }
    onEnd(result)
  }
}
