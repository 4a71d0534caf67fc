import ContentCache
import PublicationAPI
import Runtime

/// What becomes of a reader's work when they sign out.
extension ContentStore {
  /// What signing out now would put off or lose, a sentence each; empty when it would nothing.
  public var costsOfLeaving: [String] {
    var costs: [String] = []
    switch waiting.value.count {
    case 0: break
    case 1: costs.append("1 change waits to be sent. It stays on this computer, and is sent when you sign in here again.")
    case let count: costs.append("\(count) changes wait to be sent. They stay on this computer, and are sent when you sign in here again.")
    }
    // What was refused of them is kept, and handed back at the next start.
    switch commentDrafts.keys.count(where: { post in !(handedBack + refusedComments).contains { $0.post == post } }) {
    case 0: break
    case 1: costs.append("The comment that you began to write is lost.")
    case let count: costs.append("The \(count) comments that you began to write are lost.")
    }
    if isOutOfReach {
      costs.append(
        "The publication cannot be reached. Until it can you cannot sign in again, and what is kept here for reading is removed.")
    }
    return costs
  }

  /// Returns when nothing is on its way any more: it has come through, or waits for something to change.
  /// - Parameter patience: how long that may take.
  public func sent(within patience: Duration = .seconds(2)) async {
    guard waiting.value.count > 0, waiting.value.problem == nil else { return }
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let changes = waiting.stream()
    let watch = Task {
      for await waiting in changes where waiting.count == 0 || waiting.problem != nil { break }
      end.finish()
    }
    let timer = Task { [effects, clock] in
      try? await effects.sleep("leave.patience", for: patience, on: clock)
      end.finish()
    }
    for await _ in ended {}
    watch.cancel()
    timer.cancel()
  }
}
