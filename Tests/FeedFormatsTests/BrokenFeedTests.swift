import FeedFormats
import XCTest

/// What is no feed, or was made to break its reader: one clear error with its place, and nothing half read.
final class BrokenFeedTests: XCTestCase {
  func testEmpty() {
    for data in [Data(), Data(" \n\t".utf8), Data([0xEF, 0xBB, 0xBF]), Data([0, 0, 0]), Data([0xFF, 0xFE])] {
      XCTAssertEqual(failure(data)?.reason, .empty)
    }
  }

  func testTooLarge() {
    let data = Data(rss("").utf8)
    XCTAssertEqual(failure(data, limit: 100)?.reason, .tooLarge(bytes: data.count, limit: 100))
    XCTAssertNoThrow(try FeedParser.parse(data, source: "test", limit: data.count))
    XCTAssertEqual(failure(Data(count: 200_000_000))?.reason, .tooLarge(bytes: 200_000_000, limit: 50_000_000))
    let error = FeedError(.tooLarge(bytes: 200_000_000, limit: 50_000_000), source: "big.xml", offset: 50_000_000)
    XCTAssertEqual(error.description, "big.xml, byte 50000000: the document has 200.0 MB, and more than 50.0 MB are not read.")
  }

  func testWhatIsNoFeed() throws {
    let documents = [
      "<!DOCTYPE html><html><head><title>T</title></head><body><p>Hi<br></body></html>": "it is a web page",
      "  <HTML><body>": "it is a web page", "<!-- c --><html xmlns='http://www.w3.org/1999/xhtml'><p>a</html>": "it is a web page",
      "<svg xmlns='http://www.w3.org/2000/svg'/>": "it is XML of another kind, “svg”", "hello": "it begins neither like XML nor like JSON",
      "%PDF-1.4": "it is a PDF document", "{\"a\": 1}": "it is JSON of another kind", "[1, 2]": "it is JSON of another kind",
      "< rss>": "it does not begin like XML",
    ]
    for (document, what) in documents { XCTAssertEqual(failure(document)?.reason, .notAFeed(what), document) }
    for (bytes, what) in [
      ([0x1F, 0x8B, 8, 0], "it is a compressed file"), ([0x50, 0x4B, 3, 4], "it is a ZIP file"),
      ([0xFF, 0xD8, 0xFF, 0xE0], "it is a picture"),
    ] as [([UInt8], String)] {
      XCTAssertEqual(failure(Data(bytes))?.reason, .notAFeed(what))
    }
  }

  func testCutOffAnywhere() throws {
    let whole = rss("<item><title>One &amp; two</title><description><![CDATA[<p>é</p>]]></description></item>").utf8
    // Behind the last `>` nothing is missing; in the first bytes nobody knows what it was.
    for count in 60..<(whole.count - 1) {
      let error = failure(Data(whole.prefix(count)))
      guard error?.reason == .cutOff else { return XCTFail("\(count): \(error?.description ?? "")") }
    }
  }

  func testThePlaceOfAnError() throws {
    let error = try XCTUnwrap(failure("\n\n<rss>\n<channel>\n<title>a</tilte>\n</channel></rss>"))
    XCTAssertEqual(error.line, 5)
    XCTAssertNotNil(error.column)
    guard case .malformed(let what) = error.reason else { return XCTFail("\(error)") }
    XCTAssertTrue(what.contains("title"), what)
    XCTAssertTrue(error.description.hasPrefix("test, line 5, column "), error.description)
  }

  func testDeclaredEntitiesStayAsTheyAreWritten() throws {
    var lines = ["<!ENTITY a0 \"lol\">"]
    for level in 1...9 { lines.append("<!ENTITY a\(level) \"" + String(repeating: "&a\(level - 1);", count: 10) + "\">") }
    let bomb = "<!DOCTYPE rss [\(lines.joined())]><rss><channel><item><title>&a9;</title></item></channel></rss>"
    XCTAssertEqual(try first(bomb).title, "&a9;")
    let inAttribute =
      "<!DOCTYPE rss [\(lines.joined())]><rss><channel><item><title>a</title><guid isPermaLink='&a9;'>b</guid></item></channel></rss>"
    XCTAssertEqual(try first(inAttribute).title, "a")
    let big = String(repeating: "a", count: 1_000_000)
    let quadratic =
      "<!DOCTYPE rss [<!ENTITY a \"\(big)\">]><rss><channel><title>\(String(repeating: "&a;", count: 100))</title></channel></rss>"
    XCTAssertEqual(try read(quadratic).title, String(repeating: "&a;", count: 100))
    let file = "<!DOCTYPE rss [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><rss><channel><title>&a;</title></channel></rss>"
    XCTAssertEqual(try read(file).title, "&a;")
    let parameter = "<!DOCTYPE rss [<!ENTITY % p SYSTEM \"http://127.0.0.1:9/x.dtd\"> %p;]><rss><channel><title>a</title></channel></rss>"
    XCTAssertEqual(try read(parameter).title, "a")
  }

