/// The keys that the app tells people about: the readers' manual and the page of keys list this table.
///
/// The window and its screens bind their keys from it. Widgets bind ``scroll``, ``copySelection``, ``selectAll``, ``contextMenu`` and
/// ``sendComment`` by themselves. A key that moves within one widget, such as Down in a list, is not in it.
public enum Shortcut: String, CaseIterable, Codable, Sendable {
  /// Shows one of the tabs: four keys, in the order of the tabs.
  case tabs
  /// Closes a page or a sheet.
  case back
  /// Opens the search.
  case search
  /// Loads the page again.
  case refresh
  /// Opens the main menu.
  case menu
  /// Opens the preferences of this computer.
  case preferences
  /// Opens the page that lists these keys.
  case shortcuts
  /// Ends the app.
  case quit
  /// Scrolls an article by pages, or to one of its ends.
  case scroll
  /// Copies what is selected.
  case copySelection
  /// Selects a whole text.
  case selectAll
  /// Opens an article's page on the web.
  case openInBrowser
  /// Copies the address of an article's page on the web.
  case copyLink
  /// Opens the menu of what else can be done to a post of a list, or to a text.
  case contextMenu
  /// Takes back that posts were marked as read.
  case undo
  /// Sends what was written.
  case sendComment
  /// Makes all text one size larger.
  case largerText
  /// Makes all text one size smaller.
  case smallerText
  /// Makes all text as large as the desktop has it.
  case usualText
  /// Opens the tester panel, which only some builds have.
  case testerPanel

  /// What keys are listed under.
  public enum Group: String, CaseIterable, Sendable {
    /// Keys for the app as a whole.
    case app = "Matinee"
    /// Keys that lead from page to page.
    case places = "Getting around"
    /// Keys of lists, articles and comments.
    case reading = "Reading and writing"
  }

  /// The keys that do it, as GTK writes them: `<Control><Shift>t`.
  public var keys: [String] {
    switch self {
    case .tabs: ["<Alt>1", "<Alt>2", "<Alt>3", "<Alt>4"]
    case .back: ["<Alt>Left", "Escape"]
    case .search: ["<Control>f"]
    case .refresh: ["F5", "<Control>r"]
    case .menu: ["F10"]
    case .preferences: ["<Control>comma"]
    case .shortcuts: ["<Control>question", "F1"]
    case .quit: ["<Control>q", "<Control>w"]
    case .scroll: ["space", "<Shift>space", "Page_Up", "Page_Down", "Home", "End"]
    case .copySelection: ["<Control>c"]
    case .selectAll: ["<Control>a"]
    case .openInBrowser: ["<Control>o"]
    case .copyLink: ["<Control><Shift>c"]
    case .contextMenu: ["Menu", "<Shift>F10"]
    case .undo: ["<Control>z"]
    case .sendComment: ["<Control>Return"]
    case .largerText: ["<Control>plus"]
    case .smallerText: ["<Control>minus"]
    case .usualText: ["<Control>0"]
    case .testerPanel: ["<Control><Shift>t"]
    }
  }

  /// What other keys are called that stand for the same: those with numbers, and those without Shift.
  public var aliases: [String] {
    switch self {
    case .largerText: ["<Control>equal", "<Control>KP_Add"]
    case .smallerText: ["<Control>KP_Subtract"]
    case .usualText: ["<Control>KP_0"]
    default: []
    }
  }

  /// What the keys do, in a phrase.
  public var action: String {
    switch self {
    case .tabs: "Home, Fan clubs, Bookmarks, Account"
    case .back: "Go back, or close what is on top"
    case .search: "Search"
    case .refresh: "Refresh"
    case .menu: "Open the main menu"
    case .preferences: "Open the preferences"
    case .shortcuts: "List these keys"
    case .quit: "End the app"
    case .scroll: "Scroll an article"
    case .copySelection: "Copy the selection in an article or a comment"
    case .selectAll: "Select all of an article or a comment"
    case .openInBrowser: "Open an article's page on the web"
    case .copyLink: "Copy the address of that page"
    case .contextMenu: "Open the menu of a post or a text"
    case .undo: "Undo marking as read"
    case .sendComment: "Send a comment"
    case .largerText: "Make text larger"
    case .smallerText: "Make text smaller"
    case .usualText: "Text in its usual size"
    case .testerPanel: "Open the tester panel, in builds that have one"
    }
  }

  /// What they are listed under.
  public var group: Group {
    switch self {
    case .menu, .preferences, .shortcuts, .quit, .largerText, .smallerText, .usualText, .testerPanel: .app
    case .tabs, .back, .search, .refresh: .places
    case .scroll, .copySelection, .selectAll, .openInBrowser, .copyLink, .contextMenu, .undo, .sendComment: .reading
    }
  }

  /// The keys as people read them: `Ctrl+Shift+T`.
  public var labels: [String] { keys.map(Self.label) }

  /// Translates a key from GTK's notation into what is printed on keyboards.
  static func label(of key: String) -> String {
    var rest = key[...]
    var parts: [String] = []
    while rest.hasPrefix("<"), let end = rest.firstIndex(of: ">") {
      let modifier = String(rest[rest.index(after: rest.startIndex)..<end])
      parts.append(modifier == "Control" ? "Ctrl" : modifier)
      rest = rest[rest.index(after: end)...]
    }
    let name = String(rest)
    parts.append(names[name] ?? (name.count == 1 ? name.uppercased() : name))
    return parts.joined(separator: "+")
  }

  private static let names = [
    "Return": "Enter", "space": "Space", "Page_Up": "Page Up", "Page_Down": "Page Down", "question": "?", "comma": ",", "plus": "+",
    "minus": "-",
  ]
}
