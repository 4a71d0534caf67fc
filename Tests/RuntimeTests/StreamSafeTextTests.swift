import Foundation
import Runtime
import Testing

@Suite struct StreamSafeTextTests {
  private func marks(_ text: String) -> Int { text.unicodeScalars.count { $0.properties.canonicalCombiningClass != .notReordered } }

  @Test func aLetterKeepsThirtyMarks() {
    let flood = "a" + String(repeating: "\u{301}", count: 40) + String(repeating: "\u{323}", count: 40) + "b\u{301}"
    #expect(Array(flood.streamSafe.unicodeScalars) == Array(("a" + String(repeating: "\u{301}", count: 30) + "b\u{301}").unicodeScalars))
    #expect(marks(String(repeating: flood, count: 10).streamSafe) == 310)
    #expect(marks(String(repeating: "\u{1D165}", count: 100).streamSafe) == 30)
  }

  /// Each of them is two marks once it is taken apart.
  @Test(arguments: ["\u{F73}", "\u{F75}", "\u{F81}"])
  func lettersThatAreMarksTakenApartCount(letter: String) {
    #expect(String(repeating: letter, count: 100).streamSafe.unicodeScalars.count == 30)
  }

  /// All that Unicode puts in order counts, and nothing else.
  @Test func theMarksAreUnicodes() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let isMark = scalar.properties.canonicalCombiningClass != .notReordered || [0xF73, 0xF75, 0xF81].contains(value)
      guard isMark || value.isMultiple(of: 61) else { continue }
      let text = String(String.UnicodeScalarView(repeatElement(scalar, count: 31)))
      #expect(text.streamSafe.unicodeScalars.count == (isMark ? 30 : 31), "\(value)")
    }
  }

  @Test func whatIsNoTextStays() {
    for bytes: [UInt8] in [[0xCC], [0x61, 0xCC, 0x61], [0xED, 0xA0, 0x80], [0xF4, 0xBF, 0xBF, 0xBF], [0xFF, 0xFE], []] {
      #expect(Data(bytes).streamSafe == Data(bytes))
    }
    let text = "Ünï¢ödé 日本語 नमस्ते 한국어 👩‍👩‍👧"
    #expect(Array(text.streamSafe.utf8) == Array(text.utf8))
  }
}
