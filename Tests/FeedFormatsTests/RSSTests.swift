import FeedFormats
import XCTest

final class RSSTests: XCTestCase {
  func testAnOrdinaryItem() throws {
    let feed = try read(
      rss(
        """
        <item><title>One</title><link> https://e.org/1 </link><guid isPermaLink="false">id-1</guid>
        <pubDate>Sat, 07 Sep 2002 00:00:01 GMT</pubDate><author>a@e.org (Front row desk)</author>
        <description>&lt;p&gt;Text&lt;/p&gt;</description></item>
        """,
        channel:
          "<link>https://e.org/</link><description>About &amp;amp; so on</description><image><url>/logo.png</url><title>x</title></image>"))
    XCTAssertEqual(feed.format, .rss)
    XCTAssertEqual(feed.title, "T")
    XCTAssertEqual(feed.about, "About & so on")
    XCTAssertEqual(feed.homeURL, "https://e.org/")
    XCTAssertEqual(feed.picture, "https://e.org/logo.png")
    XCTAssertEqual(
      feed.items,
      [
        ParsedItem(
          id: "id-1", link: "https://e.org/1", title: "One", byline: "Front row desk",
          published: Date(timeIntervalSince1970: 1_031_356_801),
          body: "<p>Text</p>")
      ])
  }

  func testOldVersionsAndOddNamespaces() throws {
    XCTAssertEqual(try read("<rss version='0.91'><channel><item><title>a</title></item></channel></rss>").items.count, 1)
    XCTAssertEqual(
      try read(
        "<!DOCTYPE rss PUBLIC '-//N//DTD RSS 0.91//EN' 'http://e.org/rss.dtd'><rss><channel><item><title>a</title></item></channel></rss>"
      )
      .items.count, 1)
    XCTAssertEqual(try first("<rss xmlns='http://e.org/own'><channel><item><title>a</title></item></channel></rss>").title, "a")
    XCTAssertEqual(try first("<RSS><Channel><Item><Title>a</Title><PubDate>2003-12-13</PubDate></Item></Channel></RSS>").title, "a")
  }

  func testItemsOutsideTheChannelAreNotLost() throws {
    let text = "<rss><channel><title>T</title></channel><item><title>a</title></item><items><item><title>b</title></item></items></rss>"
    XCTAssertEqual(try read(text).items.map(\.title), ["a", "b"])
    XCTAssertEqual(try read(rss("<wrapper><item><title>a</title></item></wrapper>")).items.count, 1)
  }

  func testContentEncodedIsTheBody() throws {
    for order in [[0, 1], [1, 0]] {
      let parts = ["<description>Short</description>", "<content:encoded><![CDATA[<p>Long & wide</p>]]></content:encoded>"]
      let item = try first(rss("<item>\(order.map { parts[$0] }.joined())</item>"))
      XCTAssertEqual(item.body, "<p>Long & wide</p>")
      XCTAssertEqual(item.summary, "Short")
    }
    let same = try first(rss("<item><description>a</description><content:encoded>a</content:encoded></item>"))
    XCTAssertEqual(same.summary, "", "what is said twice is no summary")
  }

  func testDublinCore() throws {
    let item = try first(
      rss(
        "<item><dc:creator>A</dc:creator><dc:creator>B</dc:creator><author>c@e.org</author><dc:date>2003-12-13T18:30:02Z</dc:date></item>"))
    XCTAssertEqual(item.byline, "A, B")
    XCTAssertEqual(item.published, Date(timeIntervalSince1970: 1_071_340_202))
  }

  func testABylineOfTheChannel() throws {
    let feed = try read(rss("<item><title>a</title></item><item><author>B</author></item>", channel: "<itunes:author>A</itunes:author>"))
    XCTAssertEqual(feed.items.map(\.byline), ["A", "B"])
  }

  func testPrefixesNobodyDeclared() throws {
    let item = try first("<rss><channel><item><dc:creator>A</dc:creator><content:encoded>b</content:encoded></item></channel></rss>")
    XCTAssertEqual(item.byline, "A")
    XCTAssertEqual(item.body, "b")
  }

  func testTitlesOfOtherNamespacesAreNotTheTitle() throws {
    let feed = try read(
      rss(
        "<item><media:title>no</media:title><title>yes</title><itunes:title>no</itunes:title></item>",
        channel: "<image><title>no</title></image><textInput><title>no</title><link>https://no.org</link></textInput>"))
    XCTAssertEqual(feed.title, "T")
    XCTAssertEqual(feed.items.first?.title, "yes")
    XCTAssertNil(feed.homeURL)
  }

