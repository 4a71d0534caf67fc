import Foundation
import PublicationAPI
import Runtime
import SQLiteStorage
import Testing

@testable import PublicationServer

/// What a search shows of a post: marked as FTS5 marks it, short whatever the post is, and in one walk over its text.
@Suite struct SearchMarkerTests {
  private static let vocabulary = [
    "a", "ab", "abc", "b", "bad", "Café", "cafe", "CAF", "Ärger", "arg", "喫茶店", "喫", "茶", "στοά", "ΣΤΟΑ", "it's", "x-y", "—", "…", "🎉",
    "e\u{301}\u{302}e", "\u{200B}", "12", "१२", "İi", "ß", "\n", ".", "한국어", "ไทย",
  ]

  private static func text(_ count: ClosedRange<Int>, _ random: inout SplitMix) -> String {
    (0..<Int.random(in: count, using: &random)).map { _ in
      (vocabulary.randomElement(using: &random) ?? "") + ([" ", " ", " ", "", ", "].randomElement(using: &random) ?? "")
    }.joined()
  }

  private func database(_ texts: [String]) throws -> Connection {
    let database = try Connection(path: ":memory:")
    try database.migrate(Schema.migrations)
    for text in texts {
      try database.execute(
        "INSERT INTO post_search (title, byline, teaser, body) VALUES (?1, '', '', ?1)", SearchText.indexed(text))
    }
    return database
  }

  private func shown(_ text: String, _ show: (UnsafeBufferPointer<UInt8>) throws -> String) throws -> String {
    var text = SearchText.indexed(text)
    return try text.withUTF8(show)
  }

