import Runtime

/// Decides who is in a roll-out: a place from 0 to 9,999 for each pair of flag and user, the same on every machine and in every version.
///
/// The bytes of the flag's name, a zero byte and the bytes of the user's identifier, all UTF-8, go through FNV-1a (64 bits) and then
/// through the finalizer of MurmurHash3 (fmix64), which spreads what FNV leaves close together; the upper half of the product of that and
/// 10,000 (128 bits) is the place. A roll-out of p percent is for the places below 100·p: a user who is in at 10 % is in at 50 % too. The
/// flag's name is part of it, so that different flags start with different users.
public enum RolloutHash {
  /// How many places there are.
  public static let count = 10_000

  /// The place of a user in a flag's roll-out.
  public static func place(flag: String, user: String) -> Int {
    var bytes = FNV1a()
    bytes.add(flag.utf8)
    bytes.add([0])
    bytes.add(user.utf8)
    var hash = bytes.value
    hash = (hash ^ (hash >> 33)) &* 0xff51_afd7_ed55_8ccd
    hash = (hash ^ (hash >> 33)) &* 0xc4ce_b9fe_1a85_ec53
    hash ^= hash >> 33
    return Int(hash.multipliedFullWidth(by: UInt64(count)).high)
  }
}
