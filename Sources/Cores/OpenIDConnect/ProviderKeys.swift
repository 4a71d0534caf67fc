import Foundation
import SignedReceipts

/// The public keys of a provider, with which its ID tokens are verified: RSA with RS256, and EC on P-256 with ES256 (RFC 7517, RFC 7518).
public struct ProviderKeys: Sendable {
  enum Algorithm: String { case rs256 = "RS256", es256 = "ES256" }

  struct Key: Sendable {
    enum Kind: Sendable { case rsa(RSAKey), ec(VerificationKey) }
    var name: String?
    var kind: Kind

    var algorithm: Algorithm { if case .rsa = kind { .rs256 } else { .es256 } }

    func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
      switch kind {
      case .rsa(let key): key.isValid(signature, for: message)
      case .ec(let key): (try? key.isValid(Data(signature), for: Data(message))) ?? false
      }
    }
  }

  private var keys: [Key]

  /// Reads a key set. Keys of other kinds, and those for encryption, are left out, and so are all after the first sixteen that can be used:
  /// providers have a few, and whoever sends made-up tokens has signatures checked with them.
  /// - Throws: ``OpenIDError/unusable(_:)`` when it is none, or has no key that can be used.
  public init(document: Data) throws(OpenIDError) {
    guard let set = StrictJSON.decode(Document.self, from: document) else { throw .unusable("its keys cannot be read") }
    keys = Array(set.keys.prefix(Self.mostRead).compactMap { $0.field.flatMap(Key.init) }.prefix(Self.mostUsed))
    guard !keys.isEmpty else { throw .unusable("it has no key for RS256 or ES256") }
  }

  /// The most keys of a set that are looked at, and that are used.
  private static let mostRead = 64
  private static let mostUsed = 16
  /// The most keys of one name that a token is tried with: names should differ (RFC 7517, section 4.5), and nothing makes them.
  private static let mostOfName = 4

  /// The keys that may have signed a token; none when there is no such key.
  /// - Parameter name: the name in the token's header.
  /// - Throws: ``IDTokenError/malformed(_:)`` for a token without one, where several keys are for its algorithm: it has to name the one
  ///   (OpenID Connect Core 1.0, section 10.1). To try them all would let strangers choose how long that takes.
  func keys(named name: String?, for algorithm: Algorithm) throws(IDTokenError) -> [Key] {
    let found = keys.filter { $0.algorithm == algorithm && (name == nil || $0.name == name) }
    guard name != nil || found.count < 2 else { throw .malformed("it does not name its key") }
    return Array(found.prefix(Self.mostOfName))
  }

  private struct Document: Decodable {
    /// A key that cannot be read counts as none: a set may have kinds of keys that this version does not know.
    struct Entry: Decodable {
      var field: Field?
      init(from decoder: any Decoder) throws { field = try? Field(from: decoder) }
    }
    var keys: [Entry]
  }

  fileprivate struct Field: Decodable {
    var kty: String
    var kid: String?
    var use: String?
    var alg: String?
    var n: String?
    var e: String?
    var crv: String?
    var x: String?
    var y: String?
  }
}

extension ProviderKeys.Key {
  /// A coordinate with all of its 32 bytes: some providers leave out the leading zeros, against RFC 7518 (section 6.2.1.2).
  private static func coordinate(_ text: String?) -> String {
    guard let bytes = text.flatMap({ Base64URL.decode($0) }), bytes.count < 32 else { return text ?? "" }
    return Base64URL.encode([UInt8](repeating: 0, count: 32 - bytes.count) + bytes)
  }

  fileprivate init?(_ field: ProviderKeys.Field) {
    guard field.use == nil || field.use == "sig" else { return nil }
    name = field.kid
    switch (field.kty, field.alg) {
    case ("RSA", nil), ("RSA", "RS256"):
      guard let n = field.n.flatMap({ Base64URL.decode($0) }), let e = field.e.flatMap({ Base64URL.decode($0) }),
        let key = RSAKey(modulus: n, exponent: e)
      else { return nil }
      kind = .rsa(key)
    case ("EC", nil), ("EC", "ES256"):
      let key = try? VerificationKey(
        jwk: .init(
          kty: "EC", crv: field.crv ?? "", kid: field.kid ?? "none", alg: "ES256", x: Self.coordinate(field.x), y: Self.coordinate(field.y))
      )
      guard let key else { return nil }
      kind = .ec(key)
    default: return nil
    }
  }
}

/// An RSA key for RS256: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, section 3.3).
struct RSAKey: Sendable {
  private let handle: KeyHandle

  /// - Parameters:
  ///   - modulus: 2,048 to 4,096 bits, the highest byte first; shorter ones are not safe, and longer ones take long.
  ///   - exponent: at most 32 bits: each bit makes a verification longer, and providers have 65,537.
  init?(modulus: [UInt8], exponent: [UInt8]) {
    let (modulus, exponent) = (modulus.drop { $0 == 0 }, exponent.drop { $0 == 0 })
    guard (256...512).contains(modulus.count), (1...4).contains(exponent.count) else { return nil }
    let numbers = DER.sequence(DER.unsigned(modulus) + DER.unsigned(exponent))
    guard let handle = try? KeyHandle.publicKey(der: DER.sequence(DER.rsaEncryption + DER.bits(numbers))) else { return nil }
    self.handle = handle
  }

  func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool { (try? handle.verifyRSA(signature, message)) ?? false }
}

/// The few forms of DER that a SubjectPublicKeyInfo of RSA has (RFC 3279, section 2.3.1).
private enum DER {
  /// SEQUENCE { OID 1.2.840.113549.1.1.1, NULL }.
  static let rsaEncryption: [UInt8] = [0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00]

  static func sequence(_ content: [UInt8]) -> [UInt8] { value(0x30, content) }
  static func bits(_ content: [UInt8]) -> [UInt8] { value(0x03, [0] + content) }
  /// A leading zero keeps a number from being a negative one.
  static func unsigned(_ number: ArraySlice<UInt8>) -> [UInt8] { value(0x02, (number.first ?? 0) >= 0x80 ? [0] + number : Array(number)) }

  private static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    let length: [UInt8] =
      count < 0x80 ? [UInt8(count)] : count < 0x100 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
    return [tag] + length + content
  }
}
