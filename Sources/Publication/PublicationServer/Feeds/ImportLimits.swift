import PublicationAPI
import Synchronization

/// The work that each reader caused within the last hour: requests to addresses that the reader chose, and data on the disk. Forgotten when
/// the process ends. From any thread.
final class ImportLimits: Sendable {
  /// The most imports that a reader starts within an hour.
  static let mostImports = 120
  /// The most feeds that a reader has fetched on request: twice as many as readers follow, and a request every few seconds.
  static let mostFetches = 1000
  /// The most feeds that come with lists: two of the largest lists.
  static let mostFeeds = 2 * Import.mostClubs
  /// The most of a reader's feeds that the schedule fetches within a minute: in an hour more than a reader may request.
  static let mostScheduled = 20
  /// The most bytes of the feeds that a reader added, of which no more are started then; and the most of feeds that others added and this
  /// reader wanted fetched, of which no more are fetched for this reader then.
  static let mostBytes = 500_000_000

  /// How many posts the feeds of a reader may have, however they come: ten of the largest feeds.
  static let mostPosts = 200_000
  /// How many bytes of text these posts may have. Indexed they take twice as much of the disk.
  static let mostText = 2_000_000_000
  /// From how many feeds on a reader adds no more: all readers have them in their list of fan clubs.
  static let mostFeedsInAll = 2 * Import.mostClubs

  /// What was used within a minute.
  private struct Use {
    /// In seconds since 1970, as the others are.
    let time: Int64
    var imports = 0
    var fetches = 0
    var scheduled = 0
    var feeds = 0
    /// Of feeds that the reader added.
    var bytes = 0
    /// Of feeds that others added, and that this reader wanted fetched.
    var bytesOfOthers = 0

    static func bytes(ofOwn isOwn: Bool) -> WritableKeyPath<Use, Int> { isOwn ? \.bytes : \.bytesOfOthers }
  }

  /// A reader whose feed took long waits this many times as long for the schedule.
  private static let pauseOfSlow: Int64 = 7

  /// When the schedule fetches none of a reader's feeds.
  private let pauses = Mutex<[Reader.ID: Range<Int64>]>([:])
  private let used = Mutex<[Reader.ID: [Use]]>([:])

  /// Counts an import that a reader starts.
  /// - Throws: `Problem` when that reader started too many within an hour, or they were too large.
  func startImport(of reader: Reader.ID, at time: Int64) throws(Problem) {
    try use(reader, time) { recent in
      guard Self.sum(recent, \.imports) < Self.mostImports else { return "added \(Self.mostImports) feeds" }
      return Self.sum(recent, \.bytes) < Self.mostBytes ? nil : "added \(Self.mostBytes / 1_000_000) MB of feeds"
    } adding: {
      $0.imports += 1
    }
  }

  /// Counts the feeds of a list that is about to be stored.
  /// - Throws: `Problem` when they are too many within an hour.
  func add(feeds: Int, of reader: Reader.ID, at time: Int64) throws(Problem) {
    try use(reader, time) { recent in
      Self.sum(recent, \.feeds) + feeds <= Self.mostFeeds ? nil : "added \(Self.mostFeeds) feeds by lists"
    } adding: {
      $0.feeds += feeds
    }
  }

  /// Counts a feed that a reader wants fetched now.
  /// - Throws: `Problem` when that reader wanted too many within an hour.
  func startFetch(for reader: Reader.ID, at time: Int64) throws(Problem) {
    try use(reader, time) { recent in
      Self.sum(recent, \.fetches) < Self.mostFetches ? nil : "had \(Self.mostFetches) feeds fetched"
    } adding: {
      $0.fetches += 1
    }
  }

  /// Counts a feed of a reader's whose time has come.
  /// - Parameter isAlone: whether it is the only reader, who need not wait for others.
  /// - Returns: whether it may be fetched now; false when its reader's feeds were fetched often enough, brought too much, or took long.
  func startScheduled(of reader: Reader.ID, at time: Int64, isAlone: Bool) -> Bool {
    guard hasRoom(reader, at: time), isAlone || !isPaused(reader, at: time) else { return false }
    do throws(Problem) {
      try use(reader, time) { recent in
        // The last entry is that of this minute.
        let last = recent.last.flatMap { abs(time - $0.time) < 60 ? $0 : nil }
        return isAlone || (last?.scheduled ?? 0) < Self.mostScheduled ? nil : "had \(Self.mostScheduled) feeds asked"
      } adding: {
        $0.scheduled += 1
      }
      return true
    } catch { return false }
  }

  /// Makes the schedule skip a reader's feeds for a while, after one of them took so long.
  func pauseSchedule(of reader: Reader.ID, after taken: Duration, at time: Int64) {
    pauses.withLock { pauses in
      pauses = pauses.filter { $0.value.contains(time) }
      pauses[reader] = time..<time + Self.pauseOfSlow * taken.components.seconds
    }
  }

  private func isPaused(_ reader: Reader.ID, at time: Int64) -> Bool {
    pauses.withLock { $0[reader]?.contains(time) == true }
  }

  /// Whether feeds may bring more for a reader.
  /// - Parameter isOwn: whether the reader added them; otherwise this reader wants fetched what others added.
  func hasRoom(_ reader: Reader.ID, isOwn: Bool = true, at time: Int64) -> Bool {
    used.withLock { used in
      Self.sum((used[reader] ?? []).filter { abs(time - $0.time) < 3600 }, Use.bytes(ofOwn: isOwn)) < Self.mostBytes
    }
  }

  /// Counts what was in a document.
  /// - Parameter isOwn: as in ``hasRoom(_:isOwn:at:)``.
  func add(bytes: Int, of reader: Reader.ID, isOwn: Bool = true, at time: Int64) {
    try? use(reader, time) { _ in
      nil
    } adding: {
      $0[keyPath: Use.bytes(ofOwn: isOwn)] += bytes
    }
  }

  /// How much was lately in what a reader added, or wanted fetched of what others added; for tests.
  func bytes(of reader: Reader.ID, isOwn: Bool = true) -> Int {
    used.withLock { Self.sum($0[reader] ?? [], Use.bytes(ofOwn: isOwn)) }
  }

  /// - Parameter refusal: called with the uses of the last hour; returns what exceeds a limit, or `nil`.
  private func use(
    _ reader: Reader.ID, _ time: Int64, unless refusal: ([Use]) -> String?, adding: (inout Use) -> Void
  ) throws(Problem) {
    let refused = used.withLock { used -> String? in
      used = used.mapValues { $0.filter { abs(time - $0.time) < 3600 } }.filter { !$0.value.isEmpty }
      var recent = used[reader] ?? []
      if let refused = refusal(recent) { return refused }
      // A minute at a time, so that there are few.
      if recent.last.map({ abs(time - $0.time) < 60 }) != true { recent.append(Use(time: time)) }
      adding(&recent[recent.endIndex - 1])
      used[reader] = recent
      return nil
    }
    guard let refused else { return }
    throw Problem(
      code: .tooManyAttempts, title: "You have \(refused) within an hour. Wait a while before the next one.", status: 429)
  }

  private static func sum(_ uses: [Use], _ part: KeyPath<Use, Int>) -> Int { uses.reduce(0) { $0 + $1[keyPath: part] } }
}
