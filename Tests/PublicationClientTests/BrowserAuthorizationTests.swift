import CurlTransport
import Foundation
import HTTPTransport
import OpenIDConnect
import OpenIDConnectTesting
import PublicationAPI
import PublicationClient
import Runtime
import SessionService
import Testing

/// Signing in at a publication's identity provider.
@Suite(.timeLimit(.minutes(1))) struct BrowserAuthorizationTests {
  private let clock = ManualClock()
  private let provider: StubProvider
  private let browser: NetworkTransport

  init() throws {
    provider = StubProvider(keys: [try .ec("key-1")], clock: clock)
    browser = try NetworkTransport(origin: nil, usesProxy: false)
  }

  private func authorization(allows: Bool = true) throws -> BrowserAuthorization {
    let registration = StubProvider.registration
    let info = PublicationInfo(
      id: "pub", name: "The Publication", tagline: "", defaultPaywallID: "premium",
      identityProviders: [IdentityProvider(issuer: registration.issuer, name: "Example", clientID: registration.clientID)])
    let answer = Response(200, body: try Wire.encode(info))
    return BrowserAuthorization(
      APIClient(transport: InProcessTransport { _ in answer }, token: { nil }), transport: provider, clock: clock,
      random: SystemRandom(), origin: "https://read.example.org/"
    ) { [provider, browser] page in
      guard let redirect = provider.redirect(from: page, allows: allows) else { return }
      _ = try? await browser.send(Request(.get, redirect))
    }
  }

  /// However often one signs in, what the provider publishes is fetched once an hour; its keys also when they are others.
  @Test func whatTheProviderPublishesIsFetchedOnce() async throws {
    let authorization = try authorization()
    for _ in 1...3 {
      let granted = try await authorization.credentials(from: StubProvider.issuer, device: "Desk")
      #expect(granted.issuer == StubProvider.issuer && granted.device == "Desk" && granted.idToken.split(separator: ".").count == 3)
    }
    #expect(provider.count("/openid-configuration") == 1 && provider.count("/keys") == 1 && provider.count("/token") == 3)
    let next = try StubKey.ec("key-2")
    provider.state.withLock { $0.keys = [next] }
    clock.advance(by: .seconds(60))
    _ = try await authorization.credentials(from: StubProvider.issuer, device: nil)
    #expect(provider.count("/openid-configuration") == 1 && provider.count("/keys") == 2)
    clock.advance(by: .seconds(3600))
    _ = try await authorization.credentials(from: StubProvider.issuer, device: nil)
    #expect(provider.count("/openid-configuration") == 2 && provider.count("/keys") == 3)
  }

  @Test func whatGoesWrongIsASentence() async throws {
    await #expect(throws: AuthError.rejected("The publication does not offer this way to sign in any more.")) {
      try await authorization().credentials(from: "https://elsewhere.example.org", device: nil)
    }
    await #expect(throws: AuthError.rejected("Example did not sign you in: that was declined on its page.")) {
      try await authorization(allows: false).credentials(from: StubProvider.issuer, device: nil)
    }
    provider.state.withLock { $0.failure = .unreachable("no route", .noNetwork) }
    await #expect(throws: AuthError.unreachable("Example cannot be reached: this computer has no network. Connect it and try again.")) {
      try await authorization().credentials(from: StubProvider.issuer, device: nil)
    }
  }
}
