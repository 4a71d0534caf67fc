/// What is kept on this computer up to a limit, and can be had again.
public struct DiskCache: Sendable {
  /// What it takes on the disk, in bytes.
  public let size: @Sendable () async -> Int
  /// Changes the most that it takes, in bytes.
  public let setLimit: @Sendable (Int) async -> Void
  /// Removes it.
  public let clear: @Sendable () async -> Void

  /// Memberwise initializer.
  public init(
    size: @escaping @Sendable () async -> Int, setLimit: @escaping @Sendable (Int) async -> Void,
    clear: @escaping @Sendable () async -> Void
  ) {
    self.size = size
    self.setLimit = setLimit
    self.clear = clear
  }
}
