import COpenSSL

/// Owns one `EVP_PKEY`: every operation of libcrypto on a key is here.
// @unchecked: the key is never changed after it was made, and libcrypto's keys are then safe to use from several threads.
package final class KeyHandle: @unchecked Sendable {
  private let pointer: OpaquePointer

  private init(owning pointer: OpaquePointer) { self.pointer = pointer }
  deinit { EVP_PKEY_free(pointer) }

  // MARK: Making a key

  static func generate(_ algorithm: SignatureAlgorithm) throws(OpenSSLError) -> KeyHandle {
    let pointer =
      switch algorithm {
      case .es256: copenssl_generate_p256()
      case .edDSA: copenssl_generate_ed25519()
      }
    return KeyHandle(owning: try OpenSSL.check(pointer, "EVP_PKEY_Q_keygen"))
  }

  /// - Parameter bytes: 32 for Ed25519; for P-256 the 65 of the point, `04 ‖ x ‖ y`. A point off the curve is refused.
  static func publicKey(_ algorithm: SignatureAlgorithm, _ bytes: [UInt8]) throws(OpenSSLError) -> KeyHandle {
    try publicKey(der: algorithm.publicPrefix + bytes)
  }

  /// - Parameter der: a SubjectPublicKeyInfo (RFC 5280, section 4.1).
  package static func publicKey(der: [UInt8]) throws(OpenSSLError) -> KeyHandle {
    let pointer = der.withUnsafeBufferPointer { buffer in
      var next = buffer.baseAddress
      return d2i_PUBKEY(nil, &next, buffer.count)
    }
    return KeyHandle(owning: try OpenSSL.check(pointer, "d2i_PUBKEY"))
  }

  /// - Parameter bytes: the 32 bytes of the scalar or the seed. A scalar out of range is refused.
  static func privateKey(_ algorithm: SignatureAlgorithm, _ bytes: [UInt8]) throws(OpenSSLError) -> KeyHandle {
    let der = algorithm.privatePrefix + bytes
    let pointer = der.withUnsafeBufferPointer { buffer in
      var next = buffer.baseAddress
      return d2i_AutoPrivateKey(nil, &next, buffer.count)
    }
    let key = KeyHandle(owning: try OpenSSL.check(pointer, "d2i_AutoPrivateKey"))
    try key.checkPair()
    return key
  }

  static func privateKey(pem: String) throws(OpenSSLError) -> KeyHandle {
    let bytes = Array(pem.utf8)
    let bio = try OpenSSL.check(BIO_new(BIO_s_mem()), "BIO_new")
    defer { BIO_free(bio) }
    try OpenSSL.check(BIO_write(bio, bytes, Int32(clamping: bytes.count)) == bytes.count, "BIO_write")
    let key = KeyHandle(owning: try OpenSSL.check(copenssl_read_private_pem(bio), "PEM_read_bio_PrivateKey"))
    try key.checkPair()
    return key
  }

  private func checkPair() throws(OpenSSLError) {
    let context = try OpenSSL.check(EVP_PKEY_CTX_new(pointer, nil), "EVP_PKEY_CTX_new")
    defer { EVP_PKEY_CTX_free(context) }
    try OpenSSL.check(EVP_PKEY_check(context) == 1, "EVP_PKEY_check")
  }

  // MARK: Taking it apart

  /// What the key can sign with; `nil` for another curve or kind.
  var algorithm: SignatureAlgorithm? {
    if EVP_PKEY_is_a(pointer, "ED25519") == 1 { return .edDSA }
    var name = [CChar](repeating: 0, count: 64)
    guard EVP_PKEY_is_a(pointer, "EC") == 1, EVP_PKEY_get_group_name(pointer, &name, name.count, nil) == 1 else { return nil }
    return name.starts(with: "prime256v1".utf8CString) ? .es256 : nil
  }

  /// The form that ``publicKey(_:_:)`` takes.
  func publicBytes(_ algorithm: SignatureAlgorithm) throws(OpenSSLError) -> [UInt8] {
    switch algorithm {
    case .edDSA:
      var bytes = [UInt8](repeating: 0, count: 32)
      var count = bytes.count
      try OpenSSL.check(EVP_PKEY_get_raw_public_key(pointer, &bytes, &count) == 1 && count == 32, "EVP_PKEY_get_raw_public_key")
      return bytes
    case .es256: return try [4] + number(OSSL_PKEY_PARAM_EC_PUB_X) + number(OSSL_PKEY_PARAM_EC_PUB_Y)
    }
  }

  /// The form that ``privateKey(_:_:)`` takes.
  func privateBytes(_ algorithm: SignatureAlgorithm) throws(OpenSSLError) -> [UInt8] {
    switch algorithm {
    case .edDSA:
      var bytes = [UInt8](repeating: 0, count: 32)
      var count = bytes.count
      try OpenSSL.check(EVP_PKEY_get_raw_private_key(pointer, &bytes, &count) == 1 && count == 32, "EVP_PKEY_get_raw_private_key")
      return bytes
    case .es256: return try number(OSSL_PKEY_PARAM_PRIV_KEY)
    }
  }

  /// PKCS #8, not encrypted.
  func privatePEM() throws(OpenSSLError) -> String {
    let bio = try OpenSSL.check(BIO_new(BIO_s_secmem()), "BIO_new")
    defer { BIO_free(bio) }
    try OpenSSL.check(copenssl_write_private_pem(bio, pointer) == 1, "PEM_write_bio_PKCS8PrivateKey")
    var start: UnsafeMutablePointer<CChar>?
    let count = copenssl_bio_bytes(bio, &start)
    let bytes = try OpenSSL.check(start, "BIO_get_mem_data")
    return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  private func number(_ name: String) throws(OpenSSLError) -> [UInt8] {
    var number: OpaquePointer?
    try OpenSSL.check(EVP_PKEY_get_bn_param(pointer, name, &number) == 1, "EVP_PKEY_get_bn_param")
    defer { BN_clear_free(number) }
    return try OpenSSL.bytes(of: number)
  }

  // MARK: Signing

  /// The signature in the library's form: DER for ES256, 64 raw bytes for EdDSA.
  func sign(_ message: [UInt8], _ algorithm: SignatureAlgorithm) throws(OpenSSLError) -> [UInt8] {
    let context = try OpenSSL.check(EVP_MD_CTX_new(), "EVP_MD_CTX_new")
    defer { EVP_MD_CTX_free(context) }
    try OpenSSL.check(EVP_DigestSignInit(context, nil, algorithm.digest, nil, pointer) == 1, "EVP_DigestSignInit")
    var count = 0
    try OpenSSL.check(EVP_DigestSign(context, nil, &count, message, message.count) == 1, "EVP_DigestSign")
    var signature = [UInt8](repeating: 0, count: count)
    try OpenSSL.check(EVP_DigestSign(context, &signature, &count, message, message.count) == 1, "EVP_DigestSign")
    return Array(signature.prefix(count))
  }

  /// - Parameter signature: in the library's form.
  func verify(_ signature: [UInt8], _ message: [UInt8], _ algorithm: SignatureAlgorithm) throws(OpenSSLError) -> Bool {
    try verify(signature, message, digest: algorithm.digest)
  }

  /// Whether an RSA key made a signature by RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017, section 8.2).
  package func verifyRSA(_ signature: [UInt8], _ message: [UInt8]) throws(OpenSSLError) -> Bool {
    try verify(signature, message, digest: EVP_sha256())
  }

  private func verify(_ signature: [UInt8], _ message: [UInt8], digest: OpaquePointer?) throws(OpenSSLError) -> Bool {
    let context = try OpenSSL.check(EVP_MD_CTX_new(), "EVP_MD_CTX_new")
    defer { EVP_MD_CTX_free(context) }
    try OpenSSL.check(EVP_DigestVerifyInit(context, nil, digest, nil, pointer) == 1, "EVP_DigestVerifyInit")
    let result = EVP_DigestVerify(context, signature, signature.count, message, message.count)
    // 0 and below both mean "not by this key" here: we made the encoding, so only r or s out of range can cause them.
    ERR_clear_error()
    return result == 1
  }
}

extension SignatureAlgorithm {
  /// EdDSA hashes by itself: the digest must be `NULL`.
  fileprivate var digest: OpaquePointer? {
    switch self {
    case .es256: EVP_sha256()
    case .edDSA: nil
    }
  }

  /// What comes before the point or the key in a SubjectPublicKeyInfo (RFC 5480, RFC 8410).
  fileprivate var publicPrefix: [UInt8] {
    switch self {
    case .es256:
      [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03,
        0x01, 0x07, 0x03, 0x42, 0x00,
      ]
    case .edDSA: [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]
    }
  }

  /// What comes before the scalar or the seed in PKCS #8 (RFC 5915, RFC 8410); the library computes the point.
  fileprivate var privatePrefix: [UInt8] {
    switch self {
    case .es256:
      [
        0x30, 0x41, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07, 0x04, 0x27, 0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20,
      ]
    case .edDSA: [0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20]
    }
  }
}
