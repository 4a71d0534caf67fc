import FeedFormats
import XCTest

/// The feeds that web pages name.
final class FeedLinksTests: XCTestCase {
  private func links(_ head: String, at address: String = "https://example.org/blog/", contentType: String? = nil) -> [FeedLink] {
    FeedParser.links(in: Data("<!DOCTYPE html><html><head>\(head)</head><body></body></html>".utf8), at: address, contentType: contentType)
  }

  func testEveryTypeOfFeed() {
    for type in ["rss+xml", "atom+xml", "rdf+xml", "feed+json", "json"] {
      let found = links("<link rel='alternate' type='application/\(type)' title='News' href='/feed'>")
      XCTAssertEqual(found, [FeedLink(url: "https://example.org/feed", title: "News")], type)
    }
  }

  func testHoweverItIsWritten() {
    for link in [
      "<LINK REL=Alternate TYPE=application/rss+xml HREF=feed.xml>",
      "<link href=\"feed.xml\" type=\"application/rss+xml\" rel=\"alternate\"/>",
      "<link rel='home  alternate' type='application/rss+xml; charset=utf-8' href=' feed.xml '>",
      "<title><b></title><script>'<link>'</script><link\nrel=alternate\ntype='Application/RSS+XML'\nhref='https://example.org/blog/feed.xml'>",
      "</head><body><div><link rel='alternate' type='application/rss+xml' href='feed.xml'>",
    ] {
      XCTAssertEqual(links(link).map(\.url), ["https://example.org/blog/feed.xml"], link)
    }
  }

  func testWhatIsNoFeed() {
    for link in [
      "<link rel='stylesheet' type='text/css' href='a.css'>", "<link rel='alternate' hreflang='de' href='/de'>",
      "<link rel='alternate' type='text/html' href='/print'>", "<link rel='alternate' type='application/rss+xml'>",
      "<link rel='alternate' type='application/rss+xml' href=' '>", "<a rel='alternate' type='application/rss+xml' href='/feed'>feed</a>",
      "<!-- <link rel='alternate' type='application/rss+xml' href='/feed'> -->",
      "<script>\"<link rel='alternate' type='application/rss+xml' href='/feed'>\"</script>",
      "<link rel='icon' type='application/rss+xml' href='/i'>",
    ] {
      XCTAssertEqual(links(link), [], link)
    }
    XCTAssertEqual(FeedParser.links(in: Data(), at: "https://example.org"), [])
    XCTAssertEqual(FeedParser.links(in: Data((0...255).map { UInt8($0) }), at: "https://example.org"), [])
  }

  func testAddressesAreThoseOfTheirPage() {
    let link = "<link rel='alternate' type='application/rss+xml' href='%'>"
    for (href, base, url) in [
      ("feed", "", "https://example.org/blog/feed"), ("//feeds.example/a", "", "https://feeds.example/a"),
      ("?feed=rss2&amp;lang=de", "", "https://example.org/blog/?feed=rss2&lang=de"),
      ("/a?b=1&#038;c=2", "", "https://example.org/a?b=1&c=2"), ("feed", "https://other.example/x/y", "https://other.example/x/feed"),
      ("feed", "/sub/", "https://example.org/sub/feed"), ("https://b.example/f", "/sub/", "https://b.example/f"),
    ] {
      let base = base.isEmpty ? "" : "<base href='\(base)'>"
      XCTAssertEqual(links(base + link.replacingOccurrences(of: "%", with: href)).map(\.url), [url], href)
      // A base counts wherever it is.
      XCTAssertEqual(links(link.replacingOccurrences(of: "%", with: href) + base).map(\.url), [url], href)
    }
  }

  func testSeveral() {
    let rss = { (title: String, href: String) in "<link rel='alternate' type='application/rss+xml' title='\(title)' href='\(href)'>" }
    XCTAssertEqual(
      links(rss("A &raquo; Feed", "/a") + rss("B", "/b") + rss("A again", "/a")),
      [FeedLink(url: "https://example.org/a", title: "A » Feed"), FeedLink(url: "https://example.org/b", title: "B")])
    // What readers wrote is not what is meant, unless there is nothing else.
    XCTAssertEqual(links(rss("Blog » Comments Feed", "/c") + rss("Blog", "/a")).map(\.url), ["https://example.org/a"])
    XCTAssertEqual(links(rss("Blog", "/feed/") + rss("Beiträge", "/comments/feed/")).map(\.url), ["https://example.org/feed/"])
    XCTAssertEqual(links(rss("Comments", "/c")).map(\.url), ["https://example.org/c"])
    // Blogs name an interface for programs by the type that JSON Feed once had.
    let json = "<link rel='alternate' title='JSON' type='application/json' href='/wp-json/wp/v2/pages/2'>"
    XCTAssertEqual(links(json + rss("Blog", "/a")).map(\.url), ["https://example.org/a"])
    XCTAssertEqual(links((0..<50).map { rss("\($0)", "/\($0)") }.joined()).count, 20)
  }

  func testTitlesInAnyEncoding() throws {
    let page = { (meta: String) in
      "<html><head>\(meta)<link rel=alternate type=application/rss+xml title='Grüße' href=/a></head></html>"
    }
    let title = { (data: Data?, type: String?) in
      data.map { FeedParser.links(in: $0, at: "https://example.org", contentType: type).map(\.title) }
    }
    XCTAssertEqual(title(page("").data(using: .utf8), nil), ["Grüße"])
    XCTAssertEqual(title(page("").data(using: .isoLatin1), "text/html; charset=ISO-8859-1"), ["Grüße"])
    XCTAssertEqual(title(page("<meta charset=iso-8859-1>").data(using: .isoLatin1), nil), ["Grüße"])
    let meta = "<meta http-equiv=Content-Type content='text/html; charset=iso-8859-1'>"
    XCTAssertEqual(title(page(meta).data(using: .isoLatin1), nil), ["Grüße"])
    XCTAssertEqual(title(page("").data(using: .utf16), nil), ["Grüße"])
    // Nobody says anything: the address is right all the same.
    let unsaid = try XCTUnwrap(page("").data(using: .isoLatin1))
    XCTAssertEqual(FeedParser.links(in: unsaid, at: "https://example.org").map(\.url), ["https://example.org/a"])
  }

  func testAPageOfWebPagesSize() {
    let part = "<p class='a'>text &amp; <a href='/b'>link</a></p>"
    let page = String(repeating: part, count: 100_000) + "<link rel='alternate' type='application/rss+xml' href='/late'>"
    XCTAssertEqual(links(page).map(\.url), ["https://example.org/late"])
  }
}
