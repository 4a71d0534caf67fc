import ContentCache
import PurchaseService

/// The requests that are sent once when a reader comes in, and repeated until they are answered: whenever the publication may be there.
/// Isolated to the main actor.
@MainActor final class UnansweredRequests {
  enum Name { case publication, passes, purchases }

  typealias Request = @MainActor () async throws -> Void
  private var unanswered: [(name: Name, request: Request)] = []

  /// Asks. A question without an answer is kept, in the place of an earlier one of this name; a no is an answer.
  func send(_ name: Name, _ request: @escaping Request) async {
    unanswered.removeAll { $0.name == name }
    do { try await request() } catch {
      guard (error as? StoreError)?.kind != .refused, !RequestError.isAnswer(error) else { return }
      unanswered.removeAll { $0.name == name }
      unanswered.append((name, request))
    }
  }

  /// The publication has answered something, or there is a network: each open question is asked once more.
  func retryUnreachable() {
    let open = unanswered
    unanswered = []
    for (name, request) in open { Task { await send(name, request) } }
  }
}
