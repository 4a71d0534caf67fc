import ContentCache
import PurchaseService

/// The requests that are sent once when a reader comes in, and repeated until they are answered: whenever the publication may be there.
/// Isolated to the main actor.
@MainActor final class UnansweredRequests {
  enum Name { case publication, passes, purchases }

  typealias Question = @MainActor () async throws -> Void
  private var unanswered: [(name: Name, question: Question)] = []

  /// Asks. A question without an answer is kept, in the place of an earlier one of this name; a no is an answer.
  func ask(_ name: Name, _ question: @escaping Question) async {
    unanswered.removeAll { $0.name == name }
    do { try await question() } catch {
      guard (error as? StoreError)?.kind != .refused, !RequestError.isAnswer(error) else { return }
      unanswered.removeAll { $0.name == name }
      unanswered.append((name, question))
    }
  }

  /// The publication has answered something, or there is a network: each open question is asked once more.
  func retryUnreachable() {
    let open = unanswered
    unanswered = []
    for (name, question) in open { Task { await ask(name, question) } }
  }
}
