import ContentCache
import PublicationAPI
import Runtime

/// The fate of a reader's unsent work when they sign out.
extension ContentStore {
  /// What signing out now would delay or lose, a sentence each; empty for nothing.
  public var costsOfLeaving: [String] {
    var costs: [String] = []
    switch outboxStatus.value.count {
    case 0: break
    case 1: costs.append("1 change waits to be sent. It stays on this computer, and is sent when you sign in here again.")
    case let count: costs.append("\(count) changes wait to be sent. They stay on this computer, and are sent when you sign in here again.")
    }
    switch commentDrafts.count(where: { $0.value != refusedText(of: $0.key) }) {
    case 0: break
    case 1: costs.append("The comment that you began to write will be lost.")
    case let count: costs.append("The \(count) comments that you began to write will be lost.")
    }
    if isOutOfReach {
      costs.append(
        "The publication cannot be reached. Until it can you cannot sign in again. What is kept here for reading is removed, and the "
          + "publication goes on listing this session as yours.")
    }
    return costs
  }

  /// The text of refused comments, which stays in the outbox, and is in the field again after the next start.
  private func refusedText(of post: Post.ID) -> String {
    (handedBack + refusedComments).filter { $0.post == post }.compactMap(\.text).joined(separator: "\n\n")
  }

  /// Calls an observer at once, and whenever ``costsOfLeaving`` may be others.
  /// - Returns: what has to be held for as long as the observer is to be called.
  public func observeCostsOfLeaving(_ observer: @escaping @MainActor () -> Void) -> Observation {
    Observation([outboxStatus.observe { _ in observer() }, outOfReach.observe { _ in observer() }])
  }

  /// Returns when ``costsOfLeaving`` can be relied on: the actions on their way were answered, or wait for a change, and the publication
  /// was tested for reachability. An earlier answer may be old, and a request that hangs says nothing.
  /// - Parameter patience: how long that may take; a publication that does not answer in time counts as unreachable.
  public func learnCostsOfLeaving(within patience: Duration = .seconds(2)) async {
    let changes = outboxStatus.stream()
    var isAnswered = false
    // Not cancelled below: a late answer still counts.
    let question = Task { [weak self, client] in
      do { _ = try await self?.request("leave.reach") { try await client.publication() } } catch {
        if !RequestError.isAnswer(error) { self?.outOfReach.value = RequestError(explaining: error).sentence }
      }
      isAnswered = true
    }
    let watch = Task {
      for await waiting in changes where waiting.count == 0 || waiting.problem != nil { break }
      await question.value
    }
    await effects.wait("leave.patience", for: patience, on: clock, until: watch)
    watch.cancel()
    if !isAnswered { outOfReach.value = "The publication does not answer." }
  }
}
