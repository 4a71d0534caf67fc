/// The hash FNV-1a of 64 bits (draft-eastlake-fnv): the same for the same bytes on every machine and in every version. It detects
/// accidents, not forgeries.
public struct FNV1a: Sendable {
  /// The hash of the bytes so far.
  public private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  /// The hash of no bytes.
  public init() {}

  /// Hashes more bytes, in their order.
  public mutating func add(_ bytes: some Sequence<UInt8>) { for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0100_0000_01b3 } }
}
