import Foundation

// Not generic over the entity: the metadata of a generic type is looked up at run time.
/// The state of a list, for the page that shows it.
public struct PageState: Equatable, Sendable {
  /// What to show when there are no ids to show; merged from the other facts.
  public enum Status: Equatable, Sendable {
    /// Nothing was requested yet.
    case initial
    /// The first answer is on its way.
    case loading
    /// The list is empty, as far as is known: see ``PageState/isFromStore``.
    case empty
    /// The list has at least one identifier.
    case content
    /// The server's answer was no, with a sentence for the reader.
    case failed(String)
    /// The server could not be reached, with a sentence for the reader.
    case offline(String)
  }

  /// The list so far, without duplicates.
  public internal(set) var ids: [String] = []
  /// Whether the list is being fetched from its start.
  public internal(set) var isReloading = false
  /// Whether the next page is on its way.
  public internal(set) var isLoadingMore = false
  /// Why the last try failed; `nil` from the next one on.
  public internal(set) var failure: RequestError?
  /// Whether there is no further page.
  public internal(set) var reachedEnd = false
  /// Whether a part of it is from the store, and not confirmed by the server.
  public internal(set) var isFromStore = false
  /// When the oldest of that was fetched.
  public internal(set) var fetchedAt: Date?
  /// Whether the stored list is shown, and is being revalidated.
  public internal(set) var isRevalidating = false
  /// How many newer items the server has, which ``PageFetcher/showNewItems()`` shows: those above the first item, and late ones among the
  /// others of the first page.
  public internal(set) var newItemCount = 0
  /// Whether there may be more than ``newItemCount`` of them, since nothing on the server's first page is shown here.
  public internal(set) var hasMoreNewItems = false
  var isLoaded = false

  /// Whether anything is on its way.
  public var isLoading: Bool { isReloading || isLoadingMore }

  /// What a page shows in this state.
  public var status: Status {
    if !ids.isEmpty { return .content }
    if isReloading { return .loading }
    switch failure {
    case .refused(let sentence): return .failed(sentence)
    // A stored list that was empty counts as empty, not as unknown.
    case .unreachable(let sentence, _): return isFromStore ? .empty : .offline(sentence)
    case nil: return isLoaded ? .empty : .initial
    }
  }
}
