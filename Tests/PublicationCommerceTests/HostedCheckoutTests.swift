import Foundation
import HTTPTransport
import Patience
import PublicationAPI
import PurchaseService
import Runtime
import SQLiteStorage
import Synchronization
import TestSupport
import Testing

@testable import PublicationClient
@testable import PublicationCommerce

/// Paying on a page in the browser, over a real port, with a browser that reads the page and presses its buttons.
@Suite struct HostedCheckoutTests {
  /// What the app's side of a payment saw.
  private final class Seen: Sendable {
    let started = Mutex(0)
    let (urls, opened) = AsyncStream.makeStream(of: String.self)

    func nextURL() async throws -> String {
      for await url in urls { return url }
      throw CancellationError()
    }
  }

  private let served: ServedPublication
  private let seen = Seen()
  /// The app's time, in which it waits between two questions.
  private let clock = ManualClock()

  init() async throws {
    served = try await ServedPublication()
  }

  private func authorizer(over transport: (any Transport)? = nil) -> HostedCheckoutAuthorizer {
    HostedCheckoutAuthorizer(client: served.client(over: transport), clock: clock) { [seen] url in
      MainActor.assertIsolated()
      seen.opened.yield(url)
    }
  }

  /// Begins a payment; it asks until it is answered.
  private func begin(_ order: OrderSummary, over transport: (any Transport)? = nil) -> Task<PaymentAuthorization, any Error> {
    let authorizer = authorizer(over: transport)
    return Task { [seen] in try await authorizer.authorize(order) { seen.started.withLock { $0 += 1 } } }
  }

  /// Lets the app ask once more.
  private func ask() async {
    await clock.waitForSleepers()
    clock.advance(by: HostedCheckoutAuthorizer.pace)
  }

  private func failure(_ payment: Task<PaymentAuthorization, any Error>) async -> String? {
    do {
      _ = try await payment.value
      return nil
    } catch { return (error as? PaymentAuthorizationError)?.sentence }
  }

  @Test func approvedInTheBrowserAndChargedByTheApp() async throws {
    let order = try await served.summary()
    let payment = begin(order)
    let url = try await seen.nextURL()
    #expect(url.hasPrefix(served.listener.origin + "/checkout/"))
    await ask()
    await clock.waitForSleepers()
    #expect(seen.started.withLock { $0 } == 0)
    #expect(try await served.browse(url, "Approve").contains("You can go back to Matinee"))
    await ask()
    let token = PaymentToken("tok_approved")
    #expect(try await payment.value == .authorized(token))
    #expect(seen.started.withLock { $0 } == 1)
    #expect(await served.gateway.count == 0)
    // From here on it is a payment like any other.
    let client = served.client()
    let user = served.signedIn.reader.id
    let queue = PublicationQueue(clock: clock) { $0 == user ? client : nil }
    let transaction = Transaction(
      id: order.id, seller: "store", user: user, productID: order.product.id, isOneTime: false, price: order.total, purchasePath: "p",
      begun: clock.now, token: token)
    for _ in 0..<2 {
      guard case .accepted(_, let listed) = await queue.add(transaction) else {
        Issue.record("not accepted")
        continue
      }
      #expect(listed == [order.product.id])
    }
    #expect(await served.gateway.count == 1)
    await served.listener.stop()
  }

  @Test func thePageIsOpenedAgainWhileItIsWaitedFor() async throws {
    let (authorizer, order) = (authorizer(), try await served.summary())
    await authorizer.openAgain()
    let payment = Task { try await authorizer.authorize(order) {} }
    let url = try await seen.nextURL()
    await authorizer.openAgain()
    #expect(try await seen.nextURL() == url)
    _ = try await served.browse(url, "Decline")
    await ask()
    await #expect(throws: Self.declined) { try await payment.value }
    await authorizer.openAgain()
    seen.opened.yield("nothing in between")
    #expect(try await seen.nextURL() == "nothing in between")
    await served.listener.stop()
  }

  private static let declined = PaymentAuthorizationError(sentence: "You declined on the page in your browser. Nothing was charged.")

  /// The reader comes back to the app, which says what became of it.
  @Test func declinedInTheBrowserIsSaid() async throws {
    let payment = begin(try await served.summary())
    #expect(try await served.browse(try await seen.nextURL(), "Decline").contains("nothing was charged"))
    await ask()
    await #expect(throws: Self.declined) { try await payment.value }
    #expect(seen.started.withLock { $0 } == 0)
    await served.listener.stop()
  }

  @Test func cancelledInTheAppThePageIsTakenBack() async throws {
    let order = try await served.summary()
    let payment = begin(order)
    let url = try await seen.nextURL()
    await clock.waitForSleepers()
    payment.cancel()
    // Once it has ended the page is withdrawn, so that the program may end too.
    #expect(try await payment.value == .cancelled)
    #expect(try await served.client().checkout(order.id).state == .cancelled)
    let page = try await served.network.send(Request(.get, String(url.dropFirst(served.listener.origin.count))))
    #expect(!String(decoding: page.body, as: UTF8.self).contains("<form"))
    await served.listener.stop()
  }

  @Test func aPageThatExpires() async throws {
    let payment = begin(try await served.summary())
    _ = try await seen.nextURL()
    await clock.waitForSleepers()
    served.clock.advance(by: .seconds(1800))
    await ask()
    #expect(await failure(payment)?.contains("has expired, and nothing was charged") == true)
    await served.listener.stop()
  }

