import FeedFormats
import XCTest

final class AtomTests: XCTestCase {
  func testAnOrdinaryEntry() throws {
    let feed = try read(
      atom(
        """
        <entry><title>One</title><link href="https://e.org/1"/><id>urn:1</id><published>2003-12-13T18:30:02Z</published>
        <updated>2004-12-13T18:30:02Z</updated><author><name>A</name><email>a@e.org</email></author><author><name>B</name></author>
        <summary>Short</summary><content type="html">&lt;p&gt;Text&lt;/p&gt;</content></entry>
        """, feed: "<subtitle>About</subtitle><link href='https://e.org/'/><link rel='self' href='https://e.org/atom'/><logo>l.png</logo>"))
    XCTAssertEqual(feed.format, .atom)
    XCTAssertEqual(feed.title, "T")
    XCTAssertEqual(feed.about, "About")
    XCTAssertEqual(feed.homeURL, "https://e.org/")
    XCTAssertEqual(feed.picture, "https://e.org/l.png")
    XCTAssertEqual(
      feed.items,
      [
        ParsedItem(
          id: "urn:1", link: "https://e.org/1", title: "One", byline: "A, B", published: Date(timeIntervalSince1970: 1_071_340_202),
          updated: Date(timeIntervalSince1970: 1_102_962_602), body: "<p>Text</p>", summary: "<p>Short</p>")
      ])
  }

  func testTextConstructs() throws {
    let contents = [
      "<content>a &lt; b &amp;amp; c</content>": "<p>a &lt; b &amp;amp; c</p>",
      "<content type='text'>one\n\ntwo</content>": "<p>one</p><p>two</p>",
      "<content type='html'>a &amp;lt; b&lt;br&gt;</content>": "a &lt; b<br>",
      "<content type='html'><![CDATA[<p>a</p>]]></content>": "<p>a</p>",
      "<content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>a &lt; b<br/><em class='x'>c</em></div></content>":
        "a &lt; b<br><em class=\"x\">c</em>",
      "<content type='xhtml'><x:div xmlns:x='http://www.w3.org/1999/xhtml'><x:p title='&quot;&amp;'>a</x:p><x:div>b</x:div></x:div></content>":
        "<p title=\"&quot;&amp;\">a</p><div>b</div>",
      "<summary>only</summary>": "<p>only</p>",
      "<content type='image/png'>AAAA</content><summary>picture</summary>": "<p>picture</p>",
    ]
    for (written, body) in contents { XCTAssertEqual(try first(atom("<entry>\(written)</entry>")).body, body, written) }
  }

  func testTitlesOfEachType() throws {
    let titles = [
      "<title>a &amp;amp; &lt;b&gt;</title>": "a &amp; <b>", "<title type='html'>a &amp;amp; &lt;b&gt;b&lt;/b&gt;</title>": "a & b",
      "<title type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>a <b>b</b></div></title>": "a b", "<title/>": nil,
    ]
    for (written, title) in titles { XCTAssertEqual(try first(atom("<entry>\(written)</entry>")).title, title, written) }
  }

  func testLinks() throws {
    let links = [
      "<link rel='alternate' href='https://e.org/1'/>": "https://e.org/1",
      "<link rel='related' href='https://e.org/2'/><link href='https://e.org/1'/>": "https://e.org/1",
      "<link rel='self' href='https://e.org/2'/><link rel='edit' href='https://e.org/3'/>": nil,
      "<link href='https://e.org/1.json' type='application/json'/><link href='https://e.org/1' type='text/html'/>": "https://e.org/1",
      "<link rel='related' href='https://e.org/2'/>": "https://e.org/2",
      "<id>https://e.org/1</id>": "https://e.org/1", "<id>urn:1</id>": nil,
      "<content src='https://e.org/1'/>": "https://e.org/1",
      "<link href=''/><id>https://e.org/1</id>": "https://e.org/1",
    ]
    for (written, link) in links { XCTAssertEqual(try first(atom("<entry>\(written)</entry>")).link, link, written) }
  }

  func testTheByline() throws {
    let feed = try read(
      atom(
        """
        <entry><id>1</id></entry><entry><id>2</id><author><name>B</name></author></entry>
        <entry><id>3</id><source><title>S</title><id>no</id><author><name>C</name></author></source></entry>
        """, feed: "<author><name>A</name></author>"))
    XCTAssertEqual(feed.items.map(\.byline), ["A", "B", "C"])
    XCTAssertEqual(feed.items.map(\.id), ["1", "2", "3"])
    XCTAssertEqual(feed.title, "T")
  }

  func testTheDateOfChangeStandsInForTheOther() throws {
    XCTAssertEqual(
      try first(atom("<entry><updated>2003-12-13T18:30:02Z</updated></entry>")).published, Date(timeIntervalSince1970: 1_071_340_202))
  }

  func testPictures() throws {
    let media = "xmlns:media='http://search.yahoo.com/mrss/'"
    let pictures = [
      "<link rel='enclosure' type='image/png' href='https://e.org/a.png'/>": "https://e.org/a.png",
      "<media:group><media:title>no</media:title><media:thumbnail url='https://e.org/t.jpg' width='480'/></media:group>":
        "https://e.org/t.jpg",
      "<content type='html'>&lt;img src=https://e.org/b.jpg&gt;</content>": "https://e.org/b.jpg",
      "<content type='image/jpeg' src='https://e.org/c.jpg'/>": "https://e.org/c.jpg",
    ]
    for (written, picture) in pictures {
      XCTAssertEqual(try first(atom("<entry>\(written)</entry>", attributes: media)).picture, picture, written)
    }
    let group =
      "<entry><title>yes</title><media:group><media:title>no</media:title><media:description>d</media:description></media:group></entry>"
    XCTAssertEqual(try first(atom(group, attributes: media)).title, "yes")
    XCTAssertEqual(try first(atom(group, attributes: media)).body, "<p>d</p>")
  }

  func testAtom03() throws {
    let feed = try read(
      """
      <feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>T</title><tagline>A</tagline><entry><title mode="escaped">a &amp;amp; b</title>
      <issued>2003-12-13T18:30:02Z</issued><content type="text/html" mode="escaped">&lt;p&gt;b&lt;/p&gt;</content></entry></feed>
      """)
    XCTAssertEqual(feed.about, "A")
    XCTAssertEqual(feed.items.first?.title, "a & b")
    XCTAssertEqual(feed.items.first?.body, "<p>b</p>")
    XCTAssertEqual(feed.items.first?.published, Date(timeIntervalSince1970: 1_071_340_202))
  }
}
