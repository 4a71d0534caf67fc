import Foundation
import HTTPTransport
import OpenIDConnect
import PublicationAPI
import Runtime

/// Signing in by identity providers (OpenID Connect), and the accounts there that sign a reader in.
struct IdentityResource {
  let identities: any IdentityRepository
  /// `nil` when there are no providers.
  let service: IdentityService?
  let session: SessionResource
  let identifiers: any IdentifierSource
  let arrivals: Arrivals
  let log: OperatorLog
  /// Remembers a token that was used, by its digest, until it is too old; false when it was used before.
  let use: (Data, _ until: Date) -> Bool

  /// How old a token may be, in seconds: it is made for one sign-in, whatever its expiry says.
  static let longestAge: TimeInterval = 600

  nonisolated(nonsending) func signIn(_ call: Call, _ credentials: IDTokenCredentials) async throws -> Response {
    let (provider, token) = try await verified(credentials, call)
    let identity = Identity(token)
    var found = try await identities.reader(of: identity)
    if found == nil {
      try await add(identity, token, provider, from: call)
      found = try await identities.reader(of: identity)
    }
    guard let found, let response = try await session.start(found.reader, password: found.password, device: credentials.device) else {
      throw Problem.conflict("Your account was changed meanwhile. Try again.")
    }
    return response
  }

  /// A reader who comes for the first time. An account with the same address is not theirs by that: an attacker would
  /// only have to give the provider that address.
  private nonisolated(nonsending) func add(
    _ identity: Identity, _ token: IDToken, _ provider: IdentityService.Provider, from call: Call
  ) async throws {
    guard provider.addsReaders else {
      throw Problem(
        code: .identityRejected,
        title: "No reader signs in by this account of \(provider.name). Sign in as you did before, and add it in Account → Sessions.",
        status: 403)
    }
    let id = identifiers.next().uuidString
    // What the provider says of the person is put right here as far as that goes: it is not what they typed.
    let name = (try? ReaderResource.readerName(token.name ?? "")) ?? "Reader"
    let email = token.email.flatMap { try? ReaderResource.validate(email: $0, name: name).email }
    if let email, try await session.readers.reader(email: email) != nil {
      throw Problem(
        code: .identityRejected,
        title:
          "There is an account with the address \(email) already. Sign in to it as you did before, and add \(provider.name) in "
          + "Account → Sessions.", status: 409)
    }
    let reader = Reader(id: id, email: email ?? Reader.noAddress(of: id), name: name)
    try arrivals.add(from: call.request.client, by: provider.issuer, named: provider.name, at: session.clock.uptime)
    // Nothing matches it, until a mailed code sets another one.
    guard try await identities.add(reader, password: session.hasher.placeholder, by: identity, at: session.clock.unixTime) else {
      // Another device of the same reader was faster.
      guard try await identities.reader(of: identity) == nil else { return }
      throw Problem.conflict("Your account was changed meanwhile. Try again.")
    }
  }

  nonisolated(nonsending) func list(_ call: Call) async throws -> Response {
    try .json(await identities.identities(of: call.signedIn.id))
  }

  nonisolated(nonsending) func link(_ call: Call, _ credentials: IDTokenCredentials) async throws -> Response {
    let reader = try call.signedIn
    if let sample = try await session.content.info()?.sampleAccount, ReaderResource.normalized(sample.email) == reader.email {
      throw Problem(code: .notOffered, title: "The sample account is everybody’s, and nobody’s alone.", status: 403)
    }
    guard try await isOfSession(credentials.refreshToken, call.session) else {
      throw Problem(code: .identityRejected, title: "Sign in again before you add an account.", status: 403)
    }
    let (provider, token) = try await verified(credentials, call)
    let identity = Identity(token)
    switch try await identities.link(identity, to: reader.id, at: session.clock.unixTime) {
    case .linked: return Response(204)
    case .moved(let empty):
      _ = try await session.endSessions(of: empty)
      try await session.readers.remove(empty, password: session.hasher.placeholder, at: session.clock.unixTime)
      return Response(204)
    case .gone: throw Problem.notFound("reader any more")
    case .taken: throw Problem.conflict("This account of \(provider.name) signs in another reader.")
    case .hasAnother: throw Problem.conflict("Another account of \(provider.name) signs you in. Remove it first.")
    }
  }

  /// Whether a refresh token is of this session, also an earlier one. Its half that names the family is as secret as all of it.
  private nonisolated(nonsending) func isOfSession(_ token: String?, _ id: SessionFamily.ID?) async throws -> Bool {
    guard let id, let family = try token.flatMap(Publication.digests(ofToken:))?.family else { return false }
    return try await session.readers.isFamily(family, of: id)
  }

  nonisolated(nonsending) func unlink(_ call: Call) async throws -> Response {
    let reader = try call.signedIn.id
    guard let issuer = call.query(.issuer) else { throw Problem.badRequest("“issuer” is missing.") }
    guard try await identities.unlink(issuer, from: reader) else {
      guard try await identities.identities(of: reader).contains(where: { $0.issuer == issuer }) else { throw Problem.notFound("identity") }
      throw Problem.conflict("You came by this account. It stays, since you may have no other way in.")
    }
    return Response(204)
  }

