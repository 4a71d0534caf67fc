import COpenSSL
import Foundation

/// Password and token digests, by libcrypto.
enum Passwords {
  /// What libcrypto refused; the text is for a log.
  struct Failure: Error, CustomStringConvertible { let description: String }

  /// scrypt (RFC 7914) with N = 2^14, r = 8, p = 1: about 50 ms and 16 MiB.
  static func digest(_ password: String, salt: Data) throws -> Data {
    var derived = [UInt8](repeating: 0, count: 32)
    let bytes = Array(password.utf8)
    let done = bytes.withUnsafeBufferPointer { text in
      salt.withUnsafeBytes { salt in
        EVP_PBE_scrypt(
          UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self), text.count,
          salt.baseAddress?.assumingMemoryBound(to: UInt8.self), salt.count, 1 << 14, 8, 1, 64 << 20, &derived, derived.count)
      }
    }
    guard done == 1 else { throw Failure(description: "EVP_PBE_scrypt failed") }
    return Data(derived)
  }

  /// Compares in the same time wherever the first difference is.
  static func equal(_ a: Data, _ b: Data) -> Bool {
    a.count == b.count && a.withUnsafeBytes { a in b.withUnsafeBytes { b in CRYPTO_memcmp(a.baseAddress, b.baseAddress, a.count) == 0 } }
  }

  /// SHA-256.
  static func sha256(_ data: Data) throws -> Data {
    var digest = [UInt8](repeating: 0, count: 32)
    let done = data.withUnsafeBytes { EVP_Digest($0.baseAddress, $0.count, &digest, nil, EVP_sha256(), nil) }
    guard done == 1 else { throw Failure(description: "EVP_Digest failed") }
    return Data(digest)
  }

  /// Random bytes from libcrypto.
  static func random(_ count: Int) throws -> Data {
    var bytes = [UInt8](repeating: 0, count: count)
    guard RAND_bytes(&bytes, Int32(count)) == 1 else { throw Failure(description: "RAND_bytes failed") }
    return Data(bytes)
  }
}

/// Wrong passwords in a row, by address: after five, each further one doubles a pause.
struct Throttle {
  private static let free = 5
  private static let longest: Int64 = 900
  private static let capacity = 10_000
  private var failures: [String: (count: Int, until: Int64)] = [:]

  /// How many seconds there are to wait before the next try; 0 for none.
  func pause(_ email: String, now: Int64) -> Int64 { max(0, (failures[email]?.until ?? 0) - now) }

  mutating func failed(_ email: String, now: Int64) {
    if failures.count >= Self.capacity, failures[email] == nil { failures = failures.filter { $0.value.until > now } }
    let count = (failures[email]?.count ?? 0) + 1
    let pause = count < Self.free ? 0 : min(Self.longest, 30 << min(count - Self.free, 5))
    failures[email] = (count, now + pause)
  }

  mutating func succeeded(_ email: String) { failures[email] = nil }
}
