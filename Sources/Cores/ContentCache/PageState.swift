import Foundation

// Not generic over the entity: the metadata of a generic type is looked up at run time.
/// The state of a list, for the screen that shows it.
public struct PageState: Equatable, Sendable {
  /// What a screen shows of the list; see ``PageState/status``.
  public enum Status: Equatable, Sendable {
    /// Nothing was requested yet.
    case initial
    /// The first answer is on its way.
    case loading
    /// The list is empty, as far as is known: see ``PageState/isFromStore``.
    case empty
    /// The list has at least one identifier.
    case content
    /// The server's answer was no, with a sentence for the user.
    case failed(String)
    /// The server could not be reached, with a sentence for the user.
    case offline(String)
  }

  /// The list so far, without duplicates.
  public internal(set) var ids: [String] = []
  /// Whether the list is being fetched from its start.
  public internal(set) var isReloading = false
  /// Whether the next page is on its way.
  public internal(set) var isLoadingMore = false
  /// Why a shown page, or the first of a new list, could not be fetched; `nil` from the next ``PageFetcher/reload(_:showsNewItems:refetch:)``
  /// or ``PageFetcher/loadMore()`` on.
  public internal(set) var reloadFailure: RequestError?
  /// Why the next page could not be fetched; `nil` from the next of these calls on, and once another page follows.
  public internal(set) var loadMoreFailure: RequestError?
  /// Whether there is no further page.
  public internal(set) var reachedEnd = false
  /// Whether a part of it is from the entity store, and the server has not answered this fetcher about it.
  public internal(set) var isFromStore = false
  /// When the oldest of that was fetched.
  public internal(set) var fetchedAt: Date?
  /// Whether the stored list is shown, and is being revalidated.
  public internal(set) var isRevalidating = false
  /// How many newer items the server has, which ``PageFetcher/showNewItems()`` shows: those above the first item, and, where the fetcher
  /// knows the order, late ones among the others of the first page.
  public internal(set) var newItemCount = 0
  /// Whether there may be more than ``newItemCount`` of them, since nothing on the server's first page is shown here.
  public internal(set) var hasMoreNewItems = false
  var isLoaded = false

  /// Either failure; that of the list's start comes first.
  public var failure: RequestError? { reloadFailure ?? loadMoreFailure }

  /// Whether the first page or the next one is on its way.
  public var isLoading: Bool { isReloading || isLoadingMore }

  /// What a screen shows in this state.
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
