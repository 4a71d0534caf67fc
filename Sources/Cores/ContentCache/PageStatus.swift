import Foundation

/// The status of one page of a list: what is shown of it, and what it waits for.
///
/// This is the only place that decides which status follows which. ``PageFetcher`` does what a status asks for: it reads the entity store,
/// or asks the server.
enum PageStatus: Equatable {
  /// Nothing is shown of it, and it waits for nothing.
  case unloaded
  /// Nothing is shown of it; the entity store is being read. With the failure, where the server could not be reached before.
  case loadingFromStore(after: RequestError?)
  /// Nothing of it is shown; a request is under way.
  case requested
  /// Nothing is shown of it: the last try failed.
  case failed(RequestError)
  /// It is shown from the entity store, as it was fetched at that time.
  case stored(Date)
  /// The same, while the server is asked for it.
  case revalidating(Date)
  /// It is shown as the server had it at that moment of this run.
  case fetched(LogicalTime)
  /// The same, while it is requested again.
  case refreshing(LogicalTime)

  /// What happens to a page.
  enum Event: Equatable {
    /// The page is to be loaded.
    case load(FetchPolicy)
    /// The entity store has it, as it was fetched then.
    case foundInStore(Date)
    /// The entity store does not have it.
    case missingInStore
    /// The server's answer to a request at that moment.
    case answered(LogicalTime)
    /// The server has answered, but the answer is not shown yet: the user would lose their place.
    case heldBack
    /// The server's answer has nothing new and names another page, as the answers before it did: there may be no end to that.
    case nothingNew
    /// The server said no, or could not be reached.
    case failed(RequestError)
    /// No caller waits for the answer any more.
    case cancelled
  }

  /// - Parameter policy: that of the list.
  /// - Returns: the status after an event; `nil` where that cannot happen.
  func after(_ event: Event, _ policy: FetchPolicy) -> PageStatus? {
    switch (self, event) {
    // Pages of which nothing is shown.
    case (.unloaded, .load(.storedOnly)), (.unloaded, .load(.storedThenServer)), (.failed, .load(.storedOnly)),
      (.failed, .load(.storedThenServer)):
      .loadingFromStore(after: nil)
    case (.unloaded, .load), (.failed, .load): .requested
    case (.loadingFromStore, .foundInStore(let date)): policy == .storedThenServer ? .revalidating(date) : .stored(date)
    case (.loadingFromStore(after: let failure?), .missingInStore): .failed(failure)
    case (.loadingFromStore(after: nil), .missingInStore): policy == .storedThenServer ? .requested : .unloaded
    case (.requested, .answered(let time)): .fetched(time)
    case (.requested, .nothingNew): .failed(.nothingNew)
    case (.requested, .failed(let failure)):
      policy == .serverElseStored && failure.isUnreachable ? .loadingFromStore(after: failure) : .failed(failure)
    case (.loadingFromStore, .cancelled), (.requested, .cancelled): .unloaded

    // Pages that are shown.
    case (.stored(let date), .load), (.revalidating(let date), .load): .revalidating(date)
    case (.fetched(let time), .load), (.refreshing(let time), .load): .refreshing(time)
    case (.stored, .answered(let time)), (.revalidating, .answered(let time)), (.fetched, .answered(let time)),
      (.refreshing, .answered(let time)):
      .fetched(time)
    case (.stored(let date), .heldBack), (.revalidating(let date), .heldBack), (.revalidating(let date), .failed),
      (.revalidating(let date), .cancelled):
      .stored(date)
    case (.fetched(let time), .heldBack), (.refreshing(let time), .heldBack), (.refreshing(let time), .failed),
      (.refreshing(let time), .cancelled):
      .fetched(time)

    case (.stored, .cancelled), (.fetched, .cancelled), (.unloaded, .cancelled), (.failed, .cancelled): self
    default: nil
    }
  }

  /// Whether an answer of the entity store or of the server is awaited.
  var isLoading: Bool {
    switch self {
    case .loadingFromStore, .requested, .revalidating, .refreshing: true
    case .unloaded, .failed, .stored, .fetched: false
    }
  }

  /// Whether the stored page is shown, and is being revalidated.
  var isRevalidating: Bool { if case .revalidating = self { true } else { false } }

  /// When the shown page was fetched, if it is from the entity store, and the server has not answered since.
  var storedDate: Date? {
    switch self {
    case .stored(let date), .revalidating(let date): date
    default: nil
    }
  }

  /// The moment of the request for what is shown, in this run.
  var requestedAt: LogicalTime? {
    switch self {
    case .fetched(let time), .refreshing(let time): time
    default: nil
    }
  }
}

extension RequestError {
  /// The user may look further; nothing does so by itself.
  static let nothingNew = RequestError.refused("There may be more, but the last pages were empty. Try again to look further.")
}
