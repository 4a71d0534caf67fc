import Foundation
import Synchronization

/// Where new identifiers come from. Tests and scenarios use a source whose sequence they know.
public protocol IdentifierSource: Sendable {
  /// A new identifier, never given before.
  func next() -> UUID
}

/// The system's random identifiers.
public struct RandomIdentifiers: IdentifierSource {
  /// Has no state: every instance draws from the system's generator.
  public init() {}
  /// A random (version 4) identifier.
  public func next() -> UUID { UUID() }
}

/// `00000000-0000-0000-0000-000000000001` and so on: for tests and scenarios. Safe from any thread.
public final class SequentialIdentifiers: IdentifierSource, Sendable {
  private let last = Atomic<UInt64>(0)

  /// A source whose first identifier is number one.
  public init() {}

  /// The next number, as an identifier.
  public func next() -> UUID {
    let number = last.wrappingAdd(1, ordering: .relaxed).newValue
    let bytes = withUnsafeBytes(of: number.bigEndian) { Array($0) }
    return UUID(
      uuid: (0, 0, 0, 0, 0, 0, 0, 0, bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]))
  }
}
