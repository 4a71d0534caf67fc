import AccountFeature
import FeatureKit
import Foundation
import HTTPTransport
import Patience
import PublicationAPI
import PublicationClient
import PurchaseServiceTesting
import Runtime
import SessionService
import Synchronization
import Testing

/// Adding and removing accounts at identity providers, as states through a reader's script.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ProviderLinkTests {
  private static let issuer = "https://accounts.example.org"

  private final class Site: Transport {
    let linked = Mutex<[ReaderIdentity]>([])
    let refusal = Mutex<Problem?>(nil)
    /// Why the page signs nobody in.
    let failure = Mutex<AuthError?>(nil)

    func send(_ request: Request) async throws -> Response {
      switch (request.method, request.path) {
      case (.get, "/v1/publication"):
        let provider = IdentityProvider(issuer: "https://accounts.example.org", name: "Example", clientID: "app")
        let info = PublicationInfo(id: "p", name: "P", tagline: "", defaultPaywallID: "premium", identityProviders: [provider])
        return Response(200, body: try Wire.encode(info))
      case (.get, "/v1/sessions"): return Response(200, body: try Wire.encode([ReaderSession]()))
      case (.get, _): return Response(200, body: try Wire.encode(linked.withLock { $0 }))
      case (.put, _):
        if let refusal = refusal.withLock({ $0 }) { return Response(refusal.status, body: try Wire.encode(refusal)) }
        let credentials = try Wire.decode(IDTokenCredentials.self, from: request.body)
        linked.withLock { $0.append(.init(issuer: credentials.issuer, isFirst: false, account: "grace@example.org")) }
        return Response(204)
      default:
        linked.withLock { $0.removeAll { request.query("issuer") == $0.issuer } }
        return Response(204)
      }
    }
  }

  @MainActor private final class Rig {
    let site = Site()
    let gate = Gate()
    private(set) var model: SessionsViewModel!
    private(set) var outputs: [SessionsViewModel.Output] = []

    init(opensPages: Bool = true) {
      let clock = ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000))
      let authorize: @Sendable (String) async throws -> IDTokenCredentials = { [gate, site] issuer in
        await gate.wait()
        try Task.checkCancellation()
        if let failure = site.failure.withLock({ $0 }) { throw failure }
        return IDTokenCredentials(issuer: issuer, idToken: "a.b.c", nonceSecret: "s")
      }
      model = SessionsViewModel(
        client: APIClient(transport: site, token: { "token" }), effects: Effects(),
        formatting: Formatting(clock: clock, locale: Locale(identifier: "en_GB"), timeZone: .gmt), authorize: opensPages ? authorize : nil
      ) { [unowned self] in outputs.append($0) }
    }

    var row: SessionsViewModel.State.Provider? { model.state.providers.first }
  }

  private func shown(_ rig: Rig) async {
    rig.model.appear()
    await until { rig.row != nil }
  }

  @Test func anAccountIsAddedAndRemoved() async {
    let rig = Rig()
    await shown(rig)
    #expect(
      rig.row
        == .init(
          id: Self.issuer, name: "Example", detail: "Does not sign you in.", canAdd: true, canRemove: false, isWorking: false,
          isSensitive: true))
    rig.model.send(.addProviderTapped(Self.issuer))
    rig.model.send(.addProviderTapped(Self.issuer))
    #expect(rig.row?.isWorking == true && rig.row?.detail.hasPrefix("Sign in on its page") == true)
    await rig.gate.reached()
    rig.gate.open()
    await until { rig.row?.detail == "Signs you in as grace@example.org." }
    #expect(rig.row?.canRemove == true)
    #expect(rig.outputs == [.done("Example signs you in from now on.")])
    #expect(rig.site.linked.withLock { $0.count } == 1)
    rig.model.send(.removeProviderTapped(Self.issuer))
    await until { rig.row?.canAdd == true }
    #expect(rig.outputs.last == .done("Example does not sign you in any more."))
    #expect(rig.site.linked.withLock { $0.isEmpty })
  }

  @Test func whatWentWrongIsSaid() async {
    let rig = Rig()
    rig.gate.open()
    await shown(rig)
    rig.site.failure.withLock { $0 = .rejected("Nothing came back from Example within five minutes. Try again.") }
    rig.model.send(.addProviderTapped(Self.issuer))
    await until { rig.model.state.failure != nil }
    #expect(rig.model.state.failure == "Nothing came back from Example within five minutes. Try again.")
    rig.site.failure.withLock { $0 = nil }
    rig.site.refusal.withLock { $0 = Problem(code: .conflict, title: "This account of Example signs in another reader.", status: 409) }
    rig.model.send(.addProviderTapped(Self.issuer))
    #expect(rig.model.state.failure == nil)
    await until { rig.model.state.failure != nil }
    #expect(rig.model.state.failure == "This account of Example signs in another reader.")
    #expect(rig.row?.canAdd == true && rig.row?.isWorking == false)
  }

  @Test func thePageNeedNotBeWaitedFor() async {
    let rig = Rig()
    await shown(rig)
    rig.model.send(.addProviderTapped(Self.issuer))
    await rig.gate.reached()
    rig.model.send(.cancelProviderTapped)
    rig.gate.open()
    await until { rig.row?.isWorking == false }
    #expect(rig.model.state.failure == "Adding Example was cancelled. You can close its page in the browser.")
    #expect(rig.outputs.isEmpty)
  }

  @Test func theOneThatTheAccountBeganWithStays() async {
    let rig = Rig()
    rig.site.linked.withLock { $0 = [.init(issuer: Self.issuer, isFirst: true)] }
    await shown(rig)
    #expect(rig.row?.canAdd == false && rig.row?.canRemove == false)
    rig.model.send(.removeProviderTapped(Self.issuer))
    #expect(rig.row?.isWorking == false)
    let without = Rig(opensPages: false)
    await shown(without)
    #expect(without.row?.canAdd == false)
  }
}
