import HTTPTransport

/// How many readers come into being at identity providers. Whoever runs one, or gets accounts there without end, could fill the publication
/// with readers. Those who have come before sign in as ever.
final class Arrivals {
  /// How many a client may bring within an hour, and how many a provider.
  static let most = (ofClient: 20, ofProvider: 1000)
  private static let hour = Duration.seconds(3600)

  /// Those of the last hour, the earliest first: never more than all providers may bring.
  private var recent: [(client: String?, issuer: String, at: Duration)] = []

  /// Counts a reader who is about to be added.
  /// - Parameters:
  ///   - client: the client's address; `nil` where clients cannot be distinguished, of whom only the provider's limit counts.
  ///   - issuer: the provider.
  ///   - name: what people call it.
  ///   - uptime: the time since the start.
  /// - Throws: ``Refusal`` with 429 when there were too many, who does not count.
  func add(from client: String?, by issuer: String, named name: String, at uptime: Duration) throws(Refusal) {
    recent.removeAll { uptime - $0.at >= Self.hour }
    let ofClient = client.map { client in recent.filter { $0.client == client } } ?? []
    if ofClient.count >= Self.most.ofClient {
      throw refusal("There were too many new readers from your network within an hour. Try again later.", after: ofClient[0].at, uptime)
    }
    let ofProvider = recent.filter { $0.issuer == issuer }
    if ofProvider.count >= Self.most.ofProvider {
      throw refusal("There were too many new readers by \(name) within an hour. Try again later.", after: ofProvider[0].at, uptime)
    }
    recent.append((client, issuer, uptime))
  }

  private func refusal(_ title: String, after first: Duration, _ uptime: Duration) -> Refusal {
    let pause = Int(((first + Self.hour - uptime) / .seconds(1)).rounded(.up))
    return Refusal(response: .problem(429, .tooManyAttempts, title, retryAfter: pause))
  }
}
