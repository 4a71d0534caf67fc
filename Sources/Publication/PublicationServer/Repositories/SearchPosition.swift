/// Where a page of a search ended.
struct SearchPosition: Equatable, Sendable {
  /// What comes first. It stays the same from page to page.
  enum Order: String, Sendable {
    /// What has the words most, headlines before bodies.
    case best
    /// For words that nearly everything has, of which none is better than another.
    case newest
  }

  var order: Order
  /// How many hits came before.
  var offset: Int

  /// Where a page may start behind the first one: no reader goes through more than a million hits.
  static let offsets = 1...1_000_000
}
