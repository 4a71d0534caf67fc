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
    let kept = [
      "<a href='https://e.org/x?a=1&b=2'>", "<p title='src=\"x\"'>", "text href='x'", "<!-- <a href='x'> -->",
      "<script>'<a href=\"x\">'</script>",
      "<a href='mailto:a@e.org'>", "<a href='", "<a href", "<", "<a href=''>", "a < b href=c",
      "<A HREF=\"HTTPS://E.ORG\">", "<style>a { b: url(x) }</style>", "<p/ / =x>", "<a href=>x</a>",
    ]
    for html in kept {
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
