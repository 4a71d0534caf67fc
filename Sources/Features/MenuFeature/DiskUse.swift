/// The disk space of one kind of data that can be fetched again, up to a limit.
public struct DiskUse: Sendable {
  /// How much is on the disk, in bytes.
  public let size: @Sendable () async -> Int
  /// Changes the most that it takes, in bytes.
  public let setLimit: @Sendable (Int) async -> Void
  /// Removes all of it from the disk.
  public let clear: @Sendable () async -> Void

  public init(
    size: @escaping @Sendable () async -> Int, setLimit: @escaping @Sendable (Int) async -> Void,
    clear: @escaping @Sendable () async -> Void
  ) {
    self.size = size
    self.setLimit = setLimit
    self.clear = clear
  }
}
