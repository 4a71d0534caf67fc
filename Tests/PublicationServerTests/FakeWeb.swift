import Foundation
import HTTPTransport
import Runtime
import Synchronization

/// The web as a test wants it: answers by address, the last one of each for ever.
final class FakeWeb: Transport {
  private struct State {
    var answers: [String: [Result<Response, TransportError>]] = [:]
    var suspended: Set<String> = []
    var requests: [Request] = []
  }

  private let state = Mutex(State())
  /// Requests to held addresses sleep on it: it says when one came, and lets it go on.
  let hold = ManualClock()

  var requests: [Request] { state.withLock { $0.requests } }
  var targets: [String] { requests.map(\.target) }

  func forget() { state.withLock { $0.requests = [] } }

  func answer(_ url: String, _ responses: Response...) { state.withLock { $0.answers[url] = responses.map { .success($0) } } }

  func answer(_ url: String, _ error: TransportError) { state.withLock { $0.answers[url] = [.failure(error)] } }

  func holdBack(_ url: String) { state.withLock { _ = $0.suspended.insert(url) } }

  func send(_ request: Request) async throws -> Response {
    let (isSuspended, answer) = state.withLock { state in
      state.requests.append(request)
      var answers = state.answers[request.target] ?? [.failure(.unreachable("no such host"))]
      let answer = answers.count > 1 ? answers.removeFirst() : answers[0]
      state.answers[request.target] = answers
      return (state.suspended.contains(request.target), answer)
    }
    if isSuspended { try await hold.sleep(for: .seconds(1)) }
    try Task.checkCancellation()
    return try answer.get()
  }
}

/// Documents of feeds.
enum Documents {
  static func rss(_ titles: String..., home: String = "https://example.org/", name: String = "A feed") -> Data {
    let items = titles.map { "<item><guid>\($0)</guid><title>\($0)</title><description>About \($0)</description></item>" }.joined()
    let head = "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>\(name)</title><link>\(home)</link>"
    return Data("\(head)\(items)</channel></rss>".utf8)
  }

  static let outline = Data(
    """
    <?xml version="1.0"?><opml version="2.0"><head><title>My feeds</title></head><body>
    <outline text="News"><outline text="One" type="rss" xmlUrl="https://one.example/feed" htmlUrl="https://one.example/"/>
    <outline text="Two" type="rss" xmlUrl="https://two.example/feed"/></outline>
    <outline text="One again" type="rss" xmlUrl="https://one.example/feed"/></body></opml>
    """.utf8)
}
