/// A list that is fetched page by page to its end. A server that leads in circles, or on and on, has no more.
package struct Pagination<Item: Identifiable> {
  /// The cursor of the page that is next; `nil` for the first.
  package private(set) var cursor: String?
  /// Whether all pages were fetched.
  package private(set) var isAtEnd = false
  private var known: Set<Item.ID> = []
  private var cursors: Set<String> = []
  private var pagesWithNothingNew = 0

  /// A page may well have only items of a kind that this version does not know.
  private static var mostPagesWithNothingNew: Int { 5 }

  /// Begins with the first page.
  package init() {}

  /// Takes in a page.
  /// - Parameters:
  ///   - items: what is on it.
  ///   - next: the cursor that it names; `nil` on the last one.
  /// - Returns: the items that no earlier page had.
  package mutating func newItems(_ items: [Item], next: String?) -> [Item] {
    let new = items.filter { known.insert($0.id).inserted }
    pagesWithNothingNew = new.isEmpty ? pagesWithNothingNew + 1 : 0
    cursor = next
    let isNewCursor = next.map { cursors.insert($0).inserted } ?? false
    isAtEnd = !isNewCursor || pagesWithNothingNew >= Self.mostPagesWithNothingNew
    return new
  }
}
