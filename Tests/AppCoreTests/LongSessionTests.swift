import AccountFeature
import AppCore
import ArticleFeature
import FeatureFlags
import FeatureKit
import FeedFeature
import Foundation
import HTTPTransport
import NavigationCore
import Patience
import PaymentFeature
import PaywallFeature
import PublicationAPI
import PublicationServer
import Runtime
import Synchronization
import TestSupport
import Testing

/// The access token ends in the middle of what a reader does.
@MainActor @Suite(.timeLimit(.minutes(5))) struct LongSessionTests {
  private let gateway = CountingGateway()
  private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000))
  private let line = Line()
  private let publication: Publication
  private let rig: PathRig

  init() async throws {
    let publication = try await Sample.publication(clock: clock, gateway: gateway)
    self.publication = publication
    await publication.offerPages(at: .origin("https://read.example.org"))
    try await publication.setFlag(FlagRecord(name: Flag.deviceFirstPurchases.name, percent: 100))
    rig = PathRig(
      InProcessTransport { [line] request in
        if line.isDown { throw TransportError.unreachable("no network") }
        let response = await publication.handle(request)
        line.note(request, response)
        return response
      })
    rig.coordinator.start(opening: "matinee://posts/p45")
    await rig.settle()
    try await rig.signIn()
    await until { rig.presenter.visibleScreen?.model is ArticleViewModel }
    await rig.settle()
    line.forget()
  }

  /// What went over the line.
  private final class Line: Sendable {
    private struct State {
      var isDown = false
      var exchanges: [(String, Int)] = []
      var event: (after: String, happens: @Sendable () -> Void)?
    }
    private let state = Mutex(State())

    var isDown: Bool {
      get { state.withLock { $0.isDown } }
      set { state.withLock { $0.isDown = newValue } }
    }
    func note(_ request: Request, _ response: Response) {
      let words = "\(request.method.rawValue) \(request.path)"
      let event = state.withLock { state -> (@Sendable () -> Void)? in
        state.exchanges.append((words, response.status))
        guard let event = state.event, words.hasPrefix(event.after) else { return nil }
        state.event = nil
        return event.happens
      }
      event?()
    }
    /// Has something happen once, when such a request was answered and the answer is on its way.
    func after(_ prefix: String, _ happens: @escaping @Sendable () -> Void) { state.withLock { $0.event = (prefix, happens) } }
    func forget() { state.withLock { $0.exchanges = [] } }

    /// The statuses of the answers to requests whose method and path begin so.
    func statuses(_ prefix: String) -> [Int] { state.withLock { $0.exchanges.filter { $0.0.hasPrefix(prefix) }.map(\.1) } }
    var orders: [String] { state.withLock { $0.exchanges.map(\.0).filter { $0.hasPrefix("PUT /v1/orders/") } } }
  }

  /// Nothing is asked meanwhile, as on a laptop whose lid is closed.
  private func anHourPasses() { pass(61) }

  private func pass(_ minutes: Int) { for clock in [clock, rig.clock] { clock.advance(by: .seconds(minutes * 60)) } }

  private func model<Model>(_ type: Model.Type) throws -> Model {
    guard let model = rig.presenter.visibleScreen?.model as? Model else { throw PathRig.Missing("\(type)") }
    return model
  }

  private func toThePayment() async throws -> PaymentViewModel {
    try model(ArticleViewModel.self).send(.unlockTapped)
    await rig.settle()
    try model(PaywallViewModel.self).send(.buyTapped("premium.monthly"))
    await rig.settle()
    return try model(PaymentViewModel.self)
  }

  private func choose(_ name: String, _ payment: PaymentViewModel) throws {
    payment.send(.methodChosen(try #require(payment.state.methods.first { $0.name.contains(name) }).id))
  }

  private var isReadable: Bool {
    guard let article = rig.presenter.visibleScreen?.model as? ArticleViewModel, case .body = article.state.text else { return false }
    return true
  }

  /// A bookmark without a network, an hour before that is back.
  private func bookmarkAndWait() async throws {
    rig.coordinator.perform(.tab(.home))
    await rig.settle()
    line.isDown = true
    try model(FeedViewModel.self).send(.bookmarkTapped("p44"))
    await rig.settle()
    anHourPasses()
  }

  @Test func whatTheReaderDidWhileAwayIsSentWithTheNextToken() async throws {
    try await bookmarkAndWait()
    line.isDown = false
    try model(FeedViewModel.self).send(.refreshTapped)
    await until { line.statuses("PUT /v1/posts/p44/bookmark").last.map { $0 < 300 } ?? false }
    await rig.settle()
    #expect(line.statuses("POST /v1/session/refresh") == [200])
    #expect(rig.visible == .tab(.home))
    #expect(try model(FeedViewModel.self).row(for: "p44")?.isBookmarked == true)
    #expect(rig.presenter.messages.isEmpty)
  }

  /// Between the order and its charge, or between the charge and what is asked about it.
  @Test(arguments: ["PUT /v1/orders/", "POST /v1/orders/"]) func anOrderIsChargedOnce(after request: String) async throws {
    let payment = try await toThePayment()
    line.after(request) { [clocks = [clock, rig.clock]] in for clock in clocks { clock.advance(by: .seconds(61 * 60)) } }
    payment.send(.payTapped)
    await until { isReadable }
    #expect(await gateway.charges == 1)
    #expect(line.statuses("PUT /v1/orders/") == [201])
    #expect(line.statuses("POST /v1/orders/") == (request.hasPrefix("PUT") ? [401, 200] : [200]))
    #expect(line.statuses("POST /v1/session/refresh") == [200])
  }

  /// A page for paying is open for half an hour.
  @Test func aCheckoutInTheBrowserGoesOn() async throws {
    pass(45)
    let payment = try await toThePayment()
    try choose("Pay in the browser", payment)
    payment.send(.payTapped)
    await until { !rig.opened.isEmpty }
    pass(20)
    let page = try #require(rig.opened.first).replacing("https://read.example.org", with: "")
    #expect(await publication.handle(Request(.post, page + "/approve")).status < 400)
    await rig.pass(.seconds(2)) { isReadable }
    #expect(await gateway.charges == 1)
    #expect(line.statuses("POST /v1/session/refresh") == [200])
  }

  @Test func anOrderThatWaitsForTheBankIsWatched() async throws {
    let payment = try await toThePayment()
    try choose("with approval", payment)
    payment.send(.payTapped)
    await until { line.statuses("POST /v1/orders/").contains(202) }
    anHourPasses()
    let order = try #require(line.orders.last?.split(separator: "/").last)
    try await approve(order)
    var turns = 0
    while try await gateway.charges == 0 || !isUnlocked() {
      rig.clock.advance(by: .seconds(10))
      for _ in 0..<2000 where try !isUnlocked() { await Task.yield() }
      turns += 1
      try #require(turns < 1000)
    }
    #expect(line.statuses("POST /v1/session/refresh") == [200])
    #expect(await gateway.charges == 1)
  }

  private func approve(_ order: Substring) async throws {
    let headers: Headers = ["Authorization": "Bearer \(try await publication.newOperatorToken())"]
    #expect(await publication.handle(Request(.post, "/v1/operator/orders/\(order)/approve", headers: headers)).status == 200)
  }

  /// Whether the article behind the payment, which may still be open, is readable.
  private func isUnlocked() throws -> Bool {
    if rig.visible != .post("p45") { rig.coordinator.open(uri: "matinee://posts/p45") }
    return isReadable
  }

  @Test func whatIsCountedForFlagsArrives() async throws {
    let counted = try await publication.flagReport(Flag.deviceFirstPurchases.name).buckets.map(\.paywallsSeen)
    #expect(counted == [0, 0])
    anHourPasses()
    _ = try await toThePayment()
    while try await publication.flagReport(Flag.deviceFirstPurchases.name).buckets.map(\.paywallsSeen).max() != 1, !Task.isCancelled {
      await tenSecondsPass()
    }
    #expect(line.statuses("POST /v1/session/refresh") == [200])
  }

  @Test func signingOutEndsTheSessionThere() async throws {
    anHourPasses()
    rig.coordinator.perform(.login(then: nil))
    await rig.settle()
    await rig.coordinator.finish()
    #expect(rig.visible == .login)
    #expect(line.statuses("DELETE /v1/session") == [204])
    #expect(line.statuses("POST /v1/session/refresh").isEmpty)
  }

  /// What waits for a reader who signed out goes out with no token of the next one.
  @Test func theNextReaderSendsNothingOfTheLast() async throws {
    try await bookmarkAndWait()
    rig.coordinator.perform(.login(then: nil))
    await rig.settle()
    line.isDown = false
    try await rig.signIn(email: "other@example.org", password: "curtain call")
    rig.coordinator.perform(.tab(.home))
    await rig.settle()
    #expect(try model(FeedViewModel.self).row(for: "p44")?.isBookmarked == false)
    #expect(line.statuses("PUT /v1/posts/p44/bookmark").isEmpty)
  }

  /// The reader signs out, and another one signs in.
  private func changeReaders(to email: String, _ password: String) async throws {
    rig.coordinator.perform(.login(then: nil))
    await rig.settle()
    line.forget()
    try await rig.signIn(email: email, password: password)
    await rig.settle()
  }

  private func tenSecondsPass() async {
    rig.clock.advance(by: .seconds(10))
    for _ in 0..<200 { await Task.yield() }
  }

  private func fiveMinutesPass() async { for _ in 0..<30 { await tenSecondsPass() } }

  /// An order that waits is asked about by nobody but whose it is.
  @Test func theNextReaderAsksNothingAboutTheLastOnesOrder() async throws {
    let payment = try await toThePayment()
    try choose("with approval", payment)
    payment.send(.payTapped)
    await until { line.statuses("POST /v1/orders/").contains(202) }
    let order = try #require(line.orders.last?.split(separator: "/").last)
    anHourPasses()
    try await changeReaders(to: "other@example.org", "curtain call")
    try await approve(order)
    await fiveMinutesPass()
    #expect(["PUT", "POST", "GET"].flatMap { line.statuses("\($0) /v1/orders/\(order)") }.isEmpty)
    #expect(try !isUnlocked())
    try await changeReaders(to: "reader@example.org", "matinee")
    var turns = 0
    while try !isUnlocked() {
      await fiveMinutesPass()
      turns += 1
      try #require(turns < 100)
    }
    #expect(await gateway.charges == 1)
  }

  /// Agreed to, and the network was gone before the charge.
  @Test func theNextReaderChargesNothingForTheLast() async throws {
    let payment = try await toThePayment()
    line.after("PUT /v1/orders/") { [line] in line.isDown = true }
    payment.send(.payTapped)
    await until { line.isDown }
    await rig.settle()
    let order = try #require(line.orders.last?.split(separator: "/").last)
    #expect(line.statuses("POST /v1/orders/\(order)").isEmpty)
    anHourPasses()
    rig.coordinator.perform(.login(then: nil))
    await rig.settle()
    line.forget()
    line.isDown = false
    try await rig.signIn(email: "other@example.org", password: "curtain call")
    await fiveMinutesPass()
    #expect(["PUT", "POST", "GET"].flatMap { line.statuses("\($0) /v1/orders/\(order)") }.isEmpty)
    #expect(try !isUnlocked())
    #expect(await gateway.charges == 0)
    try await changeReaders(to: "reader@example.org", "matinee")
    await rig.pass(.seconds(10)) { (try? isUnlocked()) == true }
    #expect(await gateway.charges == 1)
  }

  /// The page is open in the browser, and who signs out here is signed in elsewhere: the app withdraws it.
  @Test func theNextReaderAsksNothingAboutTheLastOnesPage() async throws {
    let elsewhere = try Wire.encode(Credentials(email: "reader@example.org", password: "matinee"))
    #expect(await publication.handle(Request(.post, "/v1/session", body: elsewhere)).status < 300)
    pass(45)
    let payment = try await toThePayment()
    try choose("Pay in the browser", payment)
    payment.send(.payTapped)
    await until { !rig.opened.isEmpty }
    let order = try #require(line.orders.last?.split(separator: "/").last)
    pass(20)
    rig.coordinator.perform(.confirmed(.login(then: nil)))
    await rig.settle()
    #expect(line.statuses("DELETE /v1/orders/\(order)/checkout").last == 200)
    line.forget()
    try await rig.signIn(email: "other@example.org", password: "curtain call")
    let page = try #require(rig.opened.first).replacing("https://read.example.org", with: "")
    _ = await publication.handle(Request(.post, page + "/approve"))
    let shown = await publication.handle(Request(.get, page)).body
    #expect(String(decoding: shown, as: UTF8.self).contains("This payment was cancelled in Matinee"))
    await fiveMinutesPass()
    #expect(["PUT", "POST", "GET", "DELETE"].flatMap { line.statuses("\($0) /v1/orders/\(order)") }.isEmpty)
    #expect(try !isUnlocked())
    #expect(await gateway.charges == 0)
  }

  @Test func whatIsCountedOfTheLastReaderWaitsForThem() async throws {
    func seen() async throws -> Int {
      try await publication.flagReport(Flag.deviceFirstPurchases.name).buckets.map(\.paywallsSeen).reduce(0, +)
    }
    line.after("GET /v1/products") { [line] in line.isDown = true }
    _ = try? await toThePayment()
    anHourPasses()
    line.isDown = false
    try await changeReaders(to: "other@example.org", "curtain call")
    await fiveMinutesPass()
    #expect(try await seen() == 0)
    try await changeReaders(to: "reader@example.org", "matinee")
    await fiveMinutesPass()
    #expect(try await seen() == 1)
  }
}
