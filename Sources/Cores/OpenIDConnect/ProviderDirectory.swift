import Foundation
import HTTPTransport
import Runtime

/// What one provider publishes: its metadata and its keys, fetched when they are needed and kept for a while.
///
/// One instance serves many sign-ins. However many made-up tokens come, keys that were fetched are fetched again once a minute at most, and a
/// provider that failed is asked again after ten seconds.
public actor ProviderDirectory {
  /// For how long both are used.
  static let lifetime = Duration.seconds(3600)
  /// How long the keys are used at least, although a token names another one.
  static let pause = Duration.seconds(60)
  private static let pauseOfFailed = Duration.seconds(10)

  /// The provider whose details and keys are fetched.
  public nonisolated let provider: OpenIDProvider
  private let transport: any Transport
  private let clock: any AppClock
  private var metadata: (value: ProviderMetadata, fetched: Duration)?
  private var keys: (value: ProviderKeys, fetched: Duration)?
  private var failure: (error: OpenIDError, at: Duration)?
  private let requests = SharedWork<String, Result<Data, OpenIDError>>()

  /// - Parameters:
  ///   - provider: whose they are.
  ///   - transport: sends requests to absolute addresses, and follows no redirects: they could lead anywhere.
  ///   - clock: how old they are, and what time it is.
  public init(_ provider: OpenIDProvider, transport: any Transport, clock: any AppClock) {
    self.provider = provider
    self.transport = transport
    self.clock = clock
  }

  /// The provider's metadata.
  /// - Throws: ``OpenIDError``.
  public func currentMetadata() async throws(OpenIDError) -> ProviderMetadata {
    if let metadata, clock.uptime - metadata.fetched < Self.lifetime { return metadata.value }
    guard OpenIDProvider.isIssuer(provider.issuer) else {
      throw .unusable("its issuer is no https address")
    }
    let document = try await get(ProviderMetadata.documentURL(of: provider.issuer))
    let value = try ProviderMetadata(document: document, issuer: provider.issuer)
    metadata = (value, clock.uptime)
    return value
  }

  /// Verifies an ID token. When it names a key that is not known, the provider has new ones: they are fetched, once.
  /// - Throws: ``OpenIDError``.
  public func verified(_ token: String, nonce: String) async throws(OpenIDError) -> IDToken {
    for age in [Self.lifetime, Self.pause] {
      let keys = try await currentKeys(olderThan: age)
      do throws(IDTokenError) {
        return try IDToken(verifying: token, of: provider, keys: keys, nonce: nonce, now: clock.now)
      } catch .unknownKey {} catch { throw .badToken(error) }
    }
    throw .badToken(.unknownKey)
  }

  private func currentKeys(olderThan age: Duration) async throws(OpenIDError) -> ProviderKeys {
    if let keys, clock.uptime - keys.fetched < age { return keys.value }
    if let failure, clock.uptime - failure.at < Self.pauseOfFailed { throw failure.error }
    do {
      let value = try ProviderKeys(document: try await get(try await currentMetadata().keysURI))
      (keys, failure) = ((value, clock.uptime), nil)
      return value
    } catch {
      // One caller that was cancelled says nothing of the provider.
      if error != .cancelled { failure = (error, clock.uptime) }
      throw error
    }
  }

  /// One request for all that wait for the same document.
  private func get(_ url: String) async throws(OpenIDError) -> Data {
    let answer: Result<Data, OpenIDError>
    do {
      answer = try await requests.value(for: url) { [transport] in
        do throws(OpenIDError) {
          let response = try await Self.send(Request(.get, url, headers: ["Accept": "application/json"]), by: transport)
          guard response.status == 200 else { throw .unusable("\(url.prefix(200)) answers with status \(response.status)") }
          return .success(response.body)
        } catch { return .failure(error) }
      }
    } catch { throw .cancelled }
    return try answer.get()
  }

  /// Exchanges a code for an ID token (RFC 6749, section 4.1.3; RFC 7636, section 4.5).
  func exchange(_ code: String, of request: AuthorizationRequest) async throws(OpenIDError) -> String {
    var fields = [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", request.redirectURI), ("client_id", provider.clientID),
      ("code_verifier", request.verifier),
    ]
    if let secret = provider.clientSecret { fields.append(("client_secret", secret)) }
    let metadata = try await currentMetadata()
    let post = Request(
      .post, metadata.tokenEndpoint, headers: ["Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"],
      body: Data(Form.encode(fields).utf8))
    let response = try await Self.send(post, by: transport)
    struct Tokens: Decodable { var id_token: String? }
    struct Refusal: Decodable { var error: String? }
    guard response.status == 200 else {
      let refusal = StrictJSON.decode(Refusal.self, from: response.body)
      throw .refused(AuthorizationRequest.shown(refusal?.error ?? "status \(response.status)"))
    }
    guard let token = StrictJSON.decode(Tokens.self, from: response.body)?.id_token else {
      throw .badToken(.malformed("there is no id_token"))
    }
    return token
  }

  private static func send(_ request: Request, by transport: any Transport) async throws(OpenIDError) -> Response {
    do { return try await transport.send(request) } catch let error as TransportError { throw .unreachable(error) } catch {
      throw .cancelled
    }
  }
}

/// `application/x-www-form-urlencoded`.
enum Form {
  static func encode(_ fields: [(String, String)]) -> String { fields.map { "\(escaped($0))=\(escaped($1))" }.joined(separator: "&") }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for byte in text.utf8 {
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || "-._~".utf8.contains(byte)
      escaped += isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    return escaped
  }
}
