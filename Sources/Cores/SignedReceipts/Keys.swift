import Foundation

/// How a key signs. The algorithm belongs to the key; a token's header is only compared with it.
public enum SignatureAlgorithm: String, Codable, Sendable, CaseIterable {
  /// ECDSA on P-256 with SHA-256 (RFC 7518, section 3.4).
  case es256 = "ES256"
  /// Ed25519 (RFC 8037).
  case edDSA = "EdDSA"
}

/// Why a key cannot be used.
public enum KeyError: Error, Equatable, Sendable {
  /// The key's form is wrong, and how.
  case malformed(String)
  /// Neither EC P-256 with ES256, nor Ed25519 with EdDSA.
  case unsupported(String)
  /// The library refused it.
  case library(OpenSSLError)
}

/// A private key that signs receipts. Safe from any thread; never printed.
public struct SigningKey: Sendable, CustomStringConvertible {
  /// The identifier that the header of a token names.
  public let kid: String
  /// The algorithm that it signs with.
  public let algorithm: SignatureAlgorithm
  /// The public half, to verify with.
  public let verificationKey: VerificationKey
  private let handle: KeyHandle

  private init(_ handle: KeyHandle, _ algorithm: SignatureAlgorithm, kid: String?) throws(OpenSSLError) {
    let bytes = try handle.publicBytes(algorithm)
    let name = if let kid { kid } else { try VerificationKey.thumbprint(algorithm, bytes) }
    verificationKey = try VerificationKey(algorithm, bytes, kid: name)
    self.kid = name
    self.algorithm = algorithm
    self.handle = handle
  }

  /// Makes a new key from the library's random numbers.
  /// - Parameters:
  ///   - algorithm: what it signs with.
  ///   - kid: the identifier; the key's thumbprint (RFC 7638) when `nil`.
  /// - Throws: ``KeyError/library(_:)``.
  public static func generate(_ algorithm: SignatureAlgorithm, kid: String? = nil) throws(KeyError) -> SigningKey {
    do { return try SigningKey(KeyHandle.generate(algorithm), algorithm, kid: kid) } catch { throw .library(error) }
  }

  /// Reads a private key.
  /// - Parameters:
  ///   - raw: 32 bytes: the scalar of P-256 with the highest byte first, or the seed of Ed25519.
  ///   - algorithm: what it signs with.
  ///   - kid: the identifier; the key's thumbprint (RFC 7638) when `nil`.
  /// - Throws: ``KeyError``.
  public init(raw: Data, algorithm: SignatureAlgorithm, kid: String? = nil) throws(KeyError) {
    guard raw.count == 32 else { throw .malformed("a private key has 32 bytes, not \(raw.count)") }
    do { try self.init(KeyHandle.privateKey(algorithm, Array(raw)), algorithm, kid: kid) } catch { throw .library(error) }
  }

  /// Reads a private key in PEM (PKCS #8 or SEC 1, not encrypted).
  /// - Parameters:
  ///   - pem: the file's text.
  ///   - kid: the identifier; the key's thumbprint (RFC 7638) when `nil`.
  /// - Throws: ``KeyError``.
  public init(pem: String, kid: String? = nil) throws(KeyError) {
    let handle: KeyHandle
    do { handle = try KeyHandle.privateKey(pem: pem) } catch { throw .library(error) }
    guard let algorithm = handle.algorithm else { throw .unsupported("neither EC P-256 nor Ed25519") }
    do { try self.init(handle, algorithm, kid: kid) } catch { throw .library(error) }
  }

  /// The private key as 32 bytes, which ``init(raw:algorithm:kid:)`` reads. A secret.
  /// - Throws: ``KeyError/library(_:)``.
  public func raw() throws(KeyError) -> Data {
    do { return Data(try handle.privateBytes(algorithm)) } catch { throw .library(error) }
  }

  /// The private key as PEM (PKCS #8, not encrypted), which ``init(pem:kid:)`` reads. A secret: keep the file to its owner.
  /// - Throws: ``KeyError/library(_:)``.
  public func pem() throws(KeyError) -> String {
    do { return try handle.privatePEM() } catch { throw .library(error) }
  }

  /// Signs a message: 64 bytes, which for ES256 are r then s.
  /// - Throws: ``KeyError/library(_:)``.
  public func signature(for message: Data) throws(KeyError) -> Data {
    do {
      let signature = try handle.sign(Array(message), algorithm)
      return Data(algorithm == .es256 ? try OpenSSL.raw(fromDER: signature) : signature)
    } catch { throw .library(error) }
  }

  /// The key's name, without the secret.
  public var description: String { "SigningKey(\(kid), \(algorithm.rawValue))" }
}

/// A public key that receipts are verified with. Safe from any thread.
public struct VerificationKey: Sendable, Equatable {
  /// The identifier that the header of a token names.
  public let kid: String
  /// The only algorithm that this key is used with.
  public let algorithm: SignatureAlgorithm
  private let bytes: [UInt8]
  private let handle: KeyHandle
  /// The header of the tokens that we make with this key: an equal header need not be parsed.
  let header: [UInt8]

