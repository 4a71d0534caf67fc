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
      ("{\"a\": }", "a value is missing or begins strangely", [1, 7]),
      ("{\"a\": tru3}", "a value is missing or begins strangely", [1, 10]),
      ("{\n  \"é\" 1}", "a colon is missing", [2, 7]), ("{\"a\": 1\n\"b\": 2}", "a comma is missing", [2, 1]),
      ("[1, 2,]", "a value is missing or begins strangely", [1, 7]), ("{\"a\": 1,}", "the name of a member is missing", [1, 9]),
      ("{a: 1}", "the name of a member is missing", [1, 2]), ("[1 2]", "a comma is missing", [1, 4]),
      ("{\"a\": \"b\nc\"}", "a text holds a line end or another control character", [1, 9]),
      ("[\"\\x\"]", "a backslash is followed by what it cannot mean", [1, 3]),
      ("[\"\\u12G4\"]", "a backslash is followed by what it cannot mean", [1, 3]), ("[-]", "a number is not finished", [1, 3]),
      ("[1.]", "a number is not finished", [1, 4]), ("[1e+]", "a number is not finished", [1, 5]),
      ("{}\n}", "something follows its end", [2, 1]),
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
