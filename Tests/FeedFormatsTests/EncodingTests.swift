import FeedFormats
import XCTest

/// What a document, its bytes and its server say of its encoding, and who is believed.
final class EncodingTests: XCTestCase {
  private let title = "Café “au lait” – 🎬"

  /// A feed whose declaration names an encoding.
  private func feed(_ encoding: String?, title: String? = nil) -> String {
    "<?xml version='1.0'\(encoding.map { " encoding='\($0)'" } ?? "")?>\n<rss><channel><title>\(title ?? self.title)</title></channel></rss>"
  }

  private func title(_ data: Data, contentType: String? = nil) throws -> String {
    try FeedParser.parse(data, source: "test", contentType: contentType).title
  }

  private func bytes(_ text: String, _ encoding: String.Encoding) throws -> Data { try XCTUnwrap(text.data(using: encoding)) }

  /// A feed with a title of those bytes.
  private func written(_ claim: String?, _ title: [UInt8]) -> Data {
    let parts = feed(claim, title: "%").split(separator: "%")
    return Data(parts[0].utf8) + title + Data(parts[1].utf8)
  }

  private let cyrillic: [UInt8] = [0xD1, 0xE5, 0xE0, 0xED, 0xF1]

  func testUTF8() throws {
    for claim in [nil, "utf-8", "UTF-8", "utf8"] {
      XCTAssertEqual(try title(Data(feed(claim).utf8)), title)
      XCTAssertEqual(try title(Data([0xEF, 0xBB, 0xBF]) + Data(feed(claim).utf8)), title)
      XCTAssertEqual(try title(Data("\n \r\n\0".utf8) + Data(feed(claim).utf8)), title, "blank lines before the declaration")
    }
  }

  func testTwoAndFourBytesACharacter() throws {
    let marks: [(String.Encoding, [UInt8])] = [
      (.utf16LittleEndian, [0xFF, 0xFE]), (.utf16BigEndian, [0xFE, 0xFF]), (.utf32LittleEndian, [0xFF, 0xFE, 0, 0]),
      (.utf32BigEndian, [0, 0, 0xFE, 0xFF]),
    ]
    for (encoding, mark) in marks {
      for claim in ["utf-16", "UTF-16LE", "utf-8", nil] {
        let data = try bytes(feed(claim), encoding)
        XCTAssertEqual(try title(data), title, "\(encoding) without a mark, \(claim ?? "")")
        XCTAssertEqual(try title(Data(mark) + data), title, "\(encoding), \(claim ?? "")")
        XCTAssertEqual(try title(data, contentType: "text/xml; charset=iso-8859-1"), title)
      }
      let json = "{\"version\": \"https://jsonfeed.org/version/1\", \"title\": \"\(title)\"}"
      XCTAssertEqual(try title(try bytes(json, encoding)), title)
    }
  }

  func testEncodingsOfOneByte() throws {
    let western = "Café “au lait” – 5 €"
    for claim in ["windows-1252", "iso-8859-1", "ISO-8859-1", "latin1"] {
      XCTAssertEqual(try title(bytes(feed(claim, title: western), .windowsCP1252)), western, claim)
    }
    let others: [(String, String, [UInt8])] = [
      ("iso-8859-2", "Łódź", [0xA3, 0xF3, 0x64, 0xBC]), ("windows-1251", "Сеанс", [0xD1, 0xE5, 0xE0, 0xED, 0xF1]),
      ("koi8-r", "Сеанс", [0xF3, 0xC5, 0xC1, 0xCE, 0xD3]), ("shift_jis", "上映\\", [0x8F, 0xE3, 0x89, 0x66, 0x5C]),
      ("EUC-JP", "上映", [0xBE, 0xE5, 0xB1, 0xC7]), ("gb2312", "电影", [0xB5, 0xE7, 0xD3, 0xB0]), ("big5", "電影", [0xB9, 0x71, 0xBC, 0x76]),
      ("euc-kr", "영화", [0xBF, 0xB5, 0xC8, 0xAD]), ("iso-2022-jp", "上映", [0x1B, 0x24, 0x42, 0x3E, 0x65, 0x31, 0x47, 0x1B, 0x28, 0x42]),
    ]
    for (claim, expected, bytes) in others { XCTAssertEqual(try title(written(claim, bytes)), expected, claim) }
    XCTAssertEqual(try title(bytes(feed("us-ascii", title: "plain"), .ascii)), "plain")
    XCTAssertEqual(
      try title(written("iso-8859-1", [0x81, 0x80])), "€", "what nobody uses is a control character, of which nothing is seen")
  }

  /// In one converter of glibc these never end where its room does; see docs/decisions/feeds.md.
  func testCharactersThatBecomeTwo() throws {
    let pair: [UInt8] = [0x88, 0x62]
    let start = "<?xml version=\"1.0\" encoding=\"big5-hkscs\"?><rss version=\"2.0\"><channel><item><guid>1</guid><description>"
    for padding in 0..<8 {
      let text = [UInt8](repeating: UInt8(ascii: "a"), count: padding) + Array(repeating: pair, count: 40_000).joined()
      let feed = Data(start.utf8) + text + Data("</description></item></channel></rss>".utf8)
      let read = try XCTUnwrap(FeedParser.parse(feed, source: "test").items.first)
      XCTAssert(read.body + read.summary == String(repeating: "a", count: padding) + String(repeating: "\u{CA}\u{304}", count: 40_000))
    }
    XCTAssertEqual(try title(written("big5-hkscs", [0x88, 0x66])), "\u{CA}", "and at the end of the text")
  }