  init(_ algorithm: SignatureAlgorithm, _ bytes: [UInt8], kid: String) throws(OpenSSLError) {
    handle = try KeyHandle.publicKey(algorithm, bytes)
    header = Array(JWS.header(algorithm, kid: kid).utf8)
    self.algorithm = algorithm
    self.bytes = bytes
    self.kid = kid
  }

  /// Whether `signature` was made for `message` by this key's private key. Never for other than 64 bytes.
  /// - Throws: ``KeyError/library(_:)`` when the library itself fails.
  public func isValid(_ signature: Data, for message: Data) throws(KeyError) -> Bool {
    try isValid(Array(signature), for: Array(message))
  }

  func isValid(_ signature: [UInt8], for message: [UInt8]) throws(KeyError) -> Bool {
    guard signature.count == 64 else { return false }
    do {
      let signature = algorithm == .es256 ? try OpenSSL.der(fromRaw: signature) : signature
      return try handle.verify(signature, message, algorithm)
    } catch { throw .library(error) }
  }

  /// Whether both are the same key under the same name.
  public static func == (a: VerificationKey, b: VerificationKey) -> Bool {
    a.kid == b.kid && a.algorithm == b.algorithm && a.bytes == b.bytes
  }
}

extension VerificationKey {
  /// A public key's fields as a JSON Web Key has them (RFC 7517, RFC 7518, RFC 8037).
  public struct JWK: Codable, Equatable, Sendable {
    /// The key's type: `EC`, or `OKP` for Ed25519.
    public var kty: String
    /// The curve: `P-256` or `Ed25519`.
    public var crv: String
    /// The key's identifier.
    public var kid: String
    /// The algorithm that it signs with: `ES256` or `EdDSA`.
    public var alg: String
    /// The x coordinate, or the whole Ed25519 key, base64url.
    public var x: String
    /// The y coordinate of an EC key, base64url.
    public var y: String?

    public init(kty: String, crv: String, kid: String, alg: String, x: String, y: String? = nil) {
      self.kty = kty
      self.crv = crv
      self.kid = kid
      self.alg = alg
      self.x = x
      self.y = y
    }
  }

  /// Reads a public key.
  /// - Throws: ``KeyError``; a point off the curve is ``KeyError/library(_:)``.
  public init(jwk: JWK) throws(KeyError) {
    func coordinate(_ text: String?, _ name: String) throws(KeyError) -> [UInt8] {
      guard let text, let bytes = Base64URL.decode(text), bytes.count == 32 else { throw .malformed("\(name) is not 32 bytes") }
      return bytes
    }
    guard !jwk.kid.isEmpty else { throw .malformed("kid is empty") }
    // No token could name it. A long name with marks would make each comparison take seconds.
    guard jwk.kid.utf8.count <= JWS.maximumHeaderLength else { throw .malformed("kid is longer than a header") }
    let algorithm: SignatureAlgorithm
    let bytes: [UInt8]
    switch (jwk.kty, jwk.crv, SignatureAlgorithm(rawValue: jwk.alg)) {
    case ("EC", "P-256", .es256):
      algorithm = .es256
      bytes = try [4] + coordinate(jwk.x, "x") + coordinate(jwk.y, "y")
    case ("OKP", "Ed25519", .edDSA):
      algorithm = .edDSA
      bytes = try coordinate(jwk.x, "x")
    default: throw .unsupported("\(jwk.kty) \(jwk.crv) with \(jwk.alg)")
    }
    do { try self.init(algorithm, bytes, kid: jwk.kid) } catch { throw .library(error) }
  }

  /// The key's fields, as a key set publishes them.
  public var jwk: JWK {
    switch algorithm {
    case .es256:
      JWK(
        kty: "EC", crv: "P-256", kid: kid, alg: algorithm.rawValue, x: Base64URL.encode(bytes[1..<33]),
        y: Base64URL.encode(bytes[33...]))
    case .edDSA: JWK(kty: "OKP", crv: "Ed25519", kid: kid, alg: algorithm.rawValue, x: Base64URL.encode(bytes))
    }
  }

  /// The key's name of itself (RFC 7638).
  static func thumbprint(_ algorithm: SignatureAlgorithm, _ bytes: [UInt8]) throws(OpenSSLError) -> String {
    let text =
      switch algorithm {
      case .es256:
        #"{"crv":"P-256","kty":"EC","x":"\#(Base64URL.encode(bytes[1..<33]))","y":"\#(Base64URL.encode(bytes[33...]))"}"#
      case .edDSA: #"{"crv":"Ed25519","kty":"OKP","x":"\#(Base64URL.encode(bytes))"}"#
      }
    return Base64URL.encode(try OpenSSL.sha256(Array(text.utf8)))
  }
}
