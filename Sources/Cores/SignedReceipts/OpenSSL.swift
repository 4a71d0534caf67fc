import COpenSSL
import Foundation

/// A call of libcrypto that failed: which one, and the library's message.
public struct OpenSSLError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The version of the libcrypto that runs.
  public static var libraryVersion: String { String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)) }

  /// The function that was called.
  public let function: String
  /// The library's packed error code; 0 when it left none.
  public let code: UInt
  /// The library's own words; empty when it left none.
  public let message: String

  /// One line for a log.
  public var description: String { message.isEmpty ? "\(function) failed" : "\(function) failed: \(message)" }
}

/// The one place that every result of libcrypto goes through.
package enum OpenSSL {
  /// If a call failed, empties the library's error queue of this thread, and throws its errors.
  package static func check(_ succeeded: Bool, _ function: String) throws(OpenSSLError) {
    if succeeded { return }
    let code = ERR_peek_last_error()
    ERR_clear_error()
    var text = [CChar](repeating: 0, count: 256)
    if code != 0 { ERR_error_string_n(code, &text, text.count) }
    let message = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    throw OpenSSLError(function: function, code: UInt(code), message: message)
  }

  /// The same for a function that answers with a pointer, or `NULL`.
  static func check<Pointer>(_ pointer: Pointer?, _ function: String) throws(OpenSSLError) -> Pointer {
    try check(pointer != nil, function)
    guard let pointer else { throw OpenSSLError(function: function, code: 0, message: "") }
    return pointer
  }

  /// The SHA-256 digest, 32 bytes.
  package static func sha256(_ bytes: some ContiguousBytes) throws(OpenSSLError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    let result = bytes.withUnsafeBytes { EVP_Digest($0.baseAddress, $0.count, &digest, nil, EVP_sha256(), nil) }
    try check(result == 1, "EVP_Digest")
    return digest
  }
}

extension OpenSSL {
  /// An unsigned number as exactly 32 bytes, the highest first.
  static func bytes(of number: OpaquePointer?) throws(OpenSSLError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 32)
    try check(BN_bn2binpad(try check(number, "BIGNUM"), &bytes, 32) == 32, "BN_bn2binpad")
    return bytes
  }

  /// An ECDSA signature, r then s with 32 bytes each, as DER.
  static func der(fromRaw raw: [UInt8]) throws(OpenSSLError) -> [UInt8] {
    let signature = try check(ECDSA_SIG_new(), "ECDSA_SIG_new")
    defer { ECDSA_SIG_free(signature) }
    let r = try check(BN_bin2bn(raw, 32, nil), "BN_bin2bn")
    guard let s = raw.withUnsafeBufferPointer({ $0.baseAddress.flatMap { BN_bin2bn($0.advanced(by: 32), 32, nil) } }),
      ECDSA_SIG_set0(signature, r, s) == 1  // owns both numbers from here on
    else {
      BN_free(r)
      return try check([UInt8]?.none, "ECDSA_SIG_set0")
    }
    let count = Int(i2d_ECDSA_SIG(signature, nil))
    try check(count > 0, "i2d_ECDSA_SIG")
    var der = [UInt8](repeating: 0, count: count)
    let written = der.withUnsafeMutableBufferPointer { buffer in
      var next = buffer.baseAddress
      return Int(i2d_ECDSA_SIG(signature, &next))
    }
    try check(written == count, "i2d_ECDSA_SIG")
    return der
  }

  /// An ECDSA signature in DER as 64 bytes, r then s.
  static func raw(fromDER der: [UInt8]) throws(OpenSSLError) -> [UInt8] {
    let parsed = der.withUnsafeBufferPointer { buffer in
      var next = buffer.baseAddress
      return d2i_ECDSA_SIG(nil, &next, buffer.count)
    }
    let signature = try check(parsed, "d2i_ECDSA_SIG")
    defer { ECDSA_SIG_free(signature) }
    return try bytes(of: ECDSA_SIG_get0_r(signature)) + bytes(of: ECDSA_SIG_get0_s(signature))
  }
}
