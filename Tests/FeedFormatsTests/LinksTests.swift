import FeedFormats
import XCTest

/// Relative links against `xml:base`, the feed's home, and the source.
final class LinksTests: XCTestCase {
  private let body = "<content type='html'>&lt;a href='/x'&gt;a&lt;/a&gt; &lt;img src=\"p.png\"&gt;</content>"

  func testBasesFromTheNearestOut() throws {
    let entry = "<entry xml:base='e/'><link href='1'/>\(body)</entry>"
    let item = try first(atom(entry, attributes: "xml:base='https://b.org/f/'"), source: "https://s.org/feed")
    XCTAssertEqual(item.link, "https://b.org/f/e/1")
    XCTAssertEqual(item.body, "<a href='https://b.org/x'>a</a> <img src=\"https://b.org/f/e/p.png\">")
    XCTAssertEqual(item.picture, "https://b.org/f/e/p.png")
  }

  func testABaseEndsWithItsElement() throws {
    let entries = "<entry xml:base='https://b.org/'><link href='1'/></entry><entry><link href='2'/></entry>"
    XCTAssertEqual(try read(atom(entries), source: "https://s.org/feed").items.map(\.link), ["https://b.org/1", "https://s.org/2"])
  }

  func testThenTheHomeOfTheFeed() throws {
    let item = try first(atom("<entry>\(body)</entry>", feed: "<link href='https://h.org/'/>"), source: "/tmp/feed.xml")
    XCTAssertEqual(item.picture, "https://h.org/p.png")
    let other = try first(
      rss("<item><link>/1</link><description>&lt;img src=p.png&gt;</description></item>", channel: "<link>https://h.org/blog/</link>"))
    XCTAssertEqual(other.link, "https://h.org/1")
    XCTAssertEqual(other.body, "<img src=https://h.org/blog/p.png>")
  }

  func testThenTheSource() throws {
    let item = try first(rss("<item><link>1</link></item>", channel: "<link>/home</link>"), source: "https://s.org/a/feed")
    XCTAssertEqual(item.link, "https://s.org/1")
    let lost = try first(rss("<item><link>1</link></item>"), source: "/tmp/feed.xml")
    XCTAssertNil(lost.link, "there is nothing to resolve it against")
    XCTAssertEqual(lost.identity, "1")
  }

  func testXHTMLIsResolvedWhereItStands() throws {
    let entry = """
      <entry><content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml' xml:base='https://b.org/'><a href='x?a=1&amp;b=2'>a</a></div>
      </content></entry>
      """
    XCTAssertEqual(
      try first(atom(entry)).body.trimmingCharacters(in: .whitespacesAndNewlines), "<a href=\"https://b.org/x?a=1&amp;b=2\">a</a>")
  }

  /// They are in the lists of all readers.
  func testAddressesThatAreTooLongForListsAreLeftOut() throws {
    for (length, isThere) in [(2_048, true), (2_049, false)] {
      let address = "https://e.org/" + String(repeating: "a", count: length - 18) + ".jpg"
      let feed = try read(
        rss(
          "<item><link>\(address)</link><enclosure url='\(address)' type='image/jpeg'/></item>",
          channel: "<link>\(address)</link><image><url>\(address)</url></image>"))
      let addresses = [feed.homeURL, feed.picture, feed.items.first?.link, feed.items.first?.picture]
      XCTAssertEqual(addresses, Array(repeating: isThere ? address : nil, count: 4))
      // It still tells its item from others.
      XCTAssertEqual(feed.items.first?.identity, address)
      XCTAssertEqual(WebLinks.url(address), isThere ? address : nil)
      let list = Data("<opml><body><outline type='rss' xmlUrl='\(address)' htmlUrl='\(address)'/></body></opml>".utf8)
      guard case .outline(let outline) = try FeedParser.document(list, source: "list") else { return XCTFail("no list") }
      XCTAssertEqual(outline.feeds.first?.feedURL, isThere ? address : nil)
      XCTAssertEqual(outline.feeds.first?.homeURL, isThere ? address : nil)
      // In a text it is requested with one post.
      XCTAssertTrue(WebLinks.isOpenable(address))
      let body = "<a href='\(address)'>a</a>"
      XCTAssertEqual(try first(rss("<item><description><![CDATA[\(body)]]></description></item>")).body, body)
    }
  }

  func testAFragmentBelongsToTheItem() throws {
    let item = try first(
      rss(
        "<item><link>https://h.org/1</link><description>&lt;a href='#fn'&gt;1&lt;/a&gt;</description></item>",
        channel: "<link>https://h.org/</link>"))
    XCTAssertEqual(item.body, "<a href='https://h.org/1#fn'>1</a>")
    let xhtml = """
      <entry xml:base='https://b.org/feed'><link href='/1'/><content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>\
      <a href='#fn'>1</a></div></content></entry>
      """
    XCTAssertEqual(try first(atom(xhtml)).body, "<a href=\"https://b.org/1#fn\">1</a>")
  }

  func testEverythingElseOfABodyStaysAsItIs() throws {
    let stored = [
      "<a href='https://e.org/x?a=1&b=2'>", "<p title='src=\"x\"'>", "text href='x'", "<!-- <a href='x'> -->",
      "<script>'<a href=\"x\">'</script>",
      "<a href='mailto:a@e.org'>", "<a href='", "<a href", "<", "<a href=''>", "a < b href=c",
      "<A HREF=\"HTTPS://E.ORG\">", "<style>a { b: url(x) }</style>", "<p/ / =x>", "<a href=>x</a>",
    ]
    for html in stored {
      let item = try first(rss("<item><description><![CDATA[\(html)]]></description></item>", channel: "<link>https://h.org/</link>"))
      XCTAssertEqual(item.body, html)
    }
  }

  func testAllWaysToWriteAnAttribute() throws {
    let links = [
      "<a href=x>": "<a href=https://h.org/x>", "<a class=b  href = 'x' id=c>": "<a class=b  href = 'https://h.org/x' id=c>",
      "<IMG alt=\"a>b\" SRC=\"x\"/>": "<IMG alt=\"a>b\" SRC=\"https://h.org/x\"/>", "<a href='//o.org/x'>": "<a href='https://o.org/x'>",
      "<a href='../x y'>": "<a href='https://h.org/x%20y'>", "<a href='?a=1&amp;b'>": "<a href='https://h.org/?a=1&amp;b'>",
    ]
    for (written, resolved) in links {
      let item = try first(rss("<item><description><![CDATA[\(written)]]></description></item>", channel: "<link>https://h.org/</link>"))
      XCTAssertEqual(item.body, resolved)
    }
  }
}
