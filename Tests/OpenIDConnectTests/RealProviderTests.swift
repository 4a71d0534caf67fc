import CurlTransport
import Foundation
import HTTPTransport
import Runtime
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

/// Against two servers that are not ours, with a script as the browser.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RealProviderTests {
  static let kinds = RealProvider.Kind.allCases.filter(\.isHere)
  private static let backend = "https://read.example.org"
  private let clock = AdjustableClock(SystemClock())

  private func directory(_ provider: RealProvider) throws -> ProviderDirectory {
    let known = provider.registration
    let transport = try NetworkTransport(origin: nil, limits: .init(body: 1 << 20, redirects: 0))
    return ProviderDirectory(
      OpenIDProvider(issuer: known.issuer, clientID: known.clientID, ports: known.ports ?? []), transport: transport, clock: clock)
  }

  private func signIn(_ directory: ProviderDirectory, _ options: String...) async throws(OpenIDError) -> BrowserSignIn.Grant {
    try await BrowserSignIn(directory, app: "Matinee", for: Self.backend, clock: clock).signIn { [clock] url in
      let outcome = try? await RealProvider.browse(url, options)
      #expect(outcome?.status == 0, "\(outcome?.output ?? "")")
      #expect(outcome?.output.contains(options.contains("--deny") ? "Nobody was signed in" : "Back to Matinee") == true)
      // Nothing comes any more.
      if outcome?.status != 0 { clock.step(by: BrowserSignIn.patience) }
    }
  }

  @Test(.enabled(if: kinds.contains(.django), "django-oauth-toolkit is not here"), arguments: [false, true])
  func django(namesIssuer: Bool) async throws {
    let provider = try RealProvider(.django, ["--rotate-on", "SIGUSR1"] + (namesIssuer ? ["--response-iss"] : []))
    defer { provider.stop() }
    let directory = try directory(provider)
    let first = try await signIn(directory)
    #expect(first.claims.issuer == provider.registration.issuer)
    #expect(first.claims.email == "reader@example.org" && first.claims.name?.isEmpty == false)
    #expect(try await signIn(directory).claims.subject == first.claims.subject)
    #expect(try await signIn(directory, "--user", "other").claims.subject != first.claims.subject)
    // As the publication does.
    let nonce = try IDToken.nonce(for: first.nonceSecret, at: Self.backend)
    #expect(try await self.directory(provider).verified(first.token, nonce: nonce) == first.claims)
    await #expect(throws: OpenIDError.badToken(.otherNonce)) { try await directory.verified(first.token, nonce: "another") }
    try provider.rotate()
    clock.step(by: ProviderDirectory.pause)
    #expect(try await signIn(directory).claims.subject == first.claims.subject)
  }

  @Test(.enabled(if: kinds.contains(.django), "django-oauth-toolkit is not here")) func djangoSaysNo() async throws {
    let provider = try RealProvider(.django, ["--consent", "--response-iss"])
    defer { provider.stop() }
    let directory = try directory(provider)
    await #expect(throws: OpenIDError.denied) { try await signIn(directory, "--deny") }
    #expect(try await signIn(directory).claims.email == "reader@example.org")
  }

  /// A real browser opens more connections, asks for an icon, and obeys the headers of our page.
  @Test(.enabled(if: kinds.contains(.django) && RealProvider.Browser.chromium.isHere, "chromium or django-oauth-toolkit is not here"))
  func chromium() async throws {
    let provider = try RealProvider(.django)
    defer { provider.stop() }
    let said = Mutex("")
    let granted = try await BrowserSignIn(directory(provider), app: "Matinee", for: Self.backend, clock: clock).signIn { [clock] url in
      let outcome = try? await RealProvider.browse(url, by: .chromium)
      said.withLock { $0 = outcome?.output ?? "" }
      if outcome?.status != 0 { clock.step(by: BrowserSignIn.patience) }
    }
    #expect(granted.claims.email == "reader@example.org")
    #expect(said.withLock { $0 }.contains("Back to Matinee"))
    #expect(said.withLock { $0 }.contains("28px"), "the page's own style applies")
  }

  @Test(.enabled(if: kinds.contains(.glewlwyd), "glewlwyd is not here"), arguments: [false, true])
  func glewlwyd(vouches: Bool) async throws {
    let provider = try RealProvider(.glewlwyd, vouches ? ["--email-verified", "--response-iss"] : [])
    defer { provider.stop() }
    let directory = try directory(provider)
    let first = try await signIn(directory)
    #expect(first.claims.issuer == provider.registration.issuer)
    // It says nothing of whose the address is, unless it is told to.
    #expect(first.claims.email == (vouches ? "reader@example.org" : nil))
    #expect(try await signIn(directory).claims.subject == first.claims.subject)
    #expect(
      try await self.directory(provider).verified(first.token, nonce: IDToken.nonce(for: first.nonceSecret, at: Self.backend))
        == first.claims)
    // It knows two ports: while one is in use, the other one serves.
    let second = Mutex<BrowserSignIn.Grant?>(nil)
    _ = try await BrowserSignIn(directory, app: "Matinee", for: Self.backend, clock: clock).signIn { url in
      let other = try? await signIn(directory)
      second.withLock { $0 = other }
      _ = try? await RealProvider.browse(url)
    }
    #expect(second.withLock { $0?.claims.subject } == first.claims.subject)
  }
}
