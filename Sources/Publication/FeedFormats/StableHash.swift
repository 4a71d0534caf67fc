/// A hash that is the same in every process and version: FNV-1a with 128 bits (draft-eastlake-fnv). It distinguishes the items of one feed;
/// a forged collision harms only the forger's own feed.
struct StableHash {
  private var value: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
  private static let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b

  /// Hashes one field; ends it with a byte that UTF-8 never has, so that ("ab", "c") and ("a", "bc") differ.
  mutating func combine(_ field: String) {
    for byte in field.utf8 { add(byte) }
    add(0xff)
  }

  private mutating func add(_ byte: UInt8) { value = (value ^ UInt128(byte)) &* Self.prime }

  /// 32 hexadecimal digits.
  var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }
}
