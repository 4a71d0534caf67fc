import Foundation

/// Why a token is not accepted.
public enum JWSError: Error, Equatable, Sendable {
  /// The token or its header is longer than a receipt ever is; the limit in bytes.
  case tooLong(limit: Int)
  /// Not three parts of strict base64url, a header that is no JSON object with `alg` and `kid`, or a signature that is not 64 bytes.
  case malformed(String)
  /// The header demands something that is not understood here (`crit`).
  case unsupported(String)
  /// None of the keys has the `kid` of the header: fetch the keys again, once.
  case unknownKey(kid: String)
  /// The header names another algorithm than the key it names is used with.
  case algorithmMismatch(kid: String, alg: String)
  /// The signature was not made for this token by the key it names.
  case badSignature
  /// The key or the library refused to work.
  case key(KeyError)
}

/// Signed tokens: JSON Web Signature in its compact form (RFC 7515).
///
/// The algorithm is bound to the key by `kid`; `alg` is only compared. ECDSA can be reshaped by anyone into a second valid signature,
/// so neither a token's text nor its hash is an identity: use what the payload says.
public enum JWS {
  /// The longest token that is looked at, in bytes.
  public static let maximumLength = 16 * 1024
  /// The longest header, in bytes of base64url.
  public static let maximumHeaderLength = 1024

  private struct Header: Codable {
    var alg: String
    var kid: String
    var crit: [String]?
  }

  /// The payload with a header and a signature.
  /// - Throws: ``JWSError/key(_:)``, ``JWSError/tooLong(limit:)``.
  public static func sign(payload: Data, key: SigningKey) throws(JWSError) -> String {
    let input = header(key.algorithm, kid: key.kid) + "." + Base64URL.encode(payload)
    let signature: Data
    do { signature = try key.signature(for: Data(input.utf8)) } catch { throw .key(error) }
    let token = input + "." + Base64URL.encode(signature)
    guard token.utf8.count <= maximumLength else { throw .tooLong(limit: maximumLength) }
    return token
  }

  /// The header of a key's tokens, base64url.
  static func header(_ algorithm: SignatureAlgorithm, kid: String) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Two texts can always be encoded.
    return Base64URL.encode((try? encoder.encode(Header(alg: algorithm.rawValue, kid: kid))) ?? Data())
  }

  /// The payload, when the token was signed by the key of `keys` that its header names. The payload's meaning is not checked: the caller
  /// checks expiry, issuer and subject.
  /// - Throws: ``JWSError``.
  public static func verify(_ token: String, keys: [VerificationKey]) throws(JWSError) -> Data {
    let bytes = Array(token.utf8)
    guard bytes.count <= maximumLength else { throw .tooLong(limit: maximumLength) }
    let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .malformed("\(parts.count) parts instead of three") }
    guard parts[0].count <= maximumHeaderLength else { throw .tooLong(limit: maximumHeaderLength) }
    guard let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2]) else { throw .malformed("not base64url") }
    let key = try key(parts[0], keys)
    guard signature.count == 64 else { throw .malformed("a signature of \(signature.count) bytes instead of 64") }
    let isValid: Bool
    do { isValid = try key.isValid(signature, for: Array(bytes[..<(parts[2].startIndex - 1)])) } catch { throw .key(error) }
    guard isValid else { throw .badSignature }
    return Data(payload)
  }

  /// The key that a header names, if it names that key's algorithm too.
  private static func key(_ header: ArraySlice<UInt8>, _ keys: [VerificationKey]) throws(JWSError) -> VerificationKey {
    // Reading it as JSON costs about as much as reading the payload, and nearly every token has the header that its key gives it.
    if let key = keys.first(where: { $0.header.elementsEqual(header) }) { return key }
    guard let bytes = Base64URL.decode(header) else { throw .malformed("not base64url") }
    guard let header = try? JSONDecoder().decode(Header.self, from: Data(bytes)) else {
      throw .malformed("the header is no object with alg and kid")
    }
    guard header.crit == nil else { throw .unsupported("crit") }
    guard let key = keys.first(where: { $0.kid == header.kid }) else { throw .unknownKey(kid: header.kid) }
    guard header.alg == key.algorithm.rawValue else { throw .algorithmMismatch(kid: header.kid, alg: header.alg) }
    return key
  }
}
