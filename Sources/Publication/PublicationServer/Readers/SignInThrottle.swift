/// How often sign-ins are tried. Wrong passwords in a row, by account and client together: after five, each further one doubles the pause
/// before the next try. Unknown accounts count too, so that the pause does not reveal which accounts exist. Guesses of clients without an
/// address do not count.
///
/// Right passwords cost a hash as well, and so pause after five within a minute. Wrong codes are counted by address alone: a client needs no
/// more than the address to have as many codes mailed as it likes.
final class SignInThrottle {
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
  /// How many right passwords of an account a client may send within a minute.
  private static let mostRight = 5
  private static let minute = Duration.seconds(60)
  /// How many wrong codes for an address within a day end the trying for an hour.
  private static let mostWrongCodes = 10
  private static let hour = Duration.seconds(3600)
  private var failures: [Key: Failures] = [:]
  /// The last right passwords, and the last wrong codes by address: when they came, the earliest first.
  private var rights: [Key: [Duration]] = [:]
  private var wrongCodes: [String: [Duration]] = [:]
  /// The account whose password a client sent last, and when. The account is `nil` after a wrong password.
  private var clients: [String: (account: String?, last: Duration)] = [:]

  /// How long there is to wait before the next try, in whole seconds; 0 for none.
  func pause(_ key: Key, at uptime: Duration) -> Int {
    Self.seconds(until: failures[key]?.until, at: uptime)
  }

  /// The same after right passwords.
  func pauseAfterRight(_ key: Key, at uptime: Duration) -> Int {
    guard let last = rights[key], last.count == Self.mostRight else { return 0 }
    return Self.seconds(until: last[0] + Self.minute, at: uptime)
  }

  /// How long there is to wait before a code for that address can be tried, in whole seconds; 0 for not at all.
  func pauseOfCodes(for email: String, at uptime: Duration) -> Int {
    guard let last = wrongCodes[email], last.count == Self.mostWrongCodes, uptime - last[0] < Self.memory else { return 0 }
    return Self.seconds(until: last[last.count - 1] + Self.hour, at: uptime)
  }

  /// A code for that address was wrong.
  func failedCode(for email: String, at uptime: Duration) {
    if wrongCodes.count >= Self.capacity, wrongCodes[email] == nil {
      let latest = wrongCodes.values.compactMap(\.last).sorted()
      let oldest = max(uptime - Self.memory, latest[latest.count / 2])
      wrongCodes = wrongCodes.filter { $0.value.last.map { $0 > oldest } ?? false }
    }
    wrongCodes[email] = ((wrongCodes[email] ?? []) + [uptime]).suffix(Self.mostWrongCodes)
  }

  private static func seconds(until end: Duration?, at uptime: Duration) -> Int {
    guard let end, end > uptime else { return 0 }
    let (seconds, rest) = (end - uptime).components
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
    if key.client != nil {
      // No more than can be hashed within a minute.
      rights = rights.filter { $0.value.last.map { uptime - $0 < Self.minute } ?? false }
      rights[key] = ((rights[key] ?? []) + [uptime]).suffix(Self.mostRight)
    }
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
