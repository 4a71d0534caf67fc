/// Everything that is open, as a value: a permanent root, tabs above it, sheets above those, and a curtain in front of all.
///
/// A place is open at most once in a tab, so opening it again returns to it.
public struct NavigationTree<Destination: Hashable & Sendable>: Equatable, Sendable {
  /// One open screen.
  public struct Node: Identifiable, Hashable, Sendable {
    /// Counts up; never used twice in one process.
    public let id: Int
    /// The place that the screen shows.
    public let destination: Destination
  }

  /// The screen beneath everything: the login.
  public private(set) var root: Node
  /// One path a tab, its own first page at the bottom; no tabs while only the root shows.
  public private(set) var tabs: [[Node]] = []
  /// Which of ``tabs`` shows.
  public private(set) var selectedTab = 0
  /// Sheets above the tabs, the top one last.
  public private(set) var sheets: [Node] = []
  /// Whether the curtain hides everything.
  public var isCurtainDown = true

  private var lastID = 0

  /// A tree of the root alone, behind the curtain.
  public init(root: Destination) { self.root = Node(id: 0, destination: root) }

  /// The screen on top, also while the curtain hides it.
  public var top: Node { sheets.last ?? (tabs.isEmpty ? root : tabs[selectedTab][tabs[selectedTab].count - 1]) }

  /// The screen a person sees; `nil` behind the curtain.
  public var visible: Node? { isCurtainDown ? nil : top }

  /// Whether ``back()`` would change anything.
  public var canGoBack: Bool { !sheets.isEmpty || (!tabs.isEmpty && tabs[selectedTab].count > 1) }

  /// Every open screen: the root, the tabs' and the sheets.
  public var nodes: [Node] { [root] + tabs.flatMap { $0 } + sheets }

  /// Replaces everything above the root by new tabs; without tabs only the root is left. With tabs the root is new too: its former screen
  /// does not come back.
  public mutating func reset(tabs destinations: [Destination]) {
    sheets = []
    if !destinations.isEmpty { root = makeNode(root.destination) }
    tabs = destinations.map { [makeNode($0)] }
    selectedTab = 0
  }

  /// Shows another tab, as it was left; the tab that shows already goes back to its first page. Sheets close.
  public mutating func select(tab index: Int) {
    guard tabs.indices.contains(index) else { return }
    if index == selectedTab && sheets.isEmpty { tabs[index].removeLast(tabs[index].count - 1) }
    sheets = []
    selectedTab = index
  }

  /// Opens a page in the tab that shows. A page that is open further down moves to the top as it was left, and no page closes: the previous
  /// page, such as a search, is one step back. Sheets close.
  public mutating func open(_ destination: Destination) {
    guard !tabs.isEmpty else { return }
    sheets = []
    switch tabs[selectedTab].firstIndex(where: { $0.destination == destination }) {
    case nil: tabs[selectedTab].append(makeNode(destination))
    // A tab's first page stays its first.
    case 0?: tabs[selectedTab].removeLast(tabs[selectedTab].count - 1)
    case let index?: tabs[selectedTab].append(tabs[selectedTab].remove(at: index))
    }
  }

  /// Opens a sheet above all, also above the root alone; if it is open further down, the tree returns to it.
  public mutating func present(_ destination: Destination) {
    if let index = sheets.firstIndex(where: { $0.destination == destination }) {
      sheets.removeLast(sheets.count - 1 - index)
    } else {
      sheets.append(makeNode(destination))
    }
  }

  /// Closes what is on top: a sheet, else a page above a tab's first.
  public mutating func back() {
    if !sheets.isEmpty {
      sheets.removeLast()
    } else if canGoBack {
      tabs[selectedTab].removeLast()
    }
  }

  /// Closes the pages of all tabs whose content is gone, but no tab's first page.
  public mutating func close(where isGone: (Destination) -> Bool) {
    for index in tabs.indices { tabs[index] = tabs[index].prefix(1) + tabs[index].dropFirst().filter { !isGone($0.destination) } }
  }

  /// Closes all sheets.
  public mutating func dismiss() { sheets = [] }

  private mutating func makeNode(_ destination: Destination) -> Node {
    lastID += 1
    return Node(id: lastID, destination: destination)
  }
}