  func testTheSelfLinkIsNotTheHome() throws {
    let channel =
      "<atom:link rel='self' href='https://e.org/feed'/><link>https://e.org/</link><atom:link rel='hub' href='https://hub.org'/>"
    XCTAssertEqual(try read(rss("", channel: channel)).homeURL, "https://e.org/")
    XCTAssertEqual(try read(rss("", channel: "<atom:link href='https://e.org/home'/>")).homeURL, "https://e.org/home")
  }

  func testTheGuidIsALinkUnlessItSaysOtherwise() throws {
    XCTAssertEqual(try first(rss("<item><guid>https://e.org/1</guid></item>")).link, "https://e.org/1")
    XCTAssertNil(try first(rss("<item><guid isPermaLink='false'>https://e.org/1</guid></item>")).link)
    XCTAssertNil(try first(rss("<item><guid>1</guid></item>")).link)
    XCTAssertEqual(try first(rss("<item><guid>https://e.org/1</guid><link>https://e.org/2</link></item>")).link, "https://e.org/2")
  }

  func testTitlesAreText() throws {
    let titles = [
      "a &amp; b": "a & b", "AT&amp;amp;T": "AT&T", "&lt;b&gt;Bold&lt;/b&gt; move": "Bold move", "<![CDATA[x < y]]>": "x < y",
      "<![CDATA[Array<Element> &c]]>": "Array<Element> &c", " a\n  b ": "a b", "&amp;#8220;q&amp;#8221;": "“q”", "<![CDATA[]]>": nil,
      " ": nil,
      "one<b>two</b>": "onetwo",
    ]
    for (written, title) in titles { XCTAssertEqual(try first(rss("<item><title>\(written)</title></item>")).title, title, written) }
  }

  func testMarkupThatNobodyEscaped() throws {
    let item = try first(rss("<item><description>a &amp; b <p class=\"x\">c<br/>d &lt; e</p></description></item>"))
    XCTAssertEqual(item.body, "a &amp; b <p class=\"x\">c<br>d &lt; e</p>")
  }

  func testCDATAInPieces() throws {
    let item = try first(rss("<item><description><![CDATA[<p>a]]>&lt;/p&gt;<![CDATA[<p>b</p>]]></description></item>"))
    XCTAssertEqual(item.body, "<p>a</p><p>b</p>")
  }

  func testPictures() throws {
    let pictures = [
      "<enclosure url='https://e.org/a.jpg' type='image/jpeg' length='1'/>": "https://e.org/a.jpg",
      "<enclosure url='https://e.org/a.mp3' type='audio/mpeg'/>": nil,
      "<enclosure url='https://e.org/a.PNG?x=1'/>": "https://e.org/a.PNG?x=1",
      "<media:content url='https://e.org/v.mp4' type='video/mp4'><media:thumbnail url='https://e.org/t.jpg'/></media:content>":
        "https://e.org/t.jpg",
      "<media:group><media:content url='https://e.org/s.jpg' medium='image' width='90'/><media:content url='https://e.org/l.jpg' medium='image' width='900'/></media:group>":
        "https://e.org/l.jpg",
      "<itunes:image href='https://e.org/i.jpg'/>": "https://e.org/i.jpg",
      "<image>https://e.org/i.jpg</image>": "https://e.org/i.jpg",
      "<description>&lt;img src='https://e.org/dot.gif' width='1'&gt;&lt;img src='https://e.org/b.jpg?a=1&amp;amp;b=2'&gt;</description>":
        "https://e.org/b.jpg?a=1&b=2",
      "<description>&lt;img src='https://e.org/b.jpg'&gt;</description><enclosure url='https://e.org/a.jpg' type='image/jpeg'/>":
        "https://e.org/a.jpg",
      "<description>&lt;img src='data:image/gif;base64,R0'&gt;</description>": nil,
    ]
    for (written, picture) in pictures { XCTAssertEqual(try first(rss("<item>\(written)</item>")).picture, picture, written) }
  }

  func testAnEmptyChannel() throws {
    XCTAssertEqual(try read(rss("")).items, [])
    XCTAssertEqual(try read("<rss/>").items, [])
  }
}
