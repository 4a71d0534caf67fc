import FeatureKit
import NavigationCore
import PublicationAPI

/// An open place: what a presenter binds a view to.
public struct Screen: ScreenLifecycle {
  /// The view model, as the type that all conform to. Further abilities are protocols of their own.
  public let model: any ScreenModel

  /// The screen of this view model.
  public init(_ model: any ScreenModel) { self.model = model }

  /// Tells the view model that its page is the visible one.
  public func appear() { model.appear() }
  /// Tells the view model that its page is no longer the visible one.
  public func disappear() { model.disappear() }
  /// Tells a sheet with something under way that it was closed, by any means.
  public func closed() { (model as? any Closable)?.closed() }

  /// What would be lost if it were left now, in a sentence; `nil` when nothing would.
  var lossOnLeaving: String? { (model as? any AsksBeforeLeaving)?.lossOnLeaving }
  /// Calls `observer` now, and after each change of what the screen shows.
  func observe(_ observer: @escaping @MainActor () -> Void) { model.observeChanges(observer) }

  /// Whether back leads to an earlier step of it, instead of away.
  var canStepBack: Bool { (model as? any Stepped)?.canStepBack ?? false }
  /// Goes back to the step before.
  func stepBack() { (model as? any Stepped)?.stepBack() }

  /// Whether ``refresh()`` does anything.
  public var canRefresh: Bool { model is any Refreshable }
  /// Loads the page again, where it can be: the button, or F5.
  public func refresh() { (model as? any Refreshable)?.refresh() }

  /// Whether something was done here that can be undone.
  public var canUndo: Bool { (model as? any PostListScreen)?.posts.list.state.canUndo ?? false }
  /// Takes back what ``canUndo`` speaks of.
  public func undo() { (model as? any PostListScreen)?.send(.undoTapped) }

  /// The name of the entity that it shows; `nil` for a screen without one.
  public var title: String? { (model as? any Titled)?.title }

  /// Whether a post can be read here, or stands in this list.
  func shows(_ post: Post.ID) -> Bool { (model as? any PostShowing)?.shows(post) ?? false }
}

extension ScreenModel {
  fileprivate func observeChanges(_ observer: @escaping @MainActor () -> Void) { observe { _ in observer() } }
}