  @Test func aServerThatIsAwayForAWhileIsAskedWhenItSays() async throws {
    let requested = Mutex(0)
    let relay = Relay(served.network) { request in
      guard request.method == .get, request.path.hasSuffix("/checkout") else { return nil }
      let number = requested.withLock { count in
        count += 1
        return count
      }
      switch number {
      case 1: return Response(503, headers: ["Retry-After": "7"])
      case 2: throw TransportError.timedOut
      default: return nil
      }
    }
    let payment = begin(try await served.summary(), over: relay)
    _ = try await served.browse(try await seen.nextURL(), "Approve")
    await ask()
    // 503: not before its seven seconds are over.
    await clock.waitForSleepers()
    clock.advance(by: .seconds(6))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    // No answer: twice as long as before, which was four seconds by our own measure.
    await clock.waitForSleepers()
    #expect(requested.withLock { $0 } == 2)
    clock.advance(by: .seconds(13))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    #expect(try await payment.value == .authorized(PaymentToken("tok_approved")))
    #expect(requested.withLock { $0 } == 3)
    await served.listener.stop()
  }

  @Test func aServerThatNeverComesBack() async throws {
    let relay = Relay(served.network) { request in
      guard request.method == .get, request.path.hasSuffix("/checkout") else { return nil }
      throw TransportError.unreachable("gone")
    }
    let payment = begin(try await served.summary(), over: relay)
    _ = try await seen.nextURL()
    await clock.waitForSleepers()
    clock.advance(by: HostedCheckoutAuthorizer.patience)
    #expect(await failure(payment)?.contains("There was no answer from your browser") == true)
    await served.listener.stop()
  }

  @Test func whatEndsItBeforeAPageIsShown() async throws {
    let order = try await served.summary()
    let dearer = OrderSummary(id: UUID(), product: order.product, total: Price(minorUnits: 1, currency: "EUR"))
    #expect(await failure(begin(dearer))?.hasPrefix("The price has changed") == true)
    let nobody = HostedCheckoutAuthorizer(client: APIClient(transport: served.network, token: { nil }), clock: clock) { _ in }
    await #expect(throws: PaymentAuthorizationError(sentence: "Sign in to buy.")) { try await nobody.authorize(order) {} }
    let relay = Relay(served.network) { request in
      guard request.path.hasSuffix("/checkout") else { return nil }
      let page = Checkout(state: .open, url: "file:///etc/passwd", expires: Date(timeIntervalSince1970: 0))
      return Response(200, body: try Wire.encode(page))
    }
    #expect(await failure(begin(order, over: relay))?.contains("no address that a browser opens") == true)
    await served.listener.stop()
  }

  /// The app is killed while the page waits. What the person agrees to is charged once when the app is back; a page that they have not
  /// answered by then is withdrawn, and the same thing can be bought again at once.
  @MainActor @Test(arguments: [true, false]) func killedWhileThePageWaits(agrees: Bool) async throws {
    let folder = NSTemporaryDirectory() + "matinee-checkout-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let client = served.client()
    let user = served.signedIn.reader.id
    let clock = clock

    func start() async throws -> (Purchases<PurchasableProduct>, Product) {
      let journal = try await Journal(path: folder + "/journal.sqlite", clock: clock)
      let account: PublicationPath.Account = { $0 == user ? client : nil }
      let queue = PublicationQueue(clock: clock, account: account)
      let purchases = Purchases(
        seller: "store",
        purchasePath: .publicationDevice(client, seller: "store", journal: journal, clock: clock, queue: queue, account: account),
        journal: journal,
        environment: PurchaseEnvironment(clock: clock, effects: Effects()))
      purchases.setUser(user)
      try await purchases.resume()
      return (purchases, try #require(try await purchases.products(["premium.monthly"]).products.first))
    }

    var (purchases, product) = try await start()
    let first = Task { [purchases, product, authorizer = authorizer()] in
      await purchases.purchase(product, authorizer: authorizer) { _ in }
    }
    let url = try await seen.nextURL()
    if agrees { _ = try await served.browse(url, "Approve") }
    #expect(try await client.orders().map(\.state) == [.open])

    // The journal is all that the next start has. What is left of the first one never gets to ask.
    (purchases, product) = try await start()
    if agrees {
      try await until { try await purchases.history().map(\.step) == [.finished] }
      #expect(purchases.entitlements.map(\.entitlement) == [PurchasableProduct.premium])
    } else {
      #expect(try await purchases.history().map(\.step) == [.abandoned])
      #expect(try await served.page(url).contains("cancelled in Matinee"))
      let second = Task { [purchases, product, authorizer = authorizer()] in
        await purchases.purchase(product, authorizer: authorizer) { _ in }
      }
      _ = try await served.browse(try await seen.nextURL(), "Approve")
      await clock.waitForSleepers(2)
      first.cancel()
      clock.advance(by: HostedCheckoutAuthorizer.pace)
      guard case .purchased(let bought) = await second.value else {
        Issue.record("not purchased")
        return
      }
      #expect(bought.entitlement == PurchasableProduct.premium)
    }
    first.cancel()
    #expect(await served.gateway.count == 1)
    #expect(try await client.orders().map(\.state) == (agrees ? [.paid] : [.paid, .open]))
    await served.listener.stop()
  }
}
