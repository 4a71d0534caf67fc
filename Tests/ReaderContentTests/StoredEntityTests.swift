import Foundation
import PublicationAPI
import Runtime
import Testing

@testable import ContentCache

// Swift Testing has one too.
private typealias Comment = PublicationAPI.Comment

/// What is stored of a publication is all of it, whatever it is. A failure names its seed; `MATINEE_SEED=7` plays that one alone.
@Suite struct StoredEntityTests {
  private static var seeds: ClosedRange<UInt64> {
    ProcessInfo.processInfo.environment["MATINEE_SEED"].flatMap(UInt64.init).map { $0...$0 } ?? 1...100
  }

  private func written(_ value: some Entity) -> Data {
    var form = FieldCoder()
    return form.write(value) { Data($0) }
  }

  private func read<Value: Entity>(_ data: Data, as type: Value.Type = Value.self) -> Value? {
    data.withUnsafeBytes { CacheEntry($0)?.value }
  }

  /// Values that are seldom met.
  private struct Odd {
    var random: SplitMix

    mutating func text() -> String {
      let texts = ["", "a", "häßlich 🎬\n\u{0}", "\u{feff}", String(repeating: "x", count: 24), String(repeating: "ü", count: 40_000)]
      return texts.randomElement(using: &random) ?? ""
    }
    mutating func optional() -> String? { flag() ? text() : nil }
    mutating func flag() -> Bool { .random(using: &random) }
    mutating func number() -> Int {
      [0, 1, -1, 24, 256, .max, .min, Int.random(in: .min ... .max, using: &random)].randomElement(using: &random) ?? 0
    }
    mutating func date() -> Date {
      let dates = [
        .distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 0.1), Date(timeIntervalSince1970: -.greatestFiniteMagnitude),
      ]
      return dates.randomElement(using: &random) ?? .distantPast
    }
    mutating func reactions() -> ReactionCounts {
      let kinds = Reaction.known + ["", "later-than-this-version", Reaction(rawValue: text())]
      var reactions: ReactionCounts = [:]
      for kind in kinds where flag() { reactions[kind] = number() }
      return reactions
    }
    mutating func post() -> Post {
      Post(
        id: text(), fanClubID: text(), fanClubName: text(), title: text(), byline: text(), teaser: text(), picture: optional(),
        url: optional(), published: date(), premium: flag(), unlocked: flag(), reactions: reactions(),
        reaction: optional().map { Reaction(rawValue: $0) }, bookmarked: flag(), read: flag(), comments: number())
    }
    mutating func club() -> FanClub {
      FanClub(
        id: text(), name: text(), about: text(), picture: optional(), url: optional(), followers: number(), followed: flag(),
        posts: number(), unread: flag() ? number() : nil, fetched: flag(), problem: optional(), feed: optional(), canRemove: flag())
    }
    mutating func comment() -> Comment {
      Comment(id: text(), postID: text(), author: text(), isMine: flag(), text: text(), posted: date())
    }
  }

  @Test(arguments: seeds) func everythingComesBack(seed: UInt64) {
    var odd = Odd(random: SplitMix(state: seed))
    let (post, club, comment) = (odd.post(), odd.club(), odd.comment())
    #expect(read(written(post)) == post, "MATINEE_SEED=\(seed)")
    #expect(read(written(club)) == club, "MATINEE_SEED=\(seed)")
    #expect(read(written(comment)) == comment, "MATINEE_SEED=\(seed)")
  }

  @Test func theBodyIsStoredBesideThem() {
    var odd = Odd(random: SplitMix(state: 1))
    var post = odd.post()
    post.body = "<p>text</p>"
    #expect(written(post).range(of: Data("<p>".utf8)) == nil)
    #expect(read(written(post), as: Post.self)?.body == nil)
  }

  @Test(arguments: seeds) func damagedPostsAreNeverFatal(seed: UInt64) {
    var odd = Odd(random: SplitMix(state: seed))
    let whole = written(odd.post())
    for _ in 1...100 {
      var data = Data(whole.prefix(Int.random(in: 0...min(whole.count, 2000), using: &odd.random)))
      for _ in 0..<Int.random(in: 0...3, using: &odd.random) where !data.isEmpty {
        data[Int.random(in: 0..<data.count, using: &odd.random)] = UInt8(truncatingIfNeeded: odd.random.next())
      }
      _ = read(data, as: Post.self)
    }
  }

  // MARK: Earlier versions

  /// A map as the first version wrote it, by way of `Encodable`: fields in the order of their declaration, `nil` left out.
  private func map(_ fields: [(String, [UInt8])]) -> [UInt8] {
    var bytes: [UInt8] = [0xbf]
    for (name, value) in fields {
      bytes += text(name)
      bytes += value
    }
    return bytes + [0xff]
  }

  private func text(_ text: String) -> [UInt8] {
    let count = UInt8(text.utf8.count)
    return (count < 24 ? [0x60 | count] : [0x78, count]) + Array(text.utf8)
  }

  private func first(_ reactions: [(String, [UInt8])], picture: [(String, [UInt8])] = [], readMark: [(String, [UInt8])] = []) -> Data {
    let fields: [(String, [UInt8])] =
      [
        ("id", text("p1")), ("fanClubID", text("c1")), ("fanClubName", text("The club")), ("title", text("A title of more than 23 bytes")),
        ("byline", text("")), ("teaser", text("ü")),
      ] + picture + [
        ("url", text("https://example.org/")),
        ("published", [0xfb, 0x41, 0xc4, 0xdc, 0x93, 0x80, 0, 0, 0]), ("premium", [0xf5]), ("unlocked", [0xf4]),
        ("reactions", map(reactions)), ("reaction", text("love")), ("bookmarked", [0xf5]), ("read", [0xf5]),
      ] + readMark + [("comments", [7])]
    return Data(map(fields))
  }

  @Test func postsOfTheFirstVersionAreReadAndWrittenWithNulls() {
    var post = Post(
      id: "p1", fanClubID: "c1", fanClubName: "The club", title: "A title of more than 23 bytes", teaser: "ü", url: "https://example.org/",
      published: Date(timeIntervalSinceReferenceDate: 700_000_000), premium: true, reactions: [.love: 90, .wow: 256], reaction: .love,
      bookmarked: true, read: true, comments: 7)
    #expect(read(first([("love", [0x18, 90]), ("wow", [0x19, 1, 0])])) == post)
    // It wrote them in no order.
    #expect(read(first([("wow", [0x19, 1, 0]), ("love", [0x18, 90])])) == post)
    #expect(read(first([("wow", [1]), ("love", [0x18, 90]), ("sad", [0]), ("wow", [0x19, 1, 0])])) == post)
    post.reactions[.wow] = 0
    #expect(written(post) == first([("love", [0x18, 90])], picture: [("picture", [0xf6])], readMark: [("readMark", [0xf6])]))
  }

  @Test func whatPostsGainedMayMiss() {
    let fields: [(String, [UInt8])] = [
      ("id", text("p1")), ("fanClubID", text("c1")), ("fanClubName", text("C")), ("title", text("T")), ("byline", text("")),
      ("teaser", text("")), ("published", [0xfb, 0, 0, 0, 0, 0, 0, 0, 0]), ("premium", [0xf4]), ("votes", [0x9f, 1, 2, 0xff]),
      ("bookmarked", [0xf5]),
    ]
    var post = Post(id: "p1", fanClubID: "c1", fanClubName: "C", title: "T", published: Date(timeIntervalSinceReferenceDate: 0))
    post.bookmarked = true
    #expect(read(Data(map(fields))) == post)
  }

  @Test func theFilesOfAPostAreStoredWithItsBody() {
    let files = [Enclosure(url: "https://e.org/a--b.mp3?x=-->", type: "audio/mpeg", title: "--> ü \"x\" ---", length: 5, duration: 61)]
    let bodies = ["", "<p>Words</p>", "<!--enclosures []-->", "<!--enclosures [{\"url\":\"https://evil.org\"}]-->", "a-->", "--"]
    for body in bodies {
      for enclosures in [[], files, files + files] {
        var post = Post(id: "p", fanClubID: "c", fanClubName: "", title: "", body: body, enclosures: enclosures, published: .distantPast)
        let detail = post.detail
        let whole = post
        post.detail = nil
        #expect((post.body, post.enclosures) == (nil, []))
        post.detail = detail
        #expect(post == whole)
      }
    }
    // As every earlier version stored it.
    var earlier = Post(id: "p", fanClubID: "c", fanClubName: "", title: "", published: .distantPast)
    earlier.detail = "<p>Words</p>"
    #expect((earlier.body, earlier.enclosures) == ("<p>Words</p>", []))
    #expect(earlier.detail == "<p>Words</p>")
  }

  @Test func aPublicationOfAnEarlierVersionNamesNoFiles() throws {
    let json = #"{"id":"p","fanClubID":"c","fanClubName":"","title":"T","byline":"","teaser":"","published":"2026-01-01T00:00:00Z","#
    let post: Post = try Wire.decode(from: Data("\(json)\"premium\":false,\"bookmarked\":false}".utf8))
    #expect(post.enclosures.isEmpty)
  }
}
