/// What a search lists first. `SQLiteSearch` chooses it for the first page, and it stays the same from page to page.
enum SearchOrder: String, Sendable {
  /// The posts that have the words most, headlines before bodies.
  case best
  /// The newest posts: for words that nearly every post has, of which none is better than another.
  case newest
}
