import FeedFormats
import XCTest

/// Files that belong to items, in every format.
final class EnclosureTests: XCTestCase {
  func testRSS() throws {
    let item = try first(
      rss(
        """
        <item><link>https://e.org/1</link><enclosure url="https://e.org/talk%20one.mp3" length="12345678" type="audio/MPEG"/>
        <enclosure url="/paper.pdf" length="0" type="application/pdf"/><enclosure url="ftp://e.org/x" length="1" type="audio/mpeg"/>
        <enclosure url="https://e.org/cover.jpg" length="10" type="image/jpeg"/><enclosure length="1" type="audio/mpeg"/>
        <itunes:duration>1:02:03</itunes:duration></item>
        """, channel: "<link>https://e.org/</link>"))
    XCTAssertEqual(
      item.enclosures,
      [
        ParsedEnclosure(url: "https://e.org/talk%20one.mp3", type: "audio/mpeg", length: 12_345_678, duration: 3723),
        ParsedEnclosure(url: "https://e.org/paper.pdf", type: "application/pdf"),
      ])
    XCTAssertEqual(item.picture, "https://e.org/cover.jpg")
  }

  func testMediaRSS() throws {
    let item = try first(
      rss(
        """
        <item><media:group><media:content url="https://e.org/a.mp4" type="video/mp4" fileSize="99" duration="61"/>
        <media:content url="https://e.org/player.swf" type="application/x-shockwave-flash"/>
        <media:content url="https://e.org/a.jpg" medium="image"/></media:group>
        <enclosure url="https://e.org/a.mp4" length="" type="video/mp4"/></item>
        """))
    XCTAssertEqual(item.enclosures, [ParsedEnclosure(url: "https://e.org/a.mp4", type: "video/mp4", length: 99, duration: 61)])
  }

  func testAtom() throws {
    let item = try first(
      atom(
        """
        <entry xml:base="https://e.org/"><link rel="enclosure" href="a.ogg" type="audio/ogg" length="5" title="The &lt;b&gt;talk&lt;/b&gt;"/>
        <link rel="enclosure" href="b.png" type="image/png"/><link rel="enclosure" href="c.png" type="image/png"/></entry>
        """))
    XCTAssertEqual(
      item.enclosures,
      [
        ParsedEnclosure(url: "https://e.org/a.ogg", type: "audio/ogg", title: "The talk", length: 5),
        ParsedEnclosure(url: "https://e.org/c.png", type: "image/png"),
      ])
    XCTAssertEqual(item.picture, "https://e.org/b.png")
  }

  func testJSONFeed() throws {
    let item = try first(
      """
      {"version": "https://jsonfeed.org/version/1.1", "items": [{"id": "1", "attachments": [
        {"url": "https://e.org/a.m4a", "mime_type": "audio/x-m4a", "title": "Talk", "size_in_bytes": 7, "duration_in_seconds": 90.4},
        {"url": "javascript:x()", "mime_type": "audio/x-m4a"}, {"mime_type": "audio/x-m4a"}]}]}
      """, source: "https://e.org/feed.json")
    XCTAssertEqual(
      item.enclosures, [ParsedEnclosure(url: "https://e.org/a.m4a", type: "audio/x-m4a", title: "Talk", length: 7, duration: 90)])
  }

  func testTimesAsPodcastsWriteThem() throws {
    let times = [
      "90": 90, "1:30": 90, "01:01:30": 3690, "90.6": 91, "83:45": 5025, "": nil, "0": nil, "1:2:3:4": nil, "-5": nil, "1:": nil,
      "soon": nil,
      "nan": nil, "99999999999999999999": nil,
    ]
    for (written, seconds) in times {
      let item = try first(
        rss("<item><enclosure url='https://e.org/a.mp3' type='audio/mpeg'/><itunes:duration>\(written)</itunes:duration></item>"))
      XCTAssertEqual(item.enclosures.first?.duration, seconds, written)
    }
  }

  func testThereAreNotAnyNumberOfThem() throws {
    let many = (1...500).map { "<enclosure url='https://e.org/\($0).mp3' type='audio/mpeg' length='99999999999999999999'/>" }.joined()
    let item = try first(rss("<item>\(many)</item>"))
    XCTAssertEqual(item.enclosures.count, 50)
    XCTAssertEqual(item.enclosures.first?.length, nil)
  }

  /// Fifty of the longest addresses and titles would be more than most posts.
  func testTheirTextsHaveAnEnd() throws {
    func enclosures(_ bytes: Int) throws -> [ParsedEnclosure] {
      let address = "https://e.org/"
      let files = (0..<50).map { number in
        let name = "\(number).mp3"
        return "<enclosure url='\(address)\(String(repeating: "a", count: bytes - address.utf8.count - name.utf8.count))\(name)'/>"
      }
      return try first(rss("<item>\(files.joined())</item>")).enclosures
    }
    XCTAssertEqual(try enclosures(300).count, 50)
    XCTAssertEqual(try enclosures(2_048).count, 8, "16 kB")
    XCTAssertEqual(try enclosures(2_049).count, 0)
    // One that is too long for the room that is left leaves it to those behind it.
    let long = String(repeating: "x", count: 1_000)
    let files = (0..<20).map { number in
      let title = number < 18 ? long : "short"
      return "{\"url\":\"https://e.org/\(number)\",\"title\":\"\(title)\"}"
    }
    let attachments = files.joined(separator: ",")
    let item = try first(
      "{\"version\":\"https://jsonfeed.org/version/1.1\",\"items\":[{\"id\":\"1\",\"attachments\":[\(attachments)]}]}")
    XCTAssertEqual(item.enclosures.suffix(2).map(\.title), ["short", "short"])
    XCTAssertLessThan(item.enclosures.count, 20)
  }
}
