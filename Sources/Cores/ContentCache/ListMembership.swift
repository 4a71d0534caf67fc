/// Which of the cached entities belong to a list, and where: for lists that a user's own actions change, such as bookmarks.
public struct ListMembership<Value: Entity> {
  let contains: (Value) -> Bool
  let precedes: (Value, Value) -> Bool

  /// - Parameters:
  ///   - contains: whether an entity belongs to the list.
  ///   - precedes: whether the first comes before the second.
  public init(contains: @escaping (Value) -> Bool, precedes: @escaping (_ a: Value, _ b: Value) -> Bool) {
    self.contains = contains
    self.precedes = precedes
  }
}
