/// The view model of a screen: one state that any code may observe, and one way in. Isolated to the main actor.
@MainActor public protocol ScreenModel: AnyObject {
  /// Everything that the screen shows.
  associatedtype State: Equatable & Sendable
  /// What a person can do here, one case each. Codable, so that a scenario can name it.
  associatedtype Input: Codable & Sendable

  /// The single source of truth.
  var state: State { get }
  /// Calls `observer` with the state at once, and with each other state after that, for as long as the view model lives. An observer that
  /// may end earlier captures its objects weakly.
  func observe(_ observer: @escaping @MainActor (State) -> Void)
  /// Handles an input of the person: the only way in for views, scenarios and tests.
  func send(_ input: Input)
  /// The screen became the visible one.
  func appear()
  /// The screen is no longer the visible one.
  func disappear()
}

extension ScreenModel {
  /// Does nothing: not every screen has work to begin.
  public func appear() {}
  /// Does nothing: not every screen has work to stop.
  public func disappear() {}
}

/// A screen that can be loaded again: by its button, or F5.
@MainActor public protocol Refreshable: ScreenModel {
  /// Sends the input that loads the screen again.
  func refresh()
}

/// A sheet with work under way, which is notified when it is closed by any means.
@MainActor public protocol Closable: ScreenModel {
  /// The sheet is gone from the screen.
  func closed()
}

/// A screen with something under way that is lost when it is left: the reader is asked first.
@MainActor public protocol AsksBeforeLeaving: ScreenModel {
  /// What would be lost now, and why, in a sentence; `nil` when nothing would.
  var lossOnLeaving: String? { get }
}

/// A screen with steps of its own: back leads to the step before first.
@MainActor public protocol Stepped: ScreenModel {
  /// Whether there is a step before.
  var canStepBack: Bool { get }
  /// Sends the input that goes back to the step before.
  func stepBack()
}

/// A screen that shows one thing that has a name.
@MainActor public protocol Titled: ScreenModel {
  /// The name, for the window's title; `nil` while it is not known.
  var title: String? { get }
}

/// A screen on which posts can be read, or stand in a list.
@MainActor public protocol PostShowing: ScreenModel {
  /// Whether this post is among them.
  func shows(_ post: String) -> Bool
}

/// The state of a view model, which notifies its observers of each change.
///
///     @ViewState public private(set) var state = State()
///
/// Only the view model changes it; `$state` lets others observe it. Isolated to the main actor.
@MainActor @propertyWrapper public final class ViewState<Value: Equatable & Sendable> {
  /// Adds observers to the state.
  @MainActor public struct Observers {
    fileprivate let state: ViewState

    /// See ``ScreenModel/observe(_:)``.
    public func observe(_ observer: @escaping @MainActor (Value) -> Void) {
      state.observers.append(observer)
      observer(state.wrappedValue)
    }
  }

  private var observers: [@MainActor (Value) -> Void] = []

  /// The state; an equal one is no change.
  public var wrappedValue: Value {
    didSet {
      guard wrappedValue != oldValue else { return }
      for observer in observers { observer(wrappedValue) }
    }
  }

  /// Those who follow the state; a view adds itself by it.
  public var projectedValue: Observers { Observers(state: self) }

  /// - Parameter wrappedValue: the state at first.
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}
