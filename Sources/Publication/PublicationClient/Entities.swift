import ContentCache
import PublicationAPI

extension Post: Entity {
  /// The body, which lists leave out.
  public var detail: String? {
    get { body }
    set { body = newValue }
  }
  /// What the reader bookmarked is kept.
  public var isKept: Bool { bookmarked }
}

extension FanClub: Entity {}

extension Comment: Entity {
  /// What the reader wrote is kept.
  public var isKept: Bool { isMine }
}

extension Conditional {
  /// As a cache takes it.
  func answer<Item>(_ page: (Value) -> Page<Item>) -> PageAnswer<Item> {
    switch self {
    case .changed(let value, let etag):
      let page = page(value)
      return .page(FetchedPage(items: page.items, next: page.next, etag: etag))
    case .unchanged: return .notModified
    }
  }
}
