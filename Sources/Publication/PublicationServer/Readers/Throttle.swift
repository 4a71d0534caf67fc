/// Wrong passwords in a row, by account and client together: after five, each further one doubles the pause before the next try. Unknown
/// accounts count too, so that the pause does not reveal which accounts exist. Guesses of clients without an address do not count.
final class Throttle {
  /// Whose password is guessed, and by which client.
  struct Key: Hashable {
    let email: String
    /// The client's address; nil where clients cannot be distinguished.
    let client: String?
  }

  private struct Failures {
    var count: Int
    var until: Duration
    var last: Duration
  }

  private static let free = 5
  private static let longest = Duration.seconds(900)
  private static let memory = Duration.seconds(24 * 3600)
  private static let capacity = 10_000
  /// How long a client is remembered for a wrong password, and for a right one of any account.
  private static let memoryOfWrong = Duration.seconds(900)
  private static let memoryOfRight = Duration.seconds(30 * 24 * 3600)
  private var failures: [Key: Failures] = [:]
  /// Whose password a client's last one was, and when it was received; `nil` for nobody's.
  private var clients: [String: (account: String?, last: Duration)] = [:]

  /// How long there is to wait before the next try, in whole seconds; 0 for none.
  func pause(_ key: Key, at uptime: Duration) -> Int {
    guard let until = failures[key]?.until, until > uptime else { return 0 }
    let (seconds, rest) = (until - uptime).components
    return Int(seconds) + (rest > 0 ? 1 : 0)
  }

  /// Counts a try as wrong before it is checked, so that many at a time are not all accepted.
  func start(_ key: Key, at uptime: Duration) {
    // One who guesses would lock out all clients without an address.
    guard key.client != nil else { return }
    if failures.count >= Self.capacity, failures[key] == nil { forget(uptime) }
    let recentCount = failures[key].flatMap { uptime - $0.last < Self.memory ? $0.count : nil } ?? 0
    let count = recentCount + 1
    let pause = count < Self.free ? .zero : min(Self.longest, .seconds(30 << min(count - Self.free, 5)))
    failures[key] = Failures(count: count, until: uptime + pause, last: uptime)
  }

  /// The guess was never checked.
  func takeBack(_ key: Key) {
    guard let entry = failures[key] else { return }
    failures[key] = entry.count > 1 ? Failures(count: entry.count - 1, until: .zero, last: entry.last) : nil
  }

  /// The guess was right.
  func succeeded(_ key: Key, at uptime: Duration) {
    failures[key] = nil
    remember(key.client, account: key.email, uptime)
  }

  /// The guess was checked, and was wrong.
  func failed(_ key: Key, at uptime: Duration) { remember(key.client, account: nil, uptime) }

  private func remember(_ client: String?, account: String?, _ uptime: Duration) {
    guard let client else { return }
    if clients.count >= Self.capacity, clients[client] == nil {
      clients = clients.filter { standing($0.key, at: uptime) != .new }
      if clients.count >= Self.capacity {
        let middle = clients.values.map(\.last).sorted()[clients.count / 2]
        clients = clients.filter { $0.value.last > middle }
      }
    }
    clients[client] = (account, uptime)
  }

  /// The client's standing, by its last password.
  func standing(_ client: String?, at uptime: Duration) -> PasswordHasher.Standing {
    guard let client else { return .right }
    guard let entry = clients[client] else { return .new }
    guard uptime - entry.last < (entry.account != nil ? Self.memoryOfRight : Self.memoryOfWrong) else { return .new }
    return entry.account != nil ? .right : .wrong
  }

  /// Whether that account was the last that was signed in to from the client.
  func isOwn(_ key: Key, at uptime: Duration) -> Bool {
    guard let client = key.client, standing(client, at: uptime) == .right else { return false }
    return clients[client]?.account == key.email
  }

  /// Removes the failures of a day ago, and those without a pause if there is still no room.
  private func forget(_ uptime: Duration) {
    failures = failures.filter { uptime - $0.value.last < Self.memory }
    if failures.count >= Self.capacity { failures = failures.filter { $0.value.until > uptime } }
  }
}
