import FeedFormats
import XCTest

/// Where an error is: as an editor counts, in whatever encoding and behind whatever begins the document.
final class PlaceTests: XCTestCase {
  private let broken = "<rss>\n<channel>\n<title>Füße</title><link>é</lnik>\n</channel></rss>"

  func testOfXML() throws {
    let expected = [3, 34]
    XCTAssertEqual(failure(broken)?.place, expected)
    XCTAssertEqual(failure(Data([0xEF, 0xBB, 0xBF]) + Data(broken.utf8))?.place, expected)
    XCTAssertEqual(failure("\n\n" + broken)?.place, [5, 34])
    for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian] {
      XCTAssertEqual(failure(try XCTUnwrap(broken.data(using: encoding)))?.place, expected)
    }
    let latin = try XCTUnwrap(("<?xml version='1.0' encoding='iso-8859-1'?>" + broken).data(using: .isoLatin1))
    XCTAssertEqual(failure(latin)?.place, expected)
    XCTAssertEqual(failure("  <rss></x>")?.place, [1, 12])
    XCTAssertEqual(failure(" \n <svg/>")?.line, 2)
    XCTAssertEqual(failure("\n\n  hello")?.place, [3, 3])
  }

  func testOfWhatWasRepairedInPart() {
    XCTAssertEqual(failure("<rss><channel>\n<title>a & b &nbsp;</title>\n<x></y></channel></rss>")?.line, 3)
  }

  func testOfTheEndOfWhatIsCutOff() {
    XCTAssertEqual(failure("<rss>\n<channel>\n<title>abc")?.place, [3, 11])
    XCTAssertEqual(failure("{\n \"a\": \"é")?.place, [2, 9])
    XCTAssertEqual(failure(" \n ")?.place, [2, 2])
    XCTAssertEqual(failure("")?.place, [1, 1])
  }

  func testOfJSON() {
    let documents: [(String, String, [Int])] = [
      ("{\"a\": }", "expected a value for “a”, found “}”", [1, 7]),
      ("{\"a\": tru3}", "expected a value for “a”, found “tru3”", [1, 7]),
      ("{\n  \"é\" 1}", "expected “:” after “é”, found “1”", [2, 7]),
      ("{\"a\": 1\n\"b\": 2}", "expected “,” or “}” after the value of “a”, found “\"”", [2, 1]),
      ("[1, 2,]", "expected a value, found “]”; the comma before it is one too many", [1, 7]),
      ("{\"a\": 1,}", "expected a field's name in quotation marks, found “}”; the comma before it is one too many", [1, 9]),
      ("{a: 1}", "expected a field's name in quotation marks or “}”, found “a”", [1, 2]),
      ("[1 2]", "expected “,” or “]” after the value, found “2”", [1, 4]),
      ("{\"a\": \"b\nc\"}", "a line end or other control character within a text has to be written as \\n, \\t or \\u…", [1, 9]),
      ("[\"\\x\"]", "there is no such escape; there are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four digits", [1, 3]),
      ("[\"\\u12G4\"]", "\\u is followed by four hexadecimal digits", [1, 3]), ("[-]", "expected a digit, found “]”", [1, 3]),
      ("[1.]", "expected a digit, found “]”", [1, 4]), ("[1e+]", "expected a digit, found “]”", [1, 5]),
      ("{}\n}", "expected the end of the file after the value, found “}”", [2, 1]),
    ]
    for (document, what, place) in documents {
      let error = failure(document)
      XCTAssertEqual(error?.reason, .malformed(what), document)
      XCTAssertEqual(error?.place, place, document)
    }
    let whole = "{\"a\": [1.5e3, true, null, \"x\\u00e9\\ud83c\\udfac\"]}"
    for count in 1..<whole.utf8.count {
      XCTAssertEqual(failure(Data(whole.utf8.prefix(count)))?.reason, .cutOff, "\(count)")
    }
  }

  func testEveryErrorHasOne() {
    for document in [
      "hello", "%PDF", "<html>", "<svg/>", "{}", "[]", "<rss>", "", "<!DOCTYPE rss [<!ENTITY a 'b'>]><rss><title>&a;", "<opml>",
    ] {
      XCTAssertNotNil(failure(document), document)
    }
    XCTAssertThrowsError(try FeedParser.parse(Data("<opml/>".utf8), source: "a.opml")) {
      XCTAssertEqual("\($0)", "a.opml, line 1, column 1: this is not a feed: it is a list of feeds (OPML).")
    }
  }
}
