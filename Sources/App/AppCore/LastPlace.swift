import NavigationCore

/// Where a reader was, for their next start: the tab, and its pages.
///
/// Sheets are left out, since each answers a request, and so is a search, since its words are gone.
struct LastPlace: Codable, Equatable, Sendable {
  var tab = Tab.home
  /// From the bottom.
  var pages: [Destination] = []

  /// As many pages as one goes back through.
  private static let most = 20

  /// The first page of the first tab.
  init() {}

  init(_ tree: NavigationTree<Destination>) {
    guard tree.tabs.indices.contains(tree.selectedTab) else { return }
    tab = Tab.allCases[tree.selectedTab]
    pages = tree.tabs[tree.selectedTab].dropFirst().map(\.destination).filter { $0 != .search }.suffix(Self.most)
  }

  /// Opens it in fresh tabs.
  func open(in tree: inout NavigationTree<Destination>) {
    tree.select(tab: Tab.allCases.firstIndex(of: tab) ?? 0)
    for page in pages { tree.open(page) }
  }
}
