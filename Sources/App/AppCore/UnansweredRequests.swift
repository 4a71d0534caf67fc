import ContentCache
import PurchaseService

/// The requests that are sent when a reader signs in, and repeated until they are answered: whenever the publication may be reachable.
/// Isolated to the main actor.
@MainActor final class UnansweredRequests {
  enum Name { case publication, passes, purchases }

  typealias Request = @MainActor () async throws -> Void
  private var unanswered: [(name: Name, request: Request)] = []

  /// Sends a request. If it gets no answer it is kept for ``retryUnreachable()``, in place of an earlier one of that name. A refusal is an
  /// answer.
  /// - Returns: what the request threw; `nil` when it succeeded.
  @discardableResult func send(_ name: Name, _ request: @escaping Request) async -> (any Error)? {
    unanswered.removeAll { $0.name == name }
    do {
      try await request()
      return nil
    } catch {
      if (error as? StoreError)?.kind != .refused, !RequestError.isAnswer(error) {
        unanswered.removeAll { $0.name == name }
        unanswered.append((name, request))
      }
      return error
    }
  }

  /// Repeats each unanswered request once: the publication has answered something, or there is a network.
  func retryUnreachable() {
    let open = unanswered
    unanswered = []
    for (name, request) in open { Task { await send(name, request) } }
  }
}
