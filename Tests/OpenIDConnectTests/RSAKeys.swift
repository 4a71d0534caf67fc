import COpenSSL
import Foundation
import OpenIDConnectTesting
import SignedReceipts

extension StubKey {
  /// A new key for RS256.
  static func rsa(_ name: String, bits: Int32 = 2048) -> StubKey {
    let key = RSA(bits: bits)
    return StubKey(
      name: name, algorithm: "RS256",
      field: ["kty": "RSA", "kid": name, "use": "sig", "alg": "RS256", "n": key.number("n"), "e": key.number("e")]
    ) { key.signature(for: $0) }
  }

  // @unchecked: made once, and only read afterwards.
  private final class RSA: @unchecked Sendable {
    private var pointer: OpaquePointer?

    init(bits: Int32) {
      guard let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else { return }
      EVP_PKEY_keygen_init(context)
      EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits)
      EVP_PKEY_generate(context, &pointer)
      EVP_PKEY_CTX_free(context)
    }
    deinit { EVP_PKEY_free(pointer) }

    func number(_ name: String) -> String {
      var number: OpaquePointer?
      guard let pointer, EVP_PKEY_get_bn_param(pointer, name, &number) == 1, let number else { return "" }
      defer { BN_free(number) }
      var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
      BN_bn2bin(number, &bytes)
      return Base64URL.encode(bytes)
    }

    func signature(for message: Data) -> Data {
      guard let pointer, let context = EVP_MD_CTX_new() else { return Data() }
      defer { EVP_MD_CTX_free(context) }
      EVP_DigestSignInit(context, nil, EVP_sha256(), nil, pointer)
      var signature = [UInt8](repeating: 0, count: 1024)
      var count = signature.count
      let bytes = Array(message)
      EVP_DigestSign(context, &signature, &count, bytes, bytes.count)
      return Data(signature.prefix(count))
    }
  }
}
