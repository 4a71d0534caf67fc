import Foundation
import Runtime
import SignedReceipts

extension RandomSource {
  /// A token that cannot be guessed where the source cannot: 256 random bits as text.
  func token() -> String { Base64URL.encode(bytes(32)) }
}

/// SHA-256 for what is stored: sessions, pictures, posts.
enum Digest {
  static func sha256(_ data: Data) throws -> Data { Data(try OpenSSL.sha256(data)) }

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