  private func plain(_ text: some StringProtocol) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\u{E000}" && $0 != "\u{E001}" }))
  }

  /// Whoever changes how words are folded, or phrases are found, learns here how the index does it.
  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8])
  func marksAreWhereTheIndexFindsTheWords(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    let texts = (0..<150).map { _ in Self.text(0...40, &random) }
    let database = try database(texts)
    for _ in 0..<25 {
      let query = Self.text(1...5, &random)
      guard let words = SearchWords(query) else { continue }
      let marker = try SearchMarker(words, in: database)
      let expected = try database.query(
        "SELECT rowid, highlight(post_search, 0, ?1, ?2) FROM post_search WHERE post_search MATCH ?3", "\u{E000}", "\u{E001}", words.match
      ) { (number: try $0.get(0, as: Int.self), text: try $0.get(1, as: String.self)) }
      for (number, text) in expected where text.unicodeScalars.count < 390 {
        let wanted = SearchText.shown(text).replacing("\n", with: " ")
        let marked = try shown(texts[number - 1], marker.opening)
        #expect(marked == wanted, "seed \(seed), “\(query)”: “\(marked)” is not “\(wanted)”")
      }
    }
  }

  /// Compared with a search by hand: an excerpt is a part of its text, marked as the whole text would be, and has as many of the words as
  /// any other of its length.
  @Test(arguments: [11, 12, 13, 14])
  func excerptsHaveAsManyWordsAsThereAreTogether(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    let letters = ["a", "b", "c", "d", "e"]
    let database = try database([])
    for _ in 0..<300 {
      let words = (0..<Int.random(in: 0...120, using: &random)).map { _ in
        random.fraction() < 0.15 ? letters.randomElement(using: &random) ?? "" : "o\(Int.random(in: 0...9, using: &random))"
      }
      let requested = Array(letters.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random)))
      // The last one is whole as well: nothing else begins like it.
      let marker = try SearchMarker(try #require(SearchWords(requested.joined(separator: " "))), in: database)
      let excerpt = try shown(words.joined(separator: " "), marker.excerpt)
      let cut = excerpt.split(separator: " ").map { $0.trimmingCharacters(in: ["…"]) }
      let plain = cut.map(plain)
      let windows = words.count <= 24 ? [words] : (0...(words.count - 24)).map { Array(words[$0..<($0 + 24)]) }
      #expect(plain.isEmpty ? words.isEmpty : windows.contains(plain), "seed \(seed), \(requested): \(excerpt)")
      let most = windows.map { window in requested.count { window.contains($0) } }.max()
      #expect(requested.count { plain.contains($0) } == most, "seed \(seed), \(requested): \(excerpt)")
      for (shown, word) in zip(cut, plain) {
        #expect((shown != word) == requested.contains(word), "seed \(seed), \(requested): \(excerpt)")
      }
      #expect(excerpt.hasPrefix("…") == (!words.isEmpty && plain != Array(words.prefix(24))), "seed \(seed): \(excerpt)")
    }
  }

  private static let heavy: [(name: String, text: String)] = [
    ("a word 40,000 times", String(repeating: "common ", count: 40_000)),
    ("the same at the end", String(repeating: "other ", count: 100_000) + String(repeating: "common ", count: 40_000)),
    ("one long word", String(repeating: "common", count: 200_000)),
    ("one long word before it", String(repeating: "x", count: 1_000_000) + " common"),
    ("one long word behind it", "common " + String(repeating: "x", count: 1_000_000)),
    ("no space", String(repeating: "共", count: 50_000)),
    ("accents without end", "common" + String(repeating: "\u{301}", count: 100_000)),
    ("accents before it", "e" + String(repeating: "\u{301}", count: 100_000) + " common"),
    ("separators without end", String(repeating: "\u{200B}", count: 100_000) + "common" + String(repeating: "\u{200B}", count: 100_000)),
    ("punctuation without end", String(repeating: ".", count: 100_000) + "common" + String(repeating: "!", count: 100_000)),
    ("nothing of it", String(repeating: "other ", count: 100_000)),
  ]

  @Test(arguments: heavy.map(\.name), ["common", "com", "common common common", "共共共", "common missing", "c"])
  func noTextIsWalkedOverTwice(name: String, query: String) throws {
    let text = try #require(Self.heavy.first { $0.name == name }).text
    let database = try database([])
    let marker = try SearchMarker(try #require(SearchWords(query)), in: database)
    let before = marker.tokenizer.bytesRead
    let indexed = SearchText.indexed(text)
    let excerpt = try shown(text, marker.excerpt)
    // Once to find the place, and what is shown at most twice; a word has no end before its end.
    #expect(marker.tokenizer.bytesRead - before <= 3 * indexed.utf8.count + 3)
    let opening = try shown(text, marker.opening)
    #expect(marker.tokenizer.bytesRead - before <= 4 * indexed.utf8.count + 4)
    for part in [excerpt, opening] {
      #expect(part.unicodeScalars.count <= SearchMarker.longest)
      #expect(part.unicodeScalars.count { $0 == "\u{E000}" } == part.unicodeScalars.count { $0 == "\u{E001}" })
    }
    let isThere = query == "共共共" ? name == "no space" : name != "no space" && name != "nothing of it" && !name.hasPrefix("one long word")
    if isThere { #expect(excerpt.contains("\u{E000}"), "\(excerpt)") }
  }

  /// Where a word is found early, the rest of a long text is not looked at.
  @Test func whatIsFoundAtOnceTakesNoWalk() throws {
    let text = "some common words, " + String(repeating: "and others ", count: 100_000)
    let marker = try SearchMarker(try #require(SearchWords("common")), in: try database([]))
    let before = marker.tokenizer.bytesRead
    let excerpt = try shown(text, marker.excerpt)
    #expect(excerpt.hasPrefix("some \u{E000}common\u{E001} words, and others"))
    #expect(excerpt.hasSuffix("…"))
    #expect(marker.tokenizer.bytesRead - before < 5000)
  }

  @Test func whatWasFoundIsInTheMiddle() throws {
    let words = (1...100).map { "w\($0)" }.joined(separator: " ")
    let database = try database([])
    func excerpt(_ query: String) throws -> String {
      try shown(words, SearchMarker(try #require(SearchWords(query)), in: database).excerpt)
    }
    #expect(try excerpt("w50").hasPrefix("…w39 w40 "))
    #expect(try excerpt("w50").hasSuffix(" w61 w62…"))
    #expect(try excerpt("w1").hasPrefix("\u{E000}w1\u{E001} "))
    #expect(try excerpt("w99").hasPrefix("…w77 "))
    #expect(try excerpt("w99").hasSuffix("\u{E000}w99\u{E001} w100"))
    #expect(try excerpt("nothing").hasPrefix("w1 "))
    #expect(try excerpt("w40 w60") == excerpt("w60 w40"))
    #expect(try excerpt("w40 w60").contains("\u{E000}w40\u{E001} "))
  }

  /// To put the marks of a letter in order takes time by the square of their number: a minute for these.
  @Test func aLetterWithMarksWithoutEnd() throws {
    let marks = String(repeating: "\u{0316}\u{0301}", count: 250_000)
    #expect(SearchText.indexed("e\(marks) end").unicodeScalars.count == 1 + 30 + 4)
    #expect(SearchWords("e\(marks)").map { $0.match.utf8.count < 1000 } ?? true)
    #expect(SearchText.indexed("été") == "e\u{301}te\u{301}")
  }

  /// A run of vowels without consonants is one character, and each is a word to the index: a query of 10,000 words took a minute.
  @Test func aCharacterOfThousandsOfLetters() throws {
    let words = try #require(SearchWords(String(repeating: "\u{0E33}", count: 10_700)))
    #expect(words.phrases.count == 1)
    #expect(words.match.unicodeScalars.count { $0 == "\u{0E33}" } == 200)
    #expect(try #require(SearchWords(String(repeating: "가", count: 10_700))).match.unicodeScalars.count < 700)
  }

  /// The whole way: with FTS5's own functions such posts took ten seconds, and answers of megabytes.
  @Test func aSearchAmongHeavyPosts() async throws {
    let body = String(repeating: "common ", count: 40_000)
    let posts = (1...30).map { number in
      Post(
        id: "n\(number)", fanClubID: "odd", fanClubName: "", title: number == 1 ? String(body.prefix(70_000)) : "Title \(number)",
        byline: "common", teaser: "common", body: "<p>\(number <= 3 ? body : "common")</p>",
        published: Rig.start.addingTimeInterval(-Double(number)))
    }
    let rig = try await Rig(posts: posts)
    let token = try await rig.signIn()
    let found = try await rig.get("/v1/search?q=common&limit=100", token, as: Page<SearchHit>.self)
    #expect(found.items.count == 30)
    for hit in found.items {
      #expect(hit.title.count <= 400)
      #expect((1...400).contains(hit.excerpt.count))
      #expect(hit.excerpt.contains("\u{E000}common\u{E001}"))
    }
  }
}
