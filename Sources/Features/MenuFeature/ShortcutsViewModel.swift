import FeatureKit

/// The keys of the app, as ``Shortcut`` has them. Isolated to the main actor.
@MainActor public final class ShortcutsViewModel: ScreenModel {
  /// Everything the sheet shows.
  public struct State: Equatable, Sendable {
    /// Keys that belong together.
    public struct Section: Equatable, Sendable {
      /// What they are listed under.
      public let title: String
      /// In the order of the table.
      public let shortcuts: [Shortcut]
    }

    /// One below the other.
    public var sections: [Section]
  }

  /// What the coordinator shall do.
  public enum Output: Equatable, Sendable {
    /// Close the sheet.
    case close
  }

  /// What the person did.
  public enum Input: Codable, Equatable, Sendable {
    /// The person has read it.
    case closeTapped
  }

  /// The single source of truth.
  @ViewState public private(set) var state: State
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }

  private let output: @MainActor (Output) -> Void

  /// - Parameters:
  ///   - hasTesterPanel: whether this build has the tester panel.
  ///   - output: called with what the coordinator is to do.
  public init(hasTesterPanel: Bool, output: @escaping @MainActor (Output) -> Void) {
    state = State(
      sections: Shortcut.Group.allCases.map { group in
        .init(title: group.rawValue, shortcuts: Shortcut.allCases.filter { $0.group == group && ($0 != .testerPanel || hasTesterPanel) })
      })
    self.output = output
  }

  /// Handles an input of the person.
  public func send(_ input: Input) {
    switch input {
    case .closeTapped: output(.close)
    }
  }
}
