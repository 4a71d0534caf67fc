import Foundation
import HTTPTransport
import PublicationAPI
import PublicationCommerce
import PublicationServer
import PurchaseService
import Runtime
import TestSupport
import Testing

/// What the queue tells without being asked.
@Suite struct OrderWatchTests {
  private let served: ServedPublication
  private let clock = ManualClock()

  init() async throws {
    served = try await ServedPublication()
  }

  private func queue(over transport: (any Transport)? = nil) -> PublicationQueue {
    let (client, user) = (served.client(over: transport), served.signedIn.reader.id)
    return PublicationQueue(clock: clock, pace: .seconds(300)) { $0 == user ? client : nil }
  }

  private func transaction(_ product: String, _ token: String) async throws -> Transaction {
    let summary = try await served.summary(UUID(), product)
    return Transaction(
      id: summary.id, seller: "store", user: served.signedIn.reader.id, productID: product, isOneTime: true, price: summary.total,
      purchasePath: "p", begun: clock.now, token: PaymentToken(token))
  }

  private func refund(_ id: UUID) async throws {
    try await served.operate("orders/\(id)/refund", Wire.encode(RefundRequest(reason: "It was a mistake.")))
  }

  /// Lets the queue look once more.
  private func look() async {
    await clock.waitForSleepers()
    clock.advance(by: .seconds(300))
  }

  @Test func aDeferredPaymentIsApprovedAndLaterGivenBack() async throws {
    let queue = queue()
    let transaction = try await transaction("passes.5", "tok_deferred")
    guard case .deferred(let sentence) = await queue.add(transaction) else {
      Issue.record("not deferred")
      return
    }
    #expect(sentence.contains("Nothing was charged yet."))
    var updates = queue.observe().makeAsyncIterator()
    try await served.operate("orders/\(transaction.id)/approve")
    await look()
    #expect(await updates.next() == .transaction(transaction.id))
    #expect(await updates.next() == .receipts, "for whoever did not submit it")
    guard case .accepted(_, let listed) = await queue.add(transaction) else {
      Issue.record("not accepted")
      return
    }
    #expect(listed == ["passes.5"])
    #expect(try await served.client().balances() == [Balance(type: Balance.articlePass, amount: 5)])
    try await refund(transaction.id)
    await look()
    #expect(await updates.next() == .revoked(transaction.id, reason: "It was a mistake."))
    #expect(try await served.client().balances() == [Balance(type: Balance.articlePass, amount: 0)])
    await served.listener.stop()
  }

  @Test func aBankAsksThePerson() async throws {
    let queue = queue()
    let transaction = try await transaction("premium.lifetime", "tok_interrupted")
    guard case .interrupted(_, let url?) = await queue.add(transaction) else {
      Issue.record("not interrupted")
      return
    }
    var updates = queue.observe().makeAsyncIterator()
    _ = try await served.browse(url, "Approve")
    await look()
    #expect(await updates.next() == .transaction(transaction.id))
    guard case .accepted = await queue.add(transaction) else {
      Issue.record("not accepted")
      return
    }
    #expect(await served.gateway.count == 1)
    await served.listener.stop()
  }

  @Test func whatABankAskedIsCancelled() async throws {
    let queue = queue()
    let transaction = try await transaction("premium.lifetime", "tok_interrupted")
    guard case .interrupted = await queue.add(transaction) else {
      Issue.record("not interrupted")
      return
    }
    await #expect(throws: StoreError(.unauthorized, code: "other_user", sentence: "Sign in to cancel this payment.")) {
      try await queue.cancel(transaction.id, user: "another")
    }
    try await queue.cancel(transaction.id, user: served.signedIn.reader.id)
    #expect(await queue.add(transaction) == .declined("You cancelled this payment. Nothing was charged."))
    #expect(await served.gateway.count == 0)
    await served.listener.stop()
  }

  @Test func whatWasBoughtElsewhereAndWhatWasGivenBackMeanwhile() async throws {
    let (here, elsewhere) = (queue(), queue())
    let user = served.signedIn.reader.id
    let before = try await transaction("premium.lifetime", "tok_approved")
    _ = await elsewhere.add(before)
    try await refund(before.id)
    let own = try await transaction("passes.5", "tok_approved")
    _ = await here.add(own)
    var updates = here.observe().makeAsyncIterator()
    // The first look, when the app asks what is in force: a refund that nobody saw, and nothing of what was known.
    #expect(try await here.restore(user: user).isEmpty)
    #expect(await updates.next() == .revoked(before.id, reason: "It was a mistake."))
    _ = await elsewhere.add(try await transaction("premium.monthly", "tok_approved"))
    _ = await elsewhere.add(try await transaction("premium.yearly", "tok_approved"))
    await look()
    // Two purchases are one reason to ask.
    #expect(await updates.next() == .receipts)
    try await refund(own.id)
    await look()
    #expect(await updates.next() == .revoked(own.id, reason: "It was a mistake."))
    #expect(await updates.next() == .receipts, "what was bought behind it ends earlier now")
    await served.listener.stop()
  }

  @Test func howeverManyListenThereIsOneLookAndAllAreTold() async throws {
    let relay = Relay(served.network)
    let queue = queue(over: relay)
    let own = try await transaction("passes.5", "tok_approved")
    _ = await queue.add(own)
    let requested = relay.sent.count
    var (first, second) = (queue.observe().makeAsyncIterator(), queue.observe().makeAsyncIterator())
    try await refund(own.id)
    await look()
    #expect(await first.next() == .revoked(own.id, reason: "It was a mistake."))
    #expect(await second.next() == .revoked(own.id, reason: "It was a mistake."))
    #expect(relay.sent.count == requested + 1)
    await served.listener.stop()
  }

  @Test func nobodyIsAskedWhileNobodyIsKnown() async throws {
    let relay = Relay(served.network)
    let queue = queue(over: relay)
    let listening = Task { for await _ in queue.observe() {} }
    await look()
    await clock.waitForSleepers()
    #expect(relay.sent.isEmpty)
    listening.cancel()
    await listening.value
    await #expect(throws: StoreError.self) { try await queue.restore(user: "somebody else") }
    #expect(relay.sent.isEmpty)
    await served.listener.stop()
  }
}