  func testNothingOutsideIsEverOpened() throws {
    // Both would be noticed: the file's words in the feed, and a connection to somebody who listens.
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data("secret".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let listener = try XCTUnwrap(Listener())
    for address in [file.absoluteString, file.path, "http://127.0.0.1:\(listener.port)/x", "ftp://127.0.0.1:\(listener.port)/x"] {
      let documents = [
        "<!DOCTYPE rss SYSTEM '\(address)'><rss><channel><title>a</title></channel></rss>",
        "<!DOCTYPE rss [<!ENTITY % p SYSTEM '\(address)'> %p;]><rss><channel><title>a</title></channel></rss>",
        "<!DOCTYPE rss [<!ENTITY e SYSTEM '\(address)'>]><rss><channel><title>&e;</title></channel></rss>",
        "<!DOCTYPE rss [<!ENTITY e SYSTEM '\(address)'>]><rss><channel><link>a</link><item a='&e;'/></channel></rss>",
        "<?xml-stylesheet href='\(address)'?><rss xmlns:xi='http://www.w3.org/2001/XInclude'><channel><title><xi:include href='\(address)'/></title></channel></rss>",
        "<opml><body><outline type='include' url='\(address)' xmlUrl='\(address)'/></body></opml>",
      ]
      for document in documents {
        let read = (try? FeedParser.document(Data(document.utf8), source: "test")).map { "\($0)" } ?? ""
        XCTAssertFalse(read.contains("secret"), document)
      }
      _ = ArticleBody(html: "<!DOCTYPE html SYSTEM '\(address)'><p>a<object data='\(address)'></object><img src='\(address)'></p>")
    }
    XCTAssertFalse(listener.wasCalled)
  }

  func testDeclaredCharactersOfHTMLAreThose() throws {
    let text = "<!DOCTYPE rss [<!ENTITY nbsp '&#160;'>]><rss><channel><title>a&nbsp;b&eacute;</title></channel></rss>"
    XCTAssertEqual(try read(text).title, "a bé")
  }

  /// Some say by them where an address is relative to.
  func testDeclaredAttributesAreNotAdded() throws {
    let declared =
      "<!DOCTYPE rss [<!ATTLIST item xml:base CDATA 'https://e.org/'>]><rss><channel><item><title>1</title><link>a</link></item></channel></rss>"
    XCTAssertEqual(try first(declared).link, try first(declared.replacing(#/ \[.*\]/#, with: "")).link)
  }

  func testAMistakeBehindDeclarationsHasItsLine() {
    let text = "<!DOCTYPE rss [\n<!ENTITY a 'b'>\r\n<!-- ]> -->\n] >\n<rss><channel>\n<title></rss>"
    XCTAssertEqual(failure(text)?.line, 6)
    XCTAssertEqual(failure("<!DOCTYPE rss [<!ENTITY a 'b'> <rss><channel></channel></rss>")?.reason, .cutOff)
  }

  func testFloodsAreRefused() throws {
    let many = (0..<100_000).map { "a\($0)='1'" }.joined(separator: " ")
    XCTAssertEqual(
      failure(rss("<item \(many)/>"))?.reason, .refused("one of its elements has too many attributes"))
    let spaces = (0..<100).map { "xmlns:a\($0)='urn:\($0)'" }.joined(separator: " ")
    let nested = String(repeating: "<a \(spaces)>", count: 10)
    XCTAssertEqual(failure("<rss>" + nested)?.reason, .refused("it declares too many namespaces"))
    // Long values and long texts are no flood.
    let item = "<item a='\(String(repeating: "= ", count: 5000))'><title>\(String(repeating: "a='b' ", count: 5000))</title></item>"
    XCTAssertEqual(try read(rss(item)).items.count, 1)
  }

  func testDeepNesting() {
    let deep = "<rss><channel>" + String(repeating: "<a>", count: 100_000)
    XCTAssertEqual(failure(deep)?.reason, .refused("it is nested too deeply"))
  }

  func testATextWithoutEnd() {
    let long = "<rss><channel><title>" + String(repeating: "a", count: 11_000_000) + "</title></channel></rss>"
    XCTAssertNoThrow(try read(long).title.count)
    let attribute = "<rss><channel x='" + String(repeating: "a", count: 11_000_000) + "'></channel></rss>"
    XCTAssertEqual(failure(attribute)?.reason, .refused("one of its texts is too long"))
  }

  func testCommonMistakesArePutRight() throws {
    let titles = [
      "Tom & Jerry": "Tom & Jerry", "a&nbsp;b": "a b", "caf&eacute; &hellip;": "café …", "a\u{1}b": "ab", "<![CDATA[a\u{1}b]]>": "ab",
      "a&#1;b": "a\u{FFFD}b",
      "<![CDATA[x & y &nbsp;]]>": "x & y", "R&D &amp; more": "R&D & more", "&bogus;": "&bogus;",
    ]
    for (written, title) in titles {
      let item = try first(rss("<item><title>\(written)</title><link>https://e.org/?a=1&b=2</link></item>"))
      XCTAssertEqual(item.title, title, written)
      XCTAssertEqual(item.link, "https://e.org/?a=1&b=2")
    }
    let withType =
      "<!DOCTYPE rss PUBLIC '-//N//DTD RSS 0.91//EN' 'http://e.org/rss.dtd'><rss><channel><title>a&eacute;b</title></channel></rss>"
    XCTAssertEqual(try read(withType).title, "aéb")
  }

  func testWhatFollowsTheEndLosesNothing() throws {
    for tail in ["<!-- cached -->", "\n\0\0", "trailing text", "<p>more</p>", "&"] {
      XCTAssertEqual(try read(rss("<item><title>a</title></item>") + tail).items.count, 1, tail)
    }
  }

  func testReadingOnManyThreadsAtOnce() async throws {
    let text = rss("<item><title>a</title><description>&lt;p&gt;b&lt;/p&gt;</description></item>")
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<64 { group.addTask { try read(text).items.count + ArticleBody(html: "<p>a<b>b</b></p>").blocks.count } }
      for try await count in group { XCTAssertEqual(count, 2) }
    }
  }
}
