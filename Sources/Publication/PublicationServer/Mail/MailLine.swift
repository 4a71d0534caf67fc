import Runtime
import Synchronization

/// The mails that wait, and which of them goes next. Times are those since the start. From any thread.
final class MailLine: Sendable {
  /// A mail that was not sent yet.
  struct Entry: Sendable {
    let mail: Mail
    /// When it was asked for.
    let added: Duration
    var failures = 0
  }

  /// How many mails may wait. A code behind them would have expired when it is sent.
  static let longest = 200
  /// How many are handed over at a time.
  static let places = 4
  /// How many besides to recipients whose last mail took long.
  static let placesForSlow = 2
  /// For how long that counts.
  static let memory = Duration.seconds(3600)

  private struct State {
    /// In the order in which they came, or came back.
    var waiting: [Entry] = []
    /// Whose mail is on its way, or is going to be tried again.
    var recipients: Set<String> = []
    /// Whose mail has one of the places, and one of those for slow recipients.
    var sending: Set<String> = []
    var sendingSlowly: Set<String> = []
    /// Whose last mail took long, and when that was.
    var slow: [String: Duration] = [:]

    /// Where the mail is that goes next: a first try before others, and the oldest of each. Of slow recipients it is the one whose last
    /// mail is the longest ago, so that each has its turn.
    var next: Int? {
      let ready = waiting.indices.filter { waiting[$0].failures > 0 || !recipients.contains(waiting[$0].mail.recipient) }
      let usual = ready.filter { lastSlow($0) == nil }
      if sending.count < MailLine.places, let index = usual.min(by: { waiting[$0].failures < waiting[$1].failures }) { return index }
      guard sendingSlowly.count < MailLine.placesForSlow else { return nil }
      return ready.compactMap { index in lastSlow(index).map { (index: index, time: $0) } }.min { $0.time < $1.time }?.index
    }

    /// Where the mail is that goes when there are too many: the newest one of the recipient with the most, of the slow ones first.
    var leastWanted: Int? {
      let counts = waiting.reduce(into: [String: Int]()) { $0[$1.mail.recipient, default: 0] += 1 }
      func rank(_ index: Int) -> (Int, Int) { (lastSlow(index) == nil ? 0 : 1, counts[waiting[index].mail.recipient] ?? 0) }
      // Of equal ones, `max` finds the first.
      return waiting.indices.reversed().max { rank($0) < rank($1) }
    }

    private func lastSlow(_ index: Int) -> Duration? { slow[waiting[index].mail.recipient] }

    mutating func drop(_ index: Int) {
      let entry = waiting.remove(at: index)
      // No other mail of the recipient has gone while this one was to be tried again.
      if entry.failures > 0 { recipients.remove(entry.mail.recipient) }
    }
  }

  private let state = Mutex(State())
  /// An element whenever a mail may be next.
  let changes: AsyncStream<Void>
  private let changed: AsyncStream<Void>.Continuation

  init() { (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  /// However many wait: ``drop(at:)`` removes those that are too many. Whoever asks for a code waits for this, and its time must not tell
  /// anything.
  func add(_ mail: Mail, at now: Duration) {
    state.withLock { $0.waiting.append(Entry(mail: mail, added: now)) }
    changed.yield()
  }

  /// Drops mails with codes that have expired, and those that are too many.
  /// - Returns: how many of each there were.
  func drop(at now: Duration) -> (expired: Int, surplus: Int) {
    state.withLock { state in
      state.slow = state.slow.filter { now - $0.value < Self.memory }
      let count = state.waiting.count
      for index in state.waiting.indices.reversed() where now - state.waiting[index].added >= .seconds(MailedCode.lifetime) {
        state.drop(index)
      }
      let good = state.waiting.count
      while state.waiting.count > Self.longest, let index = state.leastWanted { state.drop(index) }
      return (count - good, good - state.waiting.count)
    }
  }

  /// Takes a place for the mail that is next; `nil` when there is none, or no place.
  func next() -> Entry? {
    state.withLock { state in
      guard let index = state.next else { return nil }
      let entry = state.waiting.remove(at: index)
      let recipient = entry.mail.recipient
      state.recipients.insert(recipient)
      if state.slow[recipient] == nil { state.sending.insert(recipient) } else { state.sendingSlowly.insert(recipient) }
      return entry
    }
  }

  /// A mail takes long: it goes on without its place, and its recipient is a slow one. A place for slow ones it keeps.
  func takesLong(_ entry: Entry, at now: Duration) {
    state.withLock { state in
      state.sending.remove(entry.mail.recipient)
      state.slow[entry.mail.recipient] = now
    }
    changed.yield()
  }

  /// A mail was handed over, or not taken.
  func leavePlace(_ entry: Entry, tookLong: Bool, at now: Duration) {
    state.withLock { state in
      state.sending.remove(entry.mail.recipient)
      state.sendingSlowly.remove(entry.mail.recipient)
      state.slow[entry.mail.recipient] = tookLong ? now : nil
    }
    changed.yield()
  }

  /// A mail that was not taken waits to be tried again.
  func wait(_ entry: Entry) {
    state.withLock { $0.waiting.append(Entry(mail: entry.mail, added: entry.added, failures: entry.failures + 1)) }
    changed.yield()
  }

  /// A mail was sent, or is given up: the next one of its recipient may go.
  func end(_ entry: Entry) {
    state.withLock { _ = $0.recipients.remove(entry.mail.recipient) }
    changed.yield()
  }
}