  private nonisolated(nonsending) func verified(
    _ credentials: IDTokenCredentials, _ call: Call
  ) async throws -> (provider: IdentityService.Provider, token: IDToken) {
    guard let service, let provider = service.providers.first(where: { $0.issuer == credentials.issuer }) else {
      throw Problem(code: .notOffered, title: "This publication does not know this provider.", status: 404)
    }
    guard let origin = service.origin(for: call.request) else {
      log("Readers cannot sign in by \(provider.name): a server that others reach needs its --public-url for that.")
      throw Problem(code: .notOffered, title: "This publication is not ready for this provider.", status: 404)
    }
    guard (32...128).contains(credentials.nonceSecret.utf8.count) else { throw Problem.badRequest("“nonceSecret” has 32 to 128 bytes.") }
    do throws(OpenIDError) {
      // Another publication, with which the reader signs in at the same provider, gets tokens of another nonce.
      let nonce = try IDToken.nonce(for: credentials.nonceSecret, at: origin)
      let token = try await provider.directory.verified(credentials.idToken, nonce: nonce)
      guard session.clock.now.timeIntervalSince(token.issued) < Self.longestAge, try isFirstUse(of: credentials.idToken, token) else {
        throw .badToken(.expired)
      }
      return (provider, token)
    } catch {
      switch error {
      // Not a 401: no session is over.
      case .badToken(let reason): throw Problem(code: .identityRejected, title: Self.sentence(reason, provider.name), status: 403)
      case .unreachable, .unusable, .cancelled, .refused, .denied, .noPort, .otherIssuer, .timedOut:
        log("\(provider.name) (\(provider.issuer)): \(error)")
        throw Problem(
          code: .busy, title: "The publication cannot ask \(provider.name) at the moment. Try again later.", status: 503)
      }
    }
  }

  /// Whether a token that was verified was not used before. What is signed of it names it: its signature has two forms.
  private func isFirstUse(of text: String, _ token: IDToken) throws(OpenIDError) -> Bool {
    let signed = text[..<(text.utf8.lastIndex(of: UInt8(ascii: ".")) ?? text.endIndex)]
    // Without a digest a second use could not be told from the first.
    guard let digest = try? Digest.sha256(Data(signed.utf8)) else { throw .badToken(.expired) }
    return use(digest, token.issued.addingTimeInterval(Self.longestAge))
  }

  private static func sentence(_ reason: IDTokenError, _ name: String) -> String {
    switch reason {
    case .expired: "This sign-in by \(name) took too long. Try again."
    case .fromTheFuture: "The clocks of \(name) and of the publication do not agree. Please tell the publication."
    default: "The publication could not verify the answer of \(name)."
    }
  }
}

extension Identity {
  fileprivate init(_ token: IDToken) {
    let name = token.name.flatMap { try? ReaderResource.readerName($0) }
    let email = token.email.flatMap { try? ReaderResource.validate(email: $0, name: name ?? "Reader").email }
    self.init(issuer: token.issuer, subject: token.subject, account: email ?? name)
  }
}

/// The identity providers of a publication.
struct IdentityService {
  struct Provider {
    let name: String
    let addsReaders: Bool
    let directory: ProviderDirectory

    var issuer: String { directory.provider.issuer }
  }

  /// As clients see them.
  let offered: [IdentityProvider]
  let providers: [Provider]
  private let address: PublicAddress

  init(
    _ providers: [IdentityProvider], addingReaders: Set<String>, at address: PublicAddress, transport: any Transport, clock: any AppClock
  ) {
    self.address = address
    offered = providers
    self.providers = providers.map { provider in
      let openIDProvider = OpenIDProvider(issuer: provider.issuer, clientID: provider.clientID)
      return Provider(
        name: provider.name, addsReaders: addingReaders.contains(provider.issuer),
        directory: ProviderDirectory(openIDProvider, transport: transport, clock: clock))
    }
  }
}

extension IdentityService {
  /// The publication's origin, as apps reach it; `nil` when it is not known. What a request says counts for loopback alone: an
  /// attacker with a token for another host could name that host.
  func origin(for request: Request) -> String? {
    switch address {
    case .origin(let origin): return origin
    case .ofRequest:
      guard let origin = address.origin(for: request).flatMap({ Origin(of: $0)?.text }), let host = URLComponents(string: origin)?.host,
        ["127.0.0.1", "localhost", "::1", "[::1]"].contains(host)
      else { return nil }
      return origin
    }
  }
}

extension Publication {
  /// More tokens than providers give within ten minutes.
  private static let mostTokens = 10_000

  /// Remembers that an ID token was used, while it would be accepted again.
  /// - Returns: whether it was not used before.
  func useToken(_ digest: Data, until end: Date) -> Bool {
    let time = clock.now
    usedTokens = usedTokens.filter { $0.value > time }
    guard usedTokens[digest] == nil else { return false }
    if usedTokens.count >= Self.mostTokens, let oldest = usedTokens.min(by: { $0.value < $1.value }) { usedTokens[oldest.key] = nil }
    usedTokens[digest] = end
    return true
  }

  /// Lets readers sign in at identity providers: offered from here on.
  /// - Parameters:
  ///   - providers: no two of one issuer.
  ///   - addingReaders: the issuers whose accounts become readers; those of others sign in readers who have added them.
  ///   - address: where apps reach the publication: tokens are for that address alone.
  ///   - transport: fetches what the providers publish, and follows no redirects.
  ///   - clock: how old tokens are, and what was fetched.
  public func offerSignIn(
    by providers: [IdentityProvider], addingReaders: Set<String>, at address: PublicAddress, transport: any Transport,
    clock: any AppClock = SystemClock()
  ) {
    identityService = IdentityService(providers, addingReaders: addingReaders, at: address, transport: transport, clock: clock)
  }
}

extension Reader {
  /// Stands in the place of an address that a reader does not have. It is none: nothing is sent there, and no reader can sign in with it.
  /// In small letters, as the operator's commands name readers.
  static func noAddress(of id: Reader.ID) -> String { "openid \(id.lowercased())" }

  var hasAddress: Bool { email != Self.noAddress(of: id) }

  /// As the reader sees it.
  var shown: Reader {
    var shown = self
    if !hasAddress { shown.email = "" }
    return shown
  }
}
