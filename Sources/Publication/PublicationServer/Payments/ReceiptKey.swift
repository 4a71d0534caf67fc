import Foundation
import PublicationAPI
import Runtime
import SignedReceipts

/// The key that receipts are signed with, in a file that its owner alone can read.
enum ReceiptKey {
  /// Reads the key; `nil` when there is no such file.
  /// - Throws: `Publication.Failure` when the file cannot be read, or holds no such key.
  static func read(_ path: String) throws(Publication.Failure) -> SigningKey? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let text: Data
    do { text = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
      throw .unusable(path: path, reason: error.systemReason)
    }
    do { return try SigningKey(pem: String(decoding: text, as: UTF8.self)) } catch { throw .brokenKey(path: path) }
  }

  /// Makes the first key.
  /// - Throws: `KeyError`; the error of `StorageFailure.of` when the file cannot be written.
  static func make(_ path: String) throws -> SigningKey {
    let key = try SigningKey.generate(.es256)
    try store(key, path)
    return key
  }

  /// Puts a key in the place of the one before; a crash leaves either.
  /// - Throws: the error of `StorageFailure.of` when the file cannot be written.
  static func store(_ key: SigningKey, _ path: String) throws {
    let text = Data(try key.pem().utf8)
    do { try PrivateFile.write(text, to: path) } catch { throw StorageFailure.of(error, at: path) }
  }
}

extension KeySet.Key {
  init(_ key: VerificationKey) {
    let jwk = key.jwk
    self.init(kty: jwk.kty, crv: jwk.crv, kid: jwk.kid, alg: jwk.alg, x: jwk.x, y: jwk.y)
  }

  var verificationKey: VerificationKey {
    get throws { try VerificationKey(jwk: .init(kty: kty, crv: crv, kid: kid, alg: alg, x: x, y: y)) }
  }
}
