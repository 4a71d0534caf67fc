import AccountFeature
import AppCore
import ArticleFeature
import CurlTransport
import FeedFeature
import Foundation
import HTTPTransport
import MenuFeature
import NavigationCore
import Patience
import PaymentFeature
import PaywallFeature
import PublicationListener
import PublicationServer
import PurchaseService
import Runtime
import SessionService
import Synchronization
import TestSupport
import Testing

/// From a locked article over the paywall and the payment to the unlocked article.
@MainActor @Suite(.timeLimit(.minutes(5))) struct PurchasePathTests {
  private let gateway = CountingGateway()
  private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000))

  private func atThePayment(_ transport: any Transport, retaining retained: AnyObject? = nil) async throws -> PathRig {
    let rig = PathRig(transport, retaining: retained)
    rig.coordinator.start(opening: "matinee://posts/p45")
    await rig.settle()
    try await rig.signIn()
    guard let article = rig.presenter.visibleScreen?.model as? ArticleViewModel else { throw PathRig.Missing("article") }
    guard case .locked = article.state.text else { throw PathRig.Missing("lock") }
    article.send(.unlockTapped)
    await rig.settle()
    guard let paywall = rig.presenter.visibleScreen?.model as? PaywallViewModel else { throw PathRig.Missing("paywall") }
    #expect(paywall.state.phase == .ready)
    paywall.send(.buyTapped("premium.monthly"))
    await rig.settle()
    #expect(rig.visible == .payment("premium.monthly"))
    return rig
  }

  private func pay(_ rig: PathRig, with method: String? = nil) async throws {
    guard let payment = rig.presenter.visibleScreen?.model as? PaymentViewModel else { throw PathRig.Missing("payment") }
    if let method {
      let id = payment.state.methods.first { $0.name.contains(method) }?.id
      payment.send(.methodChosen(try #require(id)))
    }
    payment.send(.payTapped)
    payment.send(.payTapped)
    await rig.settle()
  }

  private func isReadable(_ rig: PathRig) -> Bool {
    guard let article = rig.presenter.visibleScreen?.model as? ArticleViewModel, case .body = article.state.text else { return false }
    return true
  }

  private func wait(_ condition: () -> Bool) async {
    for _ in 0..<100_000 where !condition() { await Task.yield() }
  }

  @Test(arguments: PathTests.End.allCases) func payingUnlocksTheArticleAndTheFeedWithoutAnotherTap(end: PathTests.End) async throws {
    let publication = try await Sample.publication(clock: clock, gateway: gateway)
    let rig: PathRig
    switch end {
    case .inProcess: rig = try await atThePayment(InProcessTransport { await publication.handle($0) })
    case .network:
      let listener = try Listener(publication, port: 0, clock: SystemClock())
      rig = try await atThePayment(try NetworkTransport(origin: listener.origin), retaining: listener)
    }
    try await pay(rig)
    await wait { isReadable(rig) }
    #expect(rig.visible == .post("p45"))
    #expect(isReadable(rig))
    rig.coordinator.perform(.back)
    await rig.settle()
    guard let feed = rig.presenter.visibleScreen?.model as? FeedViewModel else { throw PathRig.Missing("feed") }
    #expect(feed.row(for: "p45")?.isLocked == false)
    #expect(await gateway.charges == 1)
  }

  @Test func cancellingReturnsQuietly() async throws {
    let publication = try await Sample.publication(clock: clock, gateway: gateway)
    let rig = try await atThePayment(InProcessTransport { await publication.handle($0) })
    guard let payment = rig.presenter.visibleScreen?.model as? PaymentViewModel else { throw PathRig.Missing("payment") }
    payment.send(.cancelTapped)
    await rig.settle()
    #expect(rig.visible == .paywall("premium"))
    #expect(rig.presenter.messages.allSatisfy { !$0.contains("ancel") })
    #expect(await gateway.calls.isEmpty)
  }

  @Test func aDeclineSaysWhyAndAnotherTrySucceeds() async throws {
    let publication = try await Sample.publication(clock: clock, gateway: gateway)
    let rig = try await atThePayment(InProcessTransport { await publication.handle($0) })
    try await pay(rig, with: "Declined")
    guard let payment = rig.presenter.visibleScreen?.model as? PaymentViewModel else { throw PathRig.Missing("payment") }
    await wait { payment.state.canPay }
    #expect(payment.state.status == .problem("Your bank declined the payment."))
    payment.send(.methodChosen(try #require(payment.state.methods.first).id))
    try await pay(rig)
    await wait { isReadable(rig) }
    #expect(isReadable(rig))
    #expect(await gateway.charges == 1)
  }

  @Test func aPaymentThatTheBankApprovesBehindThePaywallOpensTheArticle() async throws {
    let publication = try await Sample.publication(clock: clock, gateway: gateway)
    await publication.offerPages(at: .origin("https://read.example.org"))
    let rig = try await atThePayment(InProcessTransport { await publication.handle($0) })
    try await pay(rig, with: "with approval")
    guard let payment = rig.presenter.visibleScreen?.model as? PaymentViewModel else { throw PathRig.Missing("payment") }
    await wait { payment.state.status?.text.contains("approval") == true }
    rig.coordinator.perform(.back)
    await wait { rig.visible == .paywall("premium") }
    let orders = try #require(rig.presenter.visibleScreen?.model as? PaywallViewModel)
    await wait { orders.state.notice?.hasSuffix("It unlocks by itself.") == true }
    // The article behind it says so too.
    rig.coordinator.perform(.back)
    await wait { rig.visible == .post("p45") }
    let article = try #require(rig.presenter.visibleScreen?.model as? ArticleViewModel)
    await wait { article.state.isPaying }
    #expect(article.state.isPaying)
    article.send(.unlockTapped)
    await wait { rig.visible == .paywall("premium") }
    let order = try #require(await gateway.calls.last).key
    let headers: Headers = ["Authorization": "Bearer \(try await publication.newOperatorToken())"]
    #expect(await publication.handle(Request(.post, "/v1/operator/orders/\(order)/approve", headers: headers)).status == 200)
    for _ in 0..<100 where !isReadable(rig) {
      rig.clock.advance(by: .seconds(10))
      for _ in 0..<2000 where !isReadable(rig) { await Task.yield() }
    }
    #expect(rig.visible == .post("p45"))
    #expect(isReadable(rig))
    await wait { !article.state.isPaying }
    #expect(!article.state.isPaying)
    #expect(await gateway.charges == 1)
  }

  @Test func whatWasPaidBeforeTheAppWasKilledIsUnlockedAfterTheNextStart() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "path-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let publication = try await Sample.publication(clock: clock, gateway: gateway)
    let tokens = MemoryTokenStore()
    // The charge goes through, and its answer never arrives: for the app the same as being killed after Pay.
    let lost = Lost()
    let first = PathRig(
      InProcessTransport { request in
        let response = await publication.handle(request)
        if request.path.hasSuffix("/charge") { await lost.swallow() }
        return response
      }, tokens: tokens, folder: folder)
    first.coordinator.start(opening: "matinee://paywall/premium")
    await first.settle()
    try await first.signIn()
    guard let paywall = first.presenter.visibleScreen?.model as? PaywallViewModel else { throw PathRig.Missing("paywall") }
    paywall.send(.buyTapped("premium.monthly"))
    await first.settle()
    guard let payment = first.presenter.visibleScreen?.model as? PaymentViewModel else { throw PathRig.Missing("payment") }
    payment.send(.payTapped)
    await lost.waitUntilSwallowed()

    let second = PathRig(InProcessTransport { await publication.handle($0) }, tokens: tokens, folder: folder)
    second.coordinator.start(opening: "matinee://posts/p45")
    await second.settle()
    await wait { isReadable(second) }
    #expect(isReadable(second))
    #expect(await gateway.charges == 1)
    await lost.release()
    await first.settle()
  }

  // MARK: Links to orders

  /// A payment that waits for the browser.
  private func payingInTheBrowser(_ publication: Publication, noting requested: Requested) async throws -> PathRig {
    await publication.offerPages(at: .origin("https://read.example.org"))
    let rig = try await atThePayment(
      InProcessTransport { request in
        requested.note(request)
        return await publication.handle(request)
      })
    guard let payment = rig.presenter.visibleScreen?.model as? PaymentViewModel else { throw PathRig.Missing("payment") }
    payment.send(.methodChosen(try #require(payment.state.methods.first { $0.name == "Pay in the browser" }).id))
    payment.send(.payTapped)
    await wait { !rig.opened.isEmpty }
    #expect(payment.state.status == .working("Waiting for you to pay in the browser…"))
    #expect(payment.state.canCancel)
    return rig
  }

  @Test func quittingWithdrawsThePageThatNothingWaitsForAnyMore() async throws {
    let publication = try await Sample.publication(clock: clock, gateway: gateway)
    let rig = try await payingInTheBrowser(publication, noting: Requested())
    let path = try #require(rig.opened.first).replacing("https://read.example.org", with: "")
    await rig.coordinator.finish()
    let page = await publication.handle(Request(.get, path))
    #expect(String(decoding: page.body, as: UTF8.self).contains("This payment was cancelled in Matinee, and nothing was charged."))
  }

  /// Lets the app look at the page once.
  private func look(_ rig: PathRig, _ requested: Requested) async {
    // Others wait on this clock too, so nobody can say from outside when the sheet's own question is due.
    while requested.looks == 0 {
      rig.clock.advance(by: .seconds(2))
      for _ in 0..<2000 where requested.looks == 0 { await Task.yield() }
    }
  }

  /// How a sheet is left: back, a link past it, and the end of the app.
  nonisolated static let ways: [(Navigation, AppCoordinator.Source)] = [
    (.back, .app), (.dismiss, .app), (.post("p1"), .link), (.quit, .app),
  ]

  @Test(arguments: ways) func leavingAPaymentInTheBrowserIsAskedAbout(way: Navigation, source: AppCoordinator.Source) async throws {
    let publication = try await Sample.publication(clock: clock, gateway: gateway)
    let rig = try await payingInTheBrowser(publication, noting: Requested())
    let path = try #require(rig.opened.first).replacing("https://read.example.org", with: "")
    func page() async -> String { String(decoding: await publication.handle(Request(.get, path)).body, as: UTF8.self) }
    func leave() async throws -> ConfirmViewModel {
      rig.coordinator.perform(way, from: source)
      // Not until all is at rest: the payment waits for the browser.
      await wait { rig.visible == .confirm(way) }
      #expect(rig.visible == .confirm(way))
      return try #require(rig.presenter.visibleScreen?.model as? ConfirmViewModel)
    }
    let question = try await leave()
    #expect(question.state.loss == "You are paying in the browser. If you leave, that is called off.")
    #expect(question.state.action == (way == .quit ? "Quit" : "Leave"))
    question.send(.cancelTapped)
    #expect(rig.visible == .payment("premium.monthly"))
    #expect(await page().contains("Approve"), "and the payment goes on")
    try await leave().send(.confirmTapped)
    if way == .quit {
      #expect(rig.quits == 1)
      await rig.coordinator.finish()
    } else {
      await rig.settle()
      #expect(rig.quits == 0)
      #expect(rig.visible == [.back: .paywall("premium"), .post("p1"): .post("p1")][way] ?? .post("p45"))
    }
    #expect(await page().contains("This payment was cancelled in Matinee"))
  }

  /// Keys that are meant for the question would go to the article. The question stays, and what the sheet beneath it leads to waits.
  @Test(arguments: [true, false]) func aPaymentThatEndsWhileItIsAskedAboutWaitsForTheAnswer(stays: Bool) async throws {
    let publication = try await Sample.publication(clock: clock, gateway: gateway)
    let requested = Requested()
    let rig = try await payingInTheBrowser(publication, noting: requested)
    let path = try #require(rig.opened.first).replacing("https://read.example.org", with: "")
    rig.coordinator.perform(.back)
    let question = try #require(rig.presenter.visibleScreen?.model as? ConfirmViewModel)
    _ = await publication.handle(Request(.post, path + "/approve"))
    await look(rig, requested)
    await wait { rig.presenter.messages.contains { $0.hasPrefix("Thank you!") } }
    #expect(await gateway.charges == 1)
    #expect(rig.visible == .confirm(.back))
    #expect(question.state.loss == "Nothing would be lost any more.")
    question.send(stays ? .cancelTapped : .confirmTapped)
    await wait { isReadable(rig) }
    #expect(isReadable(rig))
    rig.coordinator.perform(.quit)
    #expect(rig.quits == 1, "and nothing is asked")
  }

  @Test(arguments: [Navigation.back, .quit]) func aPaymentThatFailsWhileItIsAskedAboutLeavesTheQuestion(way: Navigation) async throws {
    let publication = try await Sample.publication(clock: clock, gateway: gateway)
    let requested = Requested()
    let rig = try await payingInTheBrowser(publication, noting: requested)
    let path = try #require(rig.opened.first).replacing("https://read.example.org", with: "")
    rig.coordinator.perform(way)
    #expect(rig.visible == .confirm(way))
    let question = try #require(rig.presenter.visibleScreen?.model as? ConfirmViewModel)
    _ = await publication.handle(Request(.post, path + "/decline"))
    await look(rig, requested)
    await wait { question.state.loss == "Nothing would be lost any more." }
    #expect(question.state.loss == "Nothing would be lost any more.")
    #expect(rig.visible == .confirm(way))
    question.send(.cancelTapped)
    #expect(rig.visible == .payment("premium.monthly"))
    #expect(rig.quits == 0)
    let payment = try #require(rig.presenter.visibleScreen?.model as? PaymentViewModel)
    #expect(payment.state.status == .problem("You declined on the page in your browser. Nothing was charged."))
    rig.coordinator.perform(way)
    #expect(rig.visible == (way == .back ? .paywall("premium") : .payment("premium.monthly")))
    #expect(rig.quits == (way == .quit ? 1 : 0), "and nothing is asked")
  }

  /// The ends of a payment that charge nothing at once, as those who count are told them.
  @Test(arguments: ["cancelled", "token_failed", "pending"]) func eachEndOfAPaymentIsCounted(end: String) async throws {
    let publication = try await Sample.publication(clock: clock, gateway: gateway)
    let requested = Requested()
    let rig: PathRig
    var names: [String] = []
    if end == "pending" {
      await publication.offerPages(at: .origin("https://read.example.org"))
      rig = try await atThePayment(InProcessTransport { await publication.handle($0) })
      rig.events.observe { names.append($0.name.rawValue) }
      try await pay(rig, with: "with approval")
    } else {
      rig = try await payingInTheBrowser(publication, noting: requested)
      rig.events.observe { names.append($0.name.rawValue) }
      let payment = try #require(rig.presenter.visibleScreen?.model as? PaymentViewModel)
      if end == "cancelled" {
        payment.send(.cancelTapped)
      } else {
        let path = try #require(rig.opened.first).replacing("https://read.example.org", with: "")
        _ = await publication.handle(Request(.post, path + "/decline"))
        await look(rig, requested)
      }
    }
    await wait { names.contains { $0 == "payment_\(end)" } }
    names.removeAll { $0 == "screen_seen" }
    #expect(names == (end == "pending" ? ["payment_started", "payment_authorized", "payment_pending"] : ["payment_\(end)"]))
    #expect(await gateway.charges == 0)
  }

  @Test func theBrowsersWayBackLeavesTheSheetThatWaitsForItAlone() async throws {
    let publication = try await Sample.publication(clock: clock, gateway: gateway)
    let requested = Requested()
    let rig = try await payingInTheBrowser(publication, noting: requested)
    let page = try #require(rig.opened.first)
    let order = try #require(requested.order)
    _ = await publication.handle(Request(.post, page.replacing("https://read.example.org", with: "") + "/approve"))
    // The browser's way back arrives before the next look at the page.
    rig.coordinator.open(uri: "matinee://orders/\(order)")
    await wait { rig.tracks.last?.navigation == .purchases(order: UUID(uuidString: order)) }
    #expect(rig.visible == .payment("premium.monthly"))
    #expect(rig.tracks.last?.outcome == .ignored)
    await look(rig, requested)
    await until { isReadable(rig) }
    #expect(isReadable(rig))
    #expect(await gateway.charges == 1)
  }

  @Test func aLinkToAnOrderShowsItAmongThePurchases() async throws {
    let publication = try await Sample.publication(clock: clock, gateway: gateway)
    let rig = try await atThePayment(InProcessTransport { await publication.handle($0) })
    try await pay(rig)
    await wait { isReadable(rig) }
    rig.coordinator.open(uri: "matinee://purchases")
    await rig.settle()
    guard let all = rig.presenter.visibleScreen?.model as? PurchasesViewModel else { throw PathRig.Missing("purchases") }
    await wait { all.state.phase == .ready }
    let bought = try #require(all.state.rows.first)
    #expect(bought.status.words == "Paid")
    rig.coordinator.open(uri: "matinee://orders/\(bought.id)")
    await rig.settle()
    #expect(rig.visible == .purchases(order: bought.id))
    guard let one = rig.presenter.visibleScreen?.model as? PurchasesViewModel else { throw PathRig.Missing("purchases") }
    #expect(one.state.marked == bought.id)
    rig.coordinator.open(uri: "matinee://orders/\(UUID())")
    await rig.settle()
    #expect(rig.visible == .purchases(order: bought.id), "one that is not there changes nothing")
    #expect(rig.presenter.messages.last == "This link leads to something that is not here, or no longer.")
  }

  /// What the way to the publication is like.
  private final class Weather: Sendable {
    enum Kind: Sendable {
      case fair
      case noNetwork
      /// A proxy of the network's own answers for orders.
      case proxy
    }

    private let state = Mutex(Kind.fair)
    var kind: Kind {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  private func payIn(_ kind: Weather.Kind) async throws -> (PathRig, Weather) {
    let (publication, weather) = (try await Sample.publication(clock: clock, gateway: gateway), Weather())
    let rig = try await atThePayment(
      InProcessTransport { request in
        switch weather.kind {
        case .noNetwork: throw TransportError.unreachable("no network")
        case .proxy where request.path.hasPrefix("/v1/orders/"): return Response(401, body: Data("<html>Who are you?</html>".utf8))
        case .fair, .proxy: return await publication.handle(request)
        }
      })
    weather.kind = kind
    try await pay(rig)
    return (rig, weather)
  }

  /// The clock of the app stands still: no wait ends by itself.
  @Test func aPaymentWithoutANetworkGoesOnOnceThatIsBack() async throws {
    let (rig, weather) = try await payIn(.noNetwork)
    #expect(await gateway.charges == 0)
    weather.kind = .fair
    rig.coordinator.upkeep.networkIsBack()
    await wait { isReadable(rig) }
    #expect(isReadable(rig))
    #expect(await gateway.charges == 1)
  }

  @Test func aPaymentWithoutANetworkGoesOnOnceThePublicationAnswersSomethingElse() async throws {
    let (rig, weather) = try await payIn(.noNetwork)
    weather.kind = .fair
    rig.coordinator.perform(.dismiss)
    rig.coordinator.perform(.tab(.fanClubs))
    await until { await gateway.charges != 0 }
    await rig.settle()
    rig.coordinator.perform(.post("p45"))
    await wait { isReadable(rig) }
    #expect(isReadable(rig))
    #expect(await gateway.charges == 1)
  }

  @Test func aProxyThatWantsALoginEndsNoSessionAndNoPayment() async throws {
    let (rig, weather) = try await payIn(.proxy)
    guard let payment = rig.presenter.visibleScreen?.model as? PaymentViewModel else { throw PathRig.Missing("payment") }
    #expect(payment.state.status?.text != PendingReason.sessionEnded.sentence)
    #expect(!payment.state.canPay)
    weather.kind = .fair
    rig.coordinator.upkeep.networkIsBack()
    await wait { isReadable(rig) }
    #expect(isReadable(rig))
    #expect(await gateway.charges == 1)
  }

  /// Otherwise the price is charged out of the blue after the sign-in.
  @Test func aSessionThatEndsAfterPaySaysThatThePaymentContinues() async throws {
    let publication = try await Sample.publication(clock: clock, gateway: gateway)
    let (ended, lost) = (PathTests.Flag(), Lost())
    let rig = try await atThePayment(
      InProcessTransport { request in
        let isOrder = request.method == .put && request.path.hasPrefix("/v1/orders/")
        guard await ended.isSet, isOrder || request.path == "/v1/session/refresh" else { return await publication.handle(request) }
        if isOrder { await lost.swallow() }
        return await publication.handle(try request.ofEndedSession())
      })
    guard let payment = rig.presenter.visibleScreen?.model as? PaymentViewModel else { throw PathRig.Missing("payment") }
    await ended.set()
    payment.send(.payTapped)
    await lost.waitUntilSwallowed()
    // The journal is read meanwhile.
    await rig.effects.settled(holding: 1)
    await lost.release()
    await until { rig.visible == .login }
    #expect(try rig.loginNotice == AuthError.ended.sentence + " 1 payment that you agreed to continues when you sign in again.")
    #expect(await gateway.charges == 0)
    await ended.set(false)
    await rig.settle()
    try await rig.signIn()
    await until { await gateway.charges == 1 }
    await rig.coordinator.finish()
  }

  /// Remembers which order was begun, and how often its checkout was looked at.
  private final class Requested: Sendable {
    private let begun = Mutex<String?>(nil)
    private let count = Mutex(0)
    var order: String? { begun.withLock { $0 } }
    var looks: Int { count.withLock { $0 } }

    func note(_ request: Request) {
      let parts = request.path.split(separator: "/")
      if request.method == .put, parts.count == 3, parts[1] == "orders" { begun.withLock { $0 = String(parts[2]) } }
      if request.method == .get, parts.last == "checkout" { count.withLock { $0 += 1 } }
    }
  }

  /// Keeps answers back until they are released.
  actor Lost {
    private var suspended: [CheckedContinuation<Void, Never>] = []
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var isReleased = false

    func swallow() async {
      for continuation in waiting { continuation.resume() }
      waiting = []
      if !isReleased { await withCheckedContinuation { suspended.append($0) } }
    }

    func waitUntilSwallowed() async {
      if suspended.isEmpty { await withCheckedContinuation { waiting.append($0) } }
    }

    func release() {
      isReleased = true
      for continuation in suspended { continuation.resume() }
      suspended = []
    }
  }

  @Test func anEntitledReaderWhoFollowsAPaywallLinkIsToldThatItIsTheirs() async throws {
    let publication = try await Sample.publication(clock: clock, gateway: gateway)
    let rig = try await atThePayment(InProcessTransport { await publication.handle($0) })
    try await pay(rig)
    await wait { isReadable(rig) }
    rig.coordinator.open(uri: "matinee://paywall/premium")
    await rig.settle()
    guard let paywall = rig.presenter.visibleScreen?.model as? PaywallViewModel else { throw PathRig.Missing("paywall") }
    #expect(paywall.state.notice != nil)
    #expect(paywall.state.products.contains { !$0.canBuy })
  }

  @Test func signingOutTakesThePremiumAccessAlong() async throws {
    let publication = try await Sample.publication(clock: clock, gateway: gateway)
    let rig = try await atThePayment(InProcessTransport { await publication.handle($0) })
    try await pay(rig)
    await wait { isReadable(rig) }
    rig.coordinator.perform(.login(then: nil))
    await rig.settle()
    try await rig.signIn(email: "other@example.org", password: "curtain call")
    guard let feed = rig.presenter.visibleScreen?.model as? FeedViewModel else { throw PathRig.Missing("feed") }
    #expect(feed.row(for: "p45")?.isLocked == true)
  }
}
