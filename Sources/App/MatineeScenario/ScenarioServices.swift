import AppScenarios
import CurlTransport
import HTTPTransport
import OpenIDConnectTesting
import PublicationAPI
import PublicationServer
import Runtime
import Synchronization

extension ScenarioPublication {
  /// A publication with all that it may have around it: checkout pages, a web with feeds that readers may add, a mailbox for codes, and an
  /// identity provider.
  /// - Parameters:
  ///   - publication: has its content already.
  ///   - origin: where the app reaches it; `embedded` for the app's own.
  ///   - clock: the time of all of them. Feeds are not fetched again by it, but when the operator publishes.
  /// - Throws: what making a network, a key, or an operator's token throws.
  init(around publication: Publication, origin: String, clock: any AppClock) async throws {
    // A checkout has a page, wherever the publication is.
    await publication.offerPages(at: .origin(origin == Scenario.embedded ? "https://the-interval.example" : origin))
    let web = ScenarioWeb(clock: clock)
    await publication.fetchFeeds(from: web, readersMayAdd: true, clock: ManualClock(now: clock.now))
    let mails = ScenarioMail()
    await publication.sendMail(by: mails)
    let browser = try NetworkTransport(origin: nil, usesProxy: false)
    let provider = StubProvider(keys: [try .ec("key-1")], clock: clock)
    let registration = StubProvider.registration
    await publication.offerSignIn(
      by: [IdentityProvider(issuer: registration.issuer, name: "Example Accounts", clientID: registration.clientID)],
      addingReaders: [registration.issuer], at: .origin(origin), transport: provider, clock: clock)
    self.init(
      transport: OriginSplit(publication: InProcessTransport { await publication.handle($0) }, web: provider),
      operatorToken: try await publication.newOperatorToken(),
      publish: { try await web.publish(in: publication) }, newestCode: { await mails.newestCode() },
      providerPage: { page, allows in
        guard let redirect = provider.redirect(from: page, allows: allows) else { return false }
        _ = try await browser.send(Request(.get, redirect))
        return true
      })
  }
}

/// Keeps the codes that are mailed.
private final class ScenarioMail: Mailer {
  private let codes = Mutex<[String]>([])

  func send(_ mail: Mail) async throws { codes.withLock { $0.append(String(mail.subject.prefix { $0.isNumber })) } }

  /// The code that was mailed last; `nil` when none comes. Mails are sent after the answer.
  func newestCode() async -> String? {
    for _ in 0..<10_000 {
      if let code = codes.withLock(\.last) { return code }
      await Task.yield()
    }
    return nil
  }
}
