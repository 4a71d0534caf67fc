import ContentCache
import Foundation
import PublicationAPI
import PublicationClient
import Runtime
import SQLiteStorage
import TestSupport
import Testing

@testable import OutboxProbe

/// Readers whose process is killed: what the outbox took on is there after the restart, and comes to the publication once.
@Suite(.timeLimit(.minutes(10))) struct KilledReaderTests {
  @Test func killedAtEveryPoint() async throws {
    let journey = try await Journey()
    let whole = try await journey.run(acts: true)
    #expect(whole.status == 0, "\(whole.output)")
    #expect(try await journey.state() == Seen(after: Deed.all.count))
    let points = whole.output.split(separator: "\n").filter { $0 != "done" }.count
    #expect(points > 30, "\(whole.output)")
    for point in 1...points { try await Journey().killed(at: point, again: point.isMultiple(of: 3) ? point % 7 + 1 : nil) }
  }

  /// Wherever it is: in the middle of a write, of a request, of anything.
  @Test(arguments: 1...8 as ClosedRange<UInt64>) func killedAnywhere(seed: UInt64) async throws {
    var random = SplitMix(state: ProcessInfo.processInfo.environment["MATINEE_SEED"].flatMap(UInt64.init) ?? seed)
    let (point, again) = (Int.random(in: 1...40, using: &random), Int.random(in: 1...8, using: &random))
    try await Journey().killed(at: point, later: .random(in: 1...2_000_000, using: &random), again: again)
  }
}

/// What a publication has of the reader's deeds.
private struct Seen: Equatable, CustomStringConvertible {
  var comments: [String] = []
  var reaction: Reaction?
  var bookmarked = false
  var read = false
  var followed = false

  init() {}

  init(after count: Int) {
    for deed in Deed.all.prefix(count) {
      switch deed {
      case .comment(let text): comments.append(text)
      case .react(let kind): reaction = reaction == kind ? nil : kind
      case .bookmark: bookmarked.toggle()
      case .markRead: read = true
      case .follow: followed.toggle()
      }
    }
  }

  var description: String {
    "\(comments), \(reaction?.rawValue ?? "no reaction"), bookmarked \(bookmarked), read \(read), followed \(followed)"
  }
}

/// A publication, and a reader who comes back to it after each end of their process.
private final class Journey {
  private let publication: ServedPublication
  private let client: APIClient
  private let folder = FileManager.default.temporaryDirectory.appending(path: "matinee-killed-\(UUID().uuidString)")

  private var outbox: String { folder.appending(path: "outbox.sqlite").path }

  init() async throws {
    publication = try await ServedPublication()
    let token = publication.signedIn.accessToken
    client = APIClient(transport: publication.network, token: { token })
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The reader acts and is killed at one point, perhaps once more on the way back, and comes back for good.
  func killed(at point: Int, later: Int = 0, again: Int?) async throws {
    let place = "killed at \(point) and \(later) turns, then at \(again ?? 0)"
    let first = try await run(acts: true, killedAt: point, later: later)
    // What the outbox had taken on for sure, and whether it may have taken one more.
    let stored = first.lines.count { $0 == "outbox.add" }
    let done = first.lines.count { $0.hasPrefix("did ") }
    let before = try await state()
    var shown: [String] = []
    if let again { shown = try await run(acts: false, killedAt: again).shown }
    let last = try await run(acts: false)
    #expect(last.status == 0 && last.lines.contains("done"), "\(place): \(last.output)")
    let missing = Set(Seen(after: stored).comments).subtracting(before.comments).subtracting(shown + last.shown)
    #expect(missing.isEmpty, "\(place): not there after the restart: \(missing)")
    let after = try await state()
    #expect((stored...max(stored, min(stored + 1, done + 1))).contains { Seen(after: $0) == after }, "\(place): \(after)\n\(first.output)")
    let rows = try Connection(path: outbox).query("SELECT kind FROM outbox") { try $0.get(0, as: String.self) }
    #expect(rows.isEmpty, "\(place): nothing is left to come a second time")
  }

  func run(acts: Bool, killedAt: Int? = nil, later: Int = 0) async throws -> Program.Outcome {
    let errand = Errand(
      origin: publication.listener.origin, token: publication.signedIn.accessToken, outbox: outbox, acts: acts, killedAt: killedAt,
      later: later)
    let words = String(decoding: try JSONEncoder().encode(errand), as: UTF8.self)
    return try await Program([Checkout.products.appending(path: "OutboxProbe").path, words]).run()
  }

  /// As the publication itself says it.
  func state() async throws -> Seen {
    var seen = Seen()
    guard let first = try await client.posts().items.first(where: { !$0.premium }) else { return seen }
    seen.comments = try await client.comments(of: first.id).items.filter(\.isMine).map(\.text)
    (seen.reaction, seen.bookmarked, seen.read) = (first.reaction, first.bookmarked, first.read)
    seen.followed = try await client.fanClub(first.fanClubID).followed
    return seen
  }
}

extension Program.Outcome {
  fileprivate var lines: [String] { output.split(separator: "\n").map(String.init) }
  /// The comments that were there right after the start.
  fileprivate var shown: [String] { lines.filter { $0.hasPrefix("shows ") }.map { String($0.dropFirst("shows ".count)) } }
}
