import ReaderContent
import Testing

@Suite struct MarkedTextTests {
  @Test(arguments: [
    ("plain", "plain", []), ("", "", []), ("\u{E000}one\u{E001} two", "one two", [0..<3]),
    ("é \u{E000}ü\u{E001}\u{E000}b\u{E001}", "é üb", [3..<5, 5..<6]),
    // Marks that do not go together mark nothing, and are not shown.
    ("a\u{E001}b\u{E000}", "ab", []), ("\u{E000}\u{E001}x", "x", []), ("\u{E000}a\u{E000}b\u{E001}", "ab", [1..<2]),
  ])
  func marksBecomeRanges(_ marked: String, _ text: String, _ matches: [Range<Int>]) {
    #expect(MarkedText(marked: marked) == MarkedText(text, matches: matches))
  }

  @Test func partsAreTheTextInItsOrder() {
    let parts = MarkedText(marked: "The \u{E000}reel\u{E001} and the \u{E000}reels\u{E001}").parts
    #expect(parts.map(\.text) == ["The ", "reel", " and the ", "reels"])
    #expect(parts.map(\.isMatch) == [false, true, false, true])
    #expect(MarkedText("").parts.isEmpty)
    // Ranges that the text does not have are left out.
    #expect(MarkedText("ab", matches: [1..<9]).parts.map(\.text) == ["ab"])
  }

  @Test(arguments: [
    ("Café Society", "cafe", [0..<5]), ("Café Society", "soc", [6..<13]), ("Café Society", "society caf", [0..<5, 6..<13]),
    ("Café Society", "caf society", []), ("Café Society", "ociety", []), ("Café Society", "", []), ("Café Society", " ! ", []),
    ("Über-Uns", "uber", [0..<5]), ("喫茶店の本", "茶店", [3..<9]), ("喫茶店の本", "茶本", []), ("a a", "a", [0..<1, 2..<3]), ("", "a", []),
    ("It's", "it's", [0..<2, 3..<4]), ("ＡＢＣ", "abc", [0..<9]), ("🎉 Party", "party", [5..<10]),
  ])
  func findsWords(text: String, words: String, matches: [Range<Int>]) {
    let found = MarkedText(text, finding: words)
    #expect(found == MarkedText(text, matches: matches))
    #expect(MarkedText(marked: found.marked) == found)
  }

  /// A name of an earlier version, or of another publication, may have what marks words.
  @Test(arguments: [
    ("The \u{E000}Club", "club", "The \u{E000}Club\u{E001}"), ("\u{E000}The\u{E001} Club", "club", "The \u{E000}Club\u{E001}"),
    ("\u{E000}The\u{E001} Club", "none", "The Club"),
  ])
  func marksOfTheTextAreNoMarks(text: String, words: String, marked: String) {
    #expect(MarkedText(text, finding: words).marked == marked)
  }

  @Test func findsWhatIsThereOfSeveralWords() {
    #expect(MarkedText("Window desk", finding: "noir desk wind", needsAll: false) == MarkedText("Window desk", matches: [0..<6, 7..<11]))
    #expect(MarkedText("Window desk", finding: "wind noir", needsAll: false) == MarkedText("Window desk"))
  }
}
