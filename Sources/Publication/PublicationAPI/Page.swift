/// One page of a longer list.
public struct Page<Item: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
  /// The items, in the list's order.
  public var items: [Item]
  /// The value of `cursor=` for the next page; `nil` on the last.
  public var next: String?

  public init(items: [Item], next: String? = nil) {
    self.items = items
    self.next = next
  }
}
