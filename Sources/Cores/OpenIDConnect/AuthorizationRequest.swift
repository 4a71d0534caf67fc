import Foundation
import Runtime
import SignedReceipts

/// One request to a provider to sign a person in (OpenID Connect Core 1.0, section 3.1.2.1), and what its answer is checked by.
struct AuthorizationRequest: Sendable {
  /// The address of the provider's page.
  let url: String
  let redirectURI: String
  /// Returns with the answer, so that no other page can answer.
  let state: String
  /// The secret behind the code challenge: the code is of no use to anybody else (RFC 7636).
  let verifier: String
  /// The secret behind the nonce of the ID token: the token is of no use to anybody else.
  let nonceSecret: String

  /// The path of redirect addresses.
  static let path = "/callback"

  init(
    to metadata: ProviderMetadata, of provider: OpenIDProvider, port: Int, for backend: String, random: any RandomSource
  ) throws(OpenIDError) {
    redirectURI = "http://127.0.0.1:\(port)\(Self.path)"
    (state, verifier, nonceSecret) = (Self.secret(random), Self.secret(random), Self.secret(random))
    let query = Form.encode([
      ("response_type", "code"), ("client_id", provider.clientID), ("redirect_uri", redirectURI),
      ("scope", (["openid"] + provider.scopes).joined(separator: " ")), ("state", state),
      ("nonce", try IDToken.nonce(for: nonceSecret, at: backend)),
      ("code_challenge", try Self.digest(verifier)), ("code_challenge_method", "S256"),
    ])
    url = metadata.authorizationEndpoint + (metadata.authorizationEndpoint.contains("?") ? "&" : "?") + query
  }

  /// What a page answered.
  enum Answer: Equatable {
    case code(String)
    case failure(OpenIDError)
    /// It answers another request: this one goes on.
    case unrelated
  }

  /// Reads the query of a redirect (RFC 6749, section 4.1.2; RFC 9207).
  func answer(_ query: [(name: String, value: String)], from metadata: ProviderMetadata) -> Answer {
    // Parameters are not repeated (RFC 6749, section 3.1).
    let fields = Dictionary(grouping: query, by: \.name).mapValues { $0.map(\.value) }
    guard fields["state"] == [state] else { return .unrelated }
    if let issuer = fields["iss"], issuer != [metadata.issuer] { return .failure(.otherIssuer) }
    if let error = fields["error"] {
      let isDenied = ["access_denied", "consent_required", "login_required"].contains(error.first)
      return .failure(isDenied ? .denied : .refused(Self.shown(error.first ?? "")))
    }
    // The name shows that this provider gave the code. An error may come without it.
    guard fields["iss"] != nil || !metadata.namesIssuerInAnswers else { return .failure(.otherIssuer) }
    guard let codes = fields["code"], codes.count == 1, let code = codes.first, !code.isEmpty, code.utf8.count <= 4096 else {
      return .failure(.refused("no code"))
    }
    return .code(code)
  }

  /// SHA-256 as base64url, as the code challenge S256 has it (RFC 7636, section 4.2).
  static func digest(_ text: String) throws(OpenIDError) -> String {
    do { return Base64URL.encode(try OpenSSL.sha256(Array(text.utf8))) } catch { throw .unusable("SHA-256 failed") }
  }

  /// 256 random bits, as base64url.
  private static func secret(_ random: any RandomSource) -> String { Base64URL.encode(random.bytes(32)) }

  /// An error code as people may see it: a stranger wrote it.
  static func shown(_ code: String) -> String {
    let shown = code.unicodeScalars.filter { (0x20...0x7E).contains($0.value) }.prefix(60)
    return String(String.UnicodeScalarView(shown))
  }
}
