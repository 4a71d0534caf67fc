import FeatureKit
import Gtk

/// The line below a list while rows are loaded, and when further ones could not be loaded.
@MainActor final class ProgressLine {
  let root: Box
  /// Tries again what failed.
  let retry = Button("Try again", styles: [.flat])
  private let spinner = Spinner(isSpinning: false, name: "Loading")
  private let words = Label(styles: [.caption, .dim], wraps: true)
  private let loading: LoadingWords

  init() {
    loading = LoadingWords(words)
    root = Box(.horizontal, spacing: 8, margin: 6, children: [spinner, words, retry])
    loading.onExplained = { [root] in root.isVisible = true }
    retry.vertical = .center
    root.horizontal = .center
    root.isVisible = false
  }

  /// - Parameters:
  ///   - progress: what is going on; nil while nothing is.
  ///   - failure: why further rows could not be had.
  ///   - isSaid: whether it is said elsewhere that something is going on, and here only that it takes long.
  func show(_ progress: String?, failure: String?, isSaid: Bool = false) {
    let isExplained = progress != nil && loading.explains == progress
    root.isVisible = progress != nil && (!isSaid || isExplained) || failure != nil
    spinner.isSpinning = progress != nil
    spinner.isVisible = progress != nil
    loading.show(failure == nil ? progress : nil)
    if let failure { words.text = failure }
    retry.isVisible = failure != nil
  }

  /// - Parameter isSaid: whether another part of the page says that the list is being refreshed.
  func show(_ list: ListState, isSaid: Bool = false) {
    guard list.phase == .ready else { return show(nil, failure: nil) }
    show(list.isRefreshing && !isSaid ? "Refreshing…" : list.isLoadingMore ? "Loading more…" : nil, failure: list.loadMoreFailure)
  }
}
