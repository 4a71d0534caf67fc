import FeedFormats
import XCTest

/// RSS 0.90 and 1.0.
final class RDFTests: XCTestCase {
  private func rdf(_ items: String, channel: String = "", namespace: String = "http://purl.org/rss/1.0/") throws -> ParsedFeed {
    try read(
      """
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="\(namespace)" xmlns:dc="http://purl.org/dc/elements/1.1/"
        xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dcterms="http://purl.org/dc/terms/">
      <channel rdf:about="https://e.org/feed"><title>T</title><link>https://e.org/</link><description>D</description>\(channel)
      <image rdf:resource="https://e.org/l.png"/><items><rdf:Seq><rdf:li rdf:resource="https://e.org/1"/></rdf:Seq></items></channel>
      <image rdf:about="https://e.org/l.png"><title>L</title><url>https://e.org/l.png</url><link>https://e.org/</link></image>
      \(items)<textinput rdf:about="x"><title>Search</title><name>q</name><link>https://e.org/search</link></textinput></rdf:RDF>
      """)
  }

  func testAWholeFeed() throws {
    let feed = try rdf(
      """
      <item rdf:about="urn:1"><title>One</title><link>https://e.org/1</link><description>Short</description><dc:creator>A</dc:creator>
      <dc:creator>B</dc:creator><dc:date>2024-03-01T18:30:00Z</dc:date><dc:subject>x</dc:subject>
      <content:encoded><![CDATA[<p>Long</p>]]></content:encoded></item>
      """)
    XCTAssertEqual(
      feed,
      ParsedFeed(
        format: .rdf, title: "T", about: "D", homeURL: "https://e.org/", picture: "https://e.org/l.png",
        items: [
          ParsedItem(
            id: "urn:1", link: "https://e.org/1", title: "One", byline: "A, B", published: Date(timeIntervalSince1970: 1_709_317_800),
            body: "<p>Long</p>", summary: "Short")
        ]))
  }

  func testTheModules() throws {
    let items = [
      "<item><dc:title>a</dc:title><dc:description>b</dc:description></item>",
      "<item><dc:title>no</dc:title><title>a</title><description>b</description><dc:description>no</dc:description></item>",
      "<item><title>a</title><content:items><rdf:Bag><rdf:li><content:item><content:format rdf:resource='x'/><rdf:value>b</rdf:value></content:item></rdf:li></rdf:Bag></content:items></item>",
    ]
    for item in items {
      let read = try rdf(item).items
      XCTAssertEqual(read.map(\.title), ["a"], item)
      XCTAssertEqual(read.map(\.body), ["b"], item)
    }
    let literal =
      "<item><content:encoded rdf:parseType='Literal'><p xmlns='http://www.w3.org/1999/xhtml'>a &lt; b</p></content:encoded></item>"
    XCTAssertEqual(try rdf(literal).items.first?.body, "<p>a &lt; b</p>")
    XCTAssertEqual(
      try rdf("<item><dcterms:modified>2024-03-01</dcterms:modified></item>").items.first?.updated,
      Date(timeIntervalSince1970: 1_709_251_200))
  }

  func testTheIDIsWhatRDFCallsAnItem() throws {
    XCTAssertEqual(try rdf("<item rdf:about='urn:1'/><item/>").items.map(\.id), ["urn:1", nil])
    XCTAssertEqual(try rdf("<item rdf:about='https://e.org/1'/>").items.first?.link, "https://e.org/1")
  }

  func testRSS090() throws {
    XCTAssertEqual(
      try rdf("<item><title>a</title></item>", namespace: "http://my.netscape.com/rdf/simple/0.9/").items.map(\.title), ["a"])
  }

  func testTheSearchBoxIsNoItem() throws {
    XCTAssertEqual(try rdf("").items.count, 0)
    XCTAssertEqual(try rdf("").title, "T")
  }
}
