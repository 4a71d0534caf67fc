import COpenSSL
import Foundation
import SignedReceipts

/// A password as it is kept: scrypt (RFC 7914) with its cost and its salt, `scrypt$15$8$1$SALT$KEY`.
///
/// Making and comparing one takes about 100 ms and 32 MiB on purpose: on ``PasswordHasher``'s thread only.
struct PasswordHash: Equatable, Sendable {
  /// The text is no hash that this version knows.
  struct Unreadable: Error {}

  private static let logN = 15
  private static let keyLength = 32

  private let logN: Int
  private let blockSize: Int
  private let parallel: Int
  private let salt: [UInt8]
  private let key: [UInt8]

  /// Hashes a new password with a new salt, at today's cost.
  init(of password: String) throws {
    self = try Self(password, logN: Self.logN, blockSize: 8, parallel: 1, salt: Secrets.random(16))
  }

  private init(_ password: String, logN: Int, blockSize: Int, parallel: Int, salt: [UInt8]) throws {
    self.logN = logN
    self.blockSize = blockSize
    self.parallel = parallel
    self.salt = salt
    var key = [UInt8](repeating: 0, count: Self.keyLength)
    let bytes = Array(password.utf8)
    let memory = UInt64(129) * UInt64(blockSize) << UInt64(logN) + 1 << 20
    let done = bytes.withUnsafeBytes { text in
      // The function takes characters and never looks at them as such.
      EVP_PBE_scrypt(
        text.baseAddress?.assumingMemoryBound(to: CChar.self), text.count, salt, salt.count, 1 << UInt64(logN), UInt64(blockSize),
        UInt64(parallel), memory, &key, key.count)
    }
    try Secrets.check(done == 1, "EVP_PBE_scrypt")
    self.key = key
  }

  /// Reads one that was kept.
  /// - Throws: ``Unreadable``.
  init(text: String) throws {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 6, parts[0] == "scrypt", let logN = Int(parts[1]), (1...20).contains(logN), let blockSize = Int(parts[2]),
      (1...32).contains(blockSize), let parallel = Int(parts[3]), (1...16).contains(parallel), let salt = Base64URL.decode(parts[4]),
      let key = Base64URL.decode(parts[5]), key.count == Self.keyLength
    else { throw Unreadable() }
    self.logN = logN
    self.blockSize = blockSize
    self.parallel = parallel
    self.salt = salt
    self.key = key
  }

  /// The form that is kept.
  var text: String { "scrypt$\(logN)$\(blockSize)$\(parallel)$\(Base64URL.encode(salt))$\(Base64URL.encode(key))" }

  /// Whether it is the hash of `password`; takes the same time wherever the first difference is.
  func matches(_ password: String) throws -> Bool {
    let other = try Self(password, logN: logN, blockSize: blockSize, parallel: parallel, salt: salt)
    return CRYPTO_memcmp(key, other.key, key.count) == 0
  }
}
