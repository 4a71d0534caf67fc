/// What a coordinator draws through: a window for people, ``HeadlessPresenter`` for tests and scenarios.
///
/// Each call has the whole arrangement, and the presenter finds out what changed: no order of calls can be wrong.
@MainActor public protocol Presenter<Destination, Screen>: AnyObject {
  /// The app's type that names a place.
  associatedtype Destination: Hashable & Sendable
  /// The app's type of what is made to show a place.
  associatedtype Screen: ScreenLifecycle

  /// Shows this arrangement. A screen that is not in `screens` has never been visible and need not be drawn.
  func present(_ tree: NavigationTree<Destination>, screens: [NavigationTree<Destination>.Node.ID: Screen])
  /// Shows the person a short message, without replacing a screen.
  func show(message: String)
}

/// What the navigator calls on a screen. Isolated to the main actor.
@MainActor public protocol ScreenLifecycle {
  /// It became the visible one, for the first time or again.
  func appear()
  /// It is no longer the visible one and must do no work when entities change.
  func disappear()
  /// It was closed, after it disappeared, and never comes back.
  func closed()
}

extension ScreenLifecycle {
  /// Most screens have nothing to do.
  public func closed() {}
}

/// Records the last arrangement and all messages, and draws nothing.
@MainActor public final class HeadlessPresenter<Destination: Hashable & Sendable, Screen: ScreenLifecycle>: Presenter {
  /// The last arrangement; `nil` before the first.
  public private(set) var tree: NavigationTree<Destination>?
  /// The screens of ``tree`` that have been visible.
  public private(set) var screens: [NavigationTree<Destination>.Node.ID: Screen] = [:]
  /// Each place that became visible, in order; `nil` stands for the curtain.
  public private(set) var visited: [Destination?] = []
  /// The messages, in order.
  public private(set) var messages: [String] = []
  /// Called after ``present(_:screens:)`` and ``show(message:)``.
  public var onChange: (() -> Void)?

  /// A presenter that shows nothing yet.
  public init() {}

  /// The screen a person would see; `nil` behind the curtain.
  public var visibleScreen: Screen? { tree?.visible.flatMap { screens[$0.id] } }

  /// Keeps the arrangement in ``tree`` and ``screens``, and the visible place in ``visited``.
  public func present(_ tree: NavigationTree<Destination>, screens: [NavigationTree<Destination>.Node.ID: Screen]) {
    self.tree = tree
    self.screens = screens
    let place = tree.visible?.destination
    if visited.isEmpty || visited[visited.count - 1] != place { visited.append(place) }
    onChange?()
  }

  /// Adds the message to ``messages``.
  public func show(message: String) {
    messages.append(message)
    onChange?()
  }
}
