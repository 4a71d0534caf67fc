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
  /// - Throws: `KeyError`; `CocoaError` when the file cannot be written.
  static func make(_ path: String) throws -> SigningKey {
    let key = try SigningKey.generate(.es256)
    try store(key, path)
    return key
  }

  /// Puts a key in the place of the one before; a crash leaves either.
  static func store(_ key: SigningKey, _ path: String) throws { try OwnFile.write(Data(try key.pem().utf8), to: path) }
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

/// A file with a secret in it.
public enum OwnFile {
  /// Writes the file so that only its owner can ever read it, that it is never incomplete, and that it is on the disk when this returns.
  /// - Throws: `CocoaError`.
  public static func write(_ data: Data, to path: String) throws {
    let partial = path + ".partial"
    unlink(partial)
    let file = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure(partial) }
    defer { close(file) }
    let isWritten = data.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) } == data.count
    guard isWritten, fsync(file) == 0, rename(partial, path) == 0, isNameStored(path) else {
      throw failure(path)
    }
  }

  /// What the system said last.
  private static func failure(_ path: String) -> CocoaError {
    let cause = NSError(domain: NSPOSIXErrorDomain, code: Int(errno))
    return CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path, NSUnderlyingErrorKey: cause])
  }

  /// Whether the folder's entry is on the disk too.
  private static func isNameStored(_ path: String) -> Bool {
    let folder = open(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return false }
    defer { close(folder) }
    return fsync(folder) == 0
  }
}
