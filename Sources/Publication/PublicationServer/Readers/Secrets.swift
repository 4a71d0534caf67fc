import COpenSSL
import Foundation
import SignedReceipts

/// Random numbers and digests, by libcrypto.
enum Secrets {
  /// A call of libcrypto that failed; the text is for a log.
  struct Failure: Error, CustomStringConvertible { let description: String }

  /// Random bytes.
  static func random(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try check(RAND_bytes(&bytes, Int32(count)) == 1, "RAND_bytes")
    return bytes
  }

  /// A token that cannot be guessed: 256 random bits as text.
  static func token() throws -> String { Base64URL.encode(try random(32)) }

  static func check(_ succeeded: Bool, _ function: String) throws {
    guard !succeeded else { return }
    ERR_clear_error()
    throw Failure(description: "\(function) failed")
  }
}

/// SHA-256 for what is stored: sessions, pictures, posts.
enum Digest {
  static func sha256(_ data: Data) throws -> Data {
    var digest = [UInt8](repeating: 0, count: 32)
    let done = data.withUnsafeBytes { EVP_Digest($0.baseAddress, $0.count, &digest, nil, EVP_sha256(), nil) }
    try Secrets.check(done == 1, "EVP_Digest")
    return Data(digest)
  }

  /// The digest of several fields. Lengths are hashed too, so that moving a boundary changes the digest.
  static func sha256(fields: [String?]) throws -> Data {
    try sha256(Data(fields.map { field in field.map { "\($0.utf8.count):\($0)" } ?? "-" }.joined().utf8))
  }

  /// An entity tag (RFC 9110, 8.8.3) for these bytes.
  static func tag(_ data: Data) throws -> String { "\"\(Base64URL.encode([UInt8](try sha256(data).prefix(12))))\"" }

  /// A short name for a text, always the same: 96 bits in hexadecimal digits.
  static func name(_ text: String) throws -> String {
    try sha256(Data(text.utf8)).prefix(12).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}
