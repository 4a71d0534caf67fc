import COpenSSL
import Foundation
import Runtime
import SignedReceipts

/// The deliberate cost of hashing a password: a thief of the file has to pay it for every guess.
public struct PasswordCost: Equatable, Sendable {
  let logN: Int
  let blockSize: Int
  let parallel: Int

  /// About 100 ms and 32 MiB.
  public static let standard = PasswordCost(logN: 15, blockSize: 8, parallel: 1)
  /// Nothing, and no protection: for tests that sign in all the time.
  public static let none = PasswordCost(logN: 1, blockSize: 1, parallel: 1)
}

/// A password as it is stored: scrypt (RFC 7914) with its cost and its salt, `scrypt-nfc$15$8$1$SALT$KEY`. It is that of the password in
/// Unicode's form NFC (RFC 8265, section 4.2.2): one keyboard types é as one code point, another as two. Version 0.1.0 hashed what was typed,
/// and wrote `scrypt$…`. Neither is compared in both forms: whoever sends a password in another one than NFC would have it hashed twice.
///
/// Making and comparing one takes its time: on ``PasswordHasher``'s thread only.
struct PasswordHash: Equatable, Sendable {
  /// The text is no hash that this version knows.
  struct Failure: Error {}

  private static let keyLength = 32
  private static let composedName = "scrypt-nfc"
  private static let typedName = "scrypt"

  /// Whether it is of the password in NFC, and not as it was typed.
  private let isComposed: Bool
  private let cost: PasswordCost
  private let salt: [UInt8]
  private let key: [UInt8]

  /// Hashes a new password with a new salt.
  init(of password: String, cost: PasswordCost, random: any RandomSource = SystemRandom()) throws {
    self = try Self(password, cost, salt: random.bytes(16), isComposed: true)
  }

  /// The hash of no password: nothing matches it, and comparing takes the same time.
  init(ofNothing cost: PasswordCost, random: any RandomSource = SystemRandom()) {
    isComposed = true
    self.cost = cost
    salt = random.bytes(16)
    key = random.bytes(Self.keyLength)
  }

  private init(_ password: String, _ cost: PasswordCost, salt: [UInt8], isComposed: Bool) throws {
    self.isComposed = isComposed
    self.cost = cost
    self.salt = salt
    var key = [UInt8](repeating: 0, count: Self.keyLength)
    let bytes = Array((isComposed ? password.precomposedStringWithCanonicalMapping : password).utf8)
    let (count, blockSize) = (UInt64(1) << UInt64(cost.logN), UInt64(cost.blockSize))
    let memory = 129 * blockSize * (count + UInt64(cost.parallel)) + 1 << 20
    let done = bytes.withUnsafeBytes { text in
      // The function takes characters and treats them as bytes.
      EVP_PBE_scrypt(
        text.baseAddress?.assumingMemoryBound(to: CChar.self), text.count, salt, salt.count, count, blockSize,
        UInt64(cost.parallel), memory, &key, key.count)
    }
    try OpenSSL.check(done == 1, "EVP_PBE_scrypt")
    self.key = key
  }

  /// Reads one that was stored.
  /// - Throws: ``Failure``.
  init(text: String) throws {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 6, [Self.composedName, Self.typedName].contains(parts[0]), let logN = Int(parts[1]), (1...20).contains(logN),
      let blockSize = Int(parts[2]),
      (1...32).contains(blockSize), let parallel = Int(parts[3]), (1...16).contains(parallel), let salt = Base64URL.decode(parts[4]),
      let key = Base64URL.decode(parts[5]), key.count == Self.keyLength
    else { throw Failure() }
    isComposed = parts[0] == Self.composedName
    cost = PasswordCost(logN: logN, blockSize: blockSize, parallel: parallel)
    self.salt = salt
    self.key = key
  }

  /// The form that is stored.
  var text: String {
    let name = isComposed ? Self.composedName : Self.typedName
    return "\(name)$\(cost.logN)$\(cost.blockSize)$\(cost.parallel)$\(Base64URL.encode(salt))$\(Base64URL.encode(key))"
  }

  /// Whether it is the hash of `password`; takes the same time wherever the first difference is.
  func matches(_ password: String) throws -> Bool {
    let other = try Self(password, cost, salt: salt, isComposed: isComposed)
    return CRYPTO_memcmp(key, other.key, key.count) == 0
  }
}
