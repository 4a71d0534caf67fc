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
  func send(_ name: Name, _ request: @escaping Request) async {
    unanswered.removeAll { $0.name == name }
    do { try await request() } catch {
      guard (error as? StoreError)?.kind != .refused, !RequestError.isAnswer(error) else { return }
      unanswered.removeAll { $0.name == name }
      unanswered.append((name, request))
    }
  }

  /// Repeats each unanswered request once: the publication has answered something, or there is a network.
  func retryUnreachable() {
    let open = unanswered
    unanswered = []
    for (name, request) in open { Task { await send(name, request) } }
  }
}
