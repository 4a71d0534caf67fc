import StubStore

extension TesterViewModel {
  /// Everything the tester panel shows.
  public struct State: Equatable, Sendable {
    /// A part of the panel: lines to read, and buttons below them.
    public struct Section: Equatable, Sendable, Identifiable {
      /// What it is about, and its heading.
      public var id: String
      /// Lines, from the top.
      public var lines: [String] = []
      /// Buttons below the lines.
      public var groups: [Group] = []

      public init(_ id: String, lines: [String] = [], groups: [Group] = []) {
        self.id = id
        self.lines = lines
        self.groups = groups
      }
    }

    /// Buttons that belong together.
    public struct Group: Equatable, Sendable {
      /// What they are about; empty when the section says so.
      public var caption: String
      /// The buttons, in reading order.
      public var controls: [Control]
      /// How many stand beside each other.
      public var columns: Int

      public init(_ caption: String = "", _ controls: [Control], columns: Int = 3) {
        self.caption = caption
        self.controls = controls
        self.columns = columns
      }
    }

    /// A button of the panel.
    public struct Control: Equatable, Sendable {
      /// What a press of the button does.
      public var action: Action
      /// What stands on it.
      public var title: String
      /// Whether it shows what is the case now.
      public var isOn = false

      public init(_ title: String, _ action: Action, isOn: Bool = false) {
        self.title = title
        self.action = action
        self.isOn = isOn
      }
    }

    /// What a button does.
    public enum Action: Codable, Equatable, Sendable {
      /// Something to the store.
      case command(TestStore.Command)
      /// Chooses the product that the outcomes of the next purchase and purchases elsewhere are for; `nil` for any.
      case choose(String?)
      /// Looks for new posts now, and not in a few minutes.
      case checkForNewPosts
    }

    /// The parts, from the top.
    public var sections: [Section] = []
    /// Why the last command was refused, or what is wrong with a file; `nil` when all is well.
    public var problem: String?

    /// The state before anything is loaded.
    public init() {}
  }
}