  func testEveryNameHasItsConverter() {
    let names =
      ["us-ascii", "shift_jis", "euc-jp", "iso-2022-jp", "gbk", "big5", "euc-kr", "koi8-r", "koi8-u", "ibm866", "tis-620", "macintosh"]
      + ["x-mac-cyrillic", "latin2", "latin5", "latin9", "x-cp1250"] + (2...16).filter { $0 != 12 }.map { "ISO-8859-\($0)" }
      + (1250...1258).map { "windows-\($0)" } + (1250...1258).map { "cp\($0)" }
    for name in names { XCTAssertEqual(try title(written(name, Array("plain".utf8))), "plain", name) }
  }

  func testUTF8ThatSaysItIsWestern() throws {
    for claim in ["iso-8859-1", "windows-1252", "us-ascii", "ISO-8859-15"] {
      XCTAssertEqual(try title(Data(feed(claim).utf8)), title, claim)
      XCTAssertEqual(try title(Data(feed(nil).utf8), contentType: "text/xml; charset=\(claim)"), title, claim)
    }
  }

  func testTheServerCountsWhereTheDocumentSaysNothing() throws {
    let data = written(nil, cyrillic)
    XCTAssertEqual(try title(data, contentType: "text/xml; charset=windows-1251"), "Сеанс")
    XCTAssertEqual(try title(data, contentType: "text/xml;Charset=\"Windows-1251\"; x=y"), "Сеанс")
    XCTAssertNotNil(failure(data))
    XCTAssertNotNil(failure(data, contentType: "text/xml; charset=utf-8"))
    XCTAssertEqual(try title(Data(feed(nil).utf8), contentType: "text/xml; charset=klingon"), title)
    XCTAssertEqual(try title(Data(feed(nil).utf8), contentType: "text/xml; charset="), title)
    XCTAssertEqual(try title(Data(feed(nil).utf8), contentType: "text/xml; charset=utf-16"), title)
  }

  func testTheServerCountsWhereTheDocumentIsWrong() throws {
    let data = try bytes(feed("utf-8", title: "Café"), .isoLatin1)
    XCTAssertEqual(try title(data, contentType: "text/xml; charset=iso-8859-1"), "Café")
    XCTAssertEqual(try title(Data(feed("klingon").utf8), contentType: "text/xml; charset=utf-8"), title)
    let json = try bytes("{\"version\": \"https://jsonfeed.org/version/1\", \"title\": \"Café\"}", .isoLatin1)
    XCTAssertEqual(try title(json, contentType: "application/json; charset=iso-8859-1"), "Café")
  }

  func testTheDocumentCountsWhereTheServerIsWrong() throws {
    XCTAssertEqual(try title(Data(feed("utf-8").utf8), contentType: "text/xml; charset=iso-8859-1"), title)
    XCTAssertEqual(try title(written("windows-1251", cyrillic), contentType: "text/xml; charset=utf-8"), "Сеанс")
  }

  func testWhatCannotBeReadSafelyIsAnErrorWithItsPlace() throws {
    let latin = try XCTUnwrap(failure(bytes(feed("utf-8", title: "Café au lait, and a good deal more of it"), .isoLatin1)))
    XCTAssertEqual(latin.reason, .wrongEncoding("some bytes mean nothing in it"))
    XCTAssertEqual(latin.place, [2, 25])
    XCTAssertEqual(
      latin.description,
      "test, line 2, column 25: the document’s text does not have the encoding that it claims: some bytes mean nothing in it.")
    let unknown = ["klingon", "utf-8//IGNORE", "", "a b", String(repeating: "x", count: 100), "iso-8859-12", "iso-8859-1//translit"]
    for claim in unknown + ["ebcdic-us", "utf-7", "iso-2022-cn-ext", "EUC-JISX0213", "TSCII", "cp1259"] {
      let unknown = failure(feed(claim))
      XCTAssertEqual(unknown?.reason, .wrongEncoding("the one it names is not known"), claim)
      XCTAssertEqual(unknown?.place, [1, 31], claim)
    }
    for claim in ["utf-16", "UTF-32"] {
      let one = failure(feed(claim))
      XCTAssertEqual(one?.reason, .wrongEncoding("some bytes mean nothing in it"), "one byte a character that claims \(claim)")
      XCTAssertEqual(one?.place, [1, 31], claim)
    }
    let japanese = failure(written("shift_jis", [0x8F, 0xE3, 0xFF]))
    XCTAssertEqual(japanese?.reason, .wrongEncoding("some bytes mean nothing in it"))
    XCTAssertEqual(japanese?.line, 2)
    let half = try bytes(feed("utf-16"), .utf16LittleEndian).dropLast(1)
    XCTAssertEqual(failure(half)?.reason, .cutOff)
    let unpaired = Data([0xFF, 0xFE]) + (try bytes("<rss>\nabc", .utf16LittleEndian)) + [0x00, 0xDC, 0x20, 0x00]
    XCTAssertEqual(failure(unpaired)?.reason, .wrongEncoding("some bytes mean nothing in it"))
    XCTAssertEqual(failure(unpaired)?.place, [2, 4])
    let json = failure(Data("{\"version\":\n \"ü".utf8) + [0xE9, 0x22, 0x7D])
    XCTAssertEqual(json?.reason, .wrongEncoding("some bytes mean nothing in it"))
    XCTAssertEqual(json?.place, [2, 4])
  }
}
