/// Where a page of a search ended.
struct SearchPosition: Equatable, Sendable {
  var order: SearchOrder
  /// How many hits were before.
  var offset: Int

  /// Where a page may start behind the first one: no reader goes through more than a million hits.
  static let offsets = 1...1_000_000
}
