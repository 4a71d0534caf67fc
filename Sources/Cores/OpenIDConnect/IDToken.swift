import Foundation
import Runtime
import SignedReceipts

/// Why an ID token is not accepted.
public enum IDTokenError: Error, Equatable, Sendable {
  /// It is no JWS in compact form with the claims that an ID token has, and what is wrong.
  case malformed(String)
  /// It is signed by another algorithm than RS256 and ES256, or demands something that is not understood here.
  case unsupported(String)
  /// None of the provider's keys has that name: its keys have changed, or it is not the provider's.
  case unknownKey
  /// The provider's key did not sign it.
  case badSignature
  /// Another provider issued it.
  case otherIssuer
  /// It was issued for another client.
  case otherAudience
  /// Its time is over.
  case expired
  /// It was issued at a moment that has not come.
  case fromTheFuture
  /// It answers another request.
  case otherNonce
}

/// A provider's statement of who signed in (OpenID Connect Core 1.0, section 2).
public struct IDToken: Equatable, Sendable {
  /// The identifier of the provider that signed it.
  public var issuer: String
  /// The person, at this provider: at most 255 characters.
  public var subject: String
  /// When it was issued.
  public var issued: Date
  /// The person's address; `nil` unless the provider says that it is theirs.
  public var email: String?
  /// What to call the person.
  public var name: String?

  /// How far a provider's clock and this one may be apart, in seconds.
  static let leeway: TimeInterval = 120
  /// The longest token that is looked at, in bytes.
  package static let maximumLength = 16 << 10

  /// Reads a token, and checks everything about it (section 3.1.3.7): signature, issuer, audience, time and nonce.
  /// - Parameters:
  ///   - text: the token.
  ///   - provider: who has to have issued it, and for whom.
  ///   - keys: the provider's keys.
  ///   - nonce: what the request carried.
  ///   - now: the time.
  /// - Throws: ``IDTokenError``.
  public init(
    verifying text: String, of provider: OpenIDProvider, keys: ProviderKeys, nonce: String, now: Date
  ) throws(IDTokenError) {
    guard text.utf8.count <= Self.maximumLength else { throw .malformed("it is longer than \(Self.maximumLength) bytes") }
    let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
      let signature = Base64URL.decode(parts[2])
    else { throw .malformed("it is not three parts of base64url") }
    guard let header = StrictJSON.decode(Header.self, from: Data(header)) else { throw .malformed("its header cannot be read") }
    guard header.crit == nil else { throw .unsupported("crit") }
    guard let algorithm = ProviderKeys.Algorithm(rawValue: header.alg) else { throw .unsupported("alg") }
    let candidates = try keys.keys(named: header.kid, for: algorithm)
    guard !candidates.isEmpty else { throw .unknownKey }
    let message = Array(text.utf8.prefix(parts[0].count + 1 + parts[1].count))
    guard candidates.contains(where: { $0.isValid(signature, for: message) }) else { throw .badSignature }

    // From here on the provider speaks. People call themselves what they like, so marks that are too many go, and the token stays good.
    let claims: Claims
    do { claims = try JSONDecoder().decode(Claims.self, from: Data(payload).streamSafe) } catch {
      throw .malformed("its claims cannot be read")
    }
    guard claims.iss == provider.issuer else { throw .otherIssuer }
    // Another client in the audience could use the token here. With several clients, `azp` names the one that asked.
    guard claims.aud.values.contains(provider.clientID), claims.azp == nil || claims.azp == provider.clientID,
      claims.aud.values.count == 1 || claims.azp == provider.clientID
    else { throw .otherAudience }
    guard !claims.sub.isEmpty, claims.sub.utf8.count <= 255 else { throw .malformed("its subject is empty or too long") }
    guard now.timeIntervalSince1970 < claims.exp + Self.leeway else { throw .expired }
    guard claims.iat < now.timeIntervalSince1970 + Self.leeway else { throw .fromTheFuture }
    guard claims.nonce == nonce else { throw .otherNonce }
    issuer = claims.iss
    subject = claims.sub
    issued = Date(timeIntervalSince1970: claims.iat)
    // Once more: marks may also have been written as `\u`.
    email = claims.email_verified?.value == true ? claims.email?.streamSafe : nil
    name = (claims.name ?? claims.preferred_username)?.streamSafe
  }

  private struct Header: Decodable {
    var alg: String
    var kid: String?
    // Any extension is refused: none is supported (RFC 7515, section 4.1.11).
    var crit: [String]?
  }

  private struct Claims: Decodable {
    var iss: String
    var sub: String
    var aud: OneOrMore
    var azp: String?
    var exp: TimeInterval
    var iat: TimeInterval
    var nonce: String?
    var email: String?
    var email_verified: Flag?
    var name: String?
    var preferred_username: String?
  }

  private struct OneOrMore: Decodable {
    var values: [String]
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let one = try? container.decode(String.self) { values = [one] } else { values = try container.decode([String].self) }
    }
  }

  /// Some providers write it as text.
  private struct Flag: Decodable {
    var value: Bool
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) { value = text == "true" } else { value = try container.decode(Bool.self) }
    }
  }
}
