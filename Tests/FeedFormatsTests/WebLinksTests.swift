import FeedFormats
import Foundation
import Testing

/// Feeds lead readers to the web and nowhere else.
@Suite struct WebLinksTests {
  static let banned = [
    "javascript:alert(1)", "JavaScript:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)", "\u{1}javascript:alert(1)",
    "data:text/html,hello", "file:///etc/passwd", "vbscript:x", "ftp://example.org/", "matinee://posts/1", "blob:https://example.org/1",
    "x-apple:1", "about:blank", "tel:1", "//", "http:", "view-source:https://example.org/",
    // Addresses that look like another host's.
    "https://example.org@evil.example/", "https://example.org:443@evil.example", "HTTP://example.org:@evil.example?x",
    "//example.org@evil.example/",
    "https://example.org\\@evil.example/", "https://other.example/\u{202E}gpj.exe", "https://other.example/\u{2066}x",
  ]

  private func escaped(_ text: String) -> String {
    // What XML cannot hold is not written.
    text.replacing("\u{1}", with: "").replacing("&", with: "&amp;")
  }

  private func feed(_ text: String) throws -> ParsedFeed { try FeedParser.parse(Data(text.utf8), source: "https://example.org/feed") }

  /// Every address that a reader gets.
  private func check(_ feed: ParsedFeed, _ link: String) {
    for url in [feed.homeURL, feed.picture] + feed.items.flatMap({ [$0.link, $0.picture] }) {
      #expect(url == nil || url?.hasPrefix("https://example.org/") == true, "“\(link)” became \(url ?? "")")
    }
    #expect(feed.items.count == 1)
  }

  @Test(arguments: banned)
  func fieldsOfFeeds(link: String) throws {
    let link = escaped(link)
    check(
      try feed(
        """
        <rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>F</title><link>\(link)</link>
        <image><url>\(link)</url></image>
        <item><title>I</title><link>\(link)</link><enclosure url="\(link)" type="image/png"/><media:thumbnail url="\(link)"/></item>
        </channel></rss>
        """), link)
    check(
      try feed(
        """
        <feed xmlns="http://www.w3.org/2005/Atom"><title>F</title><link href="\(link)"/><logo>\(link)</logo><icon>\(link)</icon>
        <entry><id>urn:1</id><title>I</title><link href="\(link)"/><link rel="enclosure" type="image/png" href="\(link)"/>
        <content type="image/png" src="\(link)"/></entry></feed>
        """), link)
    let json = String(decoding: try JSONEncoder().encode(link), as: UTF8.self)
    check(
      try feed(
        """
        {"version": "https://jsonfeed.org/version/1.1", "title": "F", "home_page_url": \(json), "icon": \(json), "favicon": \(json),
        "items": [{"id": "1", "url": \(json), "external_url": \(json), "image": \(json), "banner_image": \(json),
        "attachments": [{"url": \(json), "mime_type": "image/png"}]}]}
        """), link)
    check(
      try feed(
        """
        {"rss": {"version": "2.0", "channel": {"title": "F", "link": \(json), "item": [{"title": "I", "link": \(json),
        "enclosure": {"url": \(json), "type": "image/png"}}]}}}
        """), link)
  }

  @Test(arguments: banned)
  func listsOfFeeds(link: String) throws {
    let text =
      "<opml version=\"2.0\"><body><outline text=\"A\" type=\"rss\" xmlUrl=\"https://a.org/\" htmlUrl=\"\(escaped(link))\"/></body></opml>"
    guard case .outline(let outline) = try FeedParser.document(Data(text.utf8), source: "list") else {
      Issue.record("no list")
      return
    }
    #expect(outline.feeds.map(\.homeURL) == [nil])
  }

  @Test func aLinkInABodyShowsWhereItLeads() {
    let html = "<p><a href='https://bank.example@evil.example/'>The bank</a>, and <a href='https://example.org/@me?a@b'>me</a></p>"
    guard case .paragraph(let inlines)? = ArticleBody(html: html).blocks.first else {
      Issue.record("no paragraph")
      return
    }
    #expect(inlines.map(\.text).joined() == "The bank, and me")
    #expect(inlines.compactMap(\.link) == ["https://example.org/@me?a@b"])
  }

  @Test func pagesNameFeedsOnTheWeb() {
    let page = "<link rel=alternate type=application/rss+xml href='javascript:x'><link rel=alternate type=application/rss+xml href='/feed'>"
    #expect(FeedParser.links(in: Data(page.utf8), at: "https://example.org/").map(\.url) == ["https://example.org/feed"])
  }

  static let bodies: [(String, String)] = [
    ("<a href=\"javascript:alert(1)\">x</a>", "<a href=\"\">x</a>"),
    ("<a href='JAVASCRIPT:alert(1)' title='a'>x</a>", "<a href='' title='a'>x</a>"),
    ("<a href=javascript:alert(1)>x</a>", "<a href=>x</a>"),
    ("<a href=\"java&#10;script:x\">x</a>", "<a href=\"\">x</a>"),
    ("<a href=\"&#106;avascript:x\">x</a>", "<a href=\"\">x</a>"),
    ("<a href=\"&#x6A;avascript&colon;x\">x</a>", "<a href=\"\">x</a>"),
    ("<a href=\"&#0000106avascript:x\">x</a>", "<a href=\"\">x</a>"),
    ("<a href=\"java&Tab;script&NewLine;:x\">x</a>", "<a href=\"\">x</a>"),
    ("<a href=\" \u{1}javascript:x\">x</a>", "<a href=\"\">x</a>"),
    ("<img src=\"data:image/png;base64,AAAA\">", "<img src=\"\">"),
    ("<img srcset=\"https://a.org/1.png 1x, data:image/png;base64,AAAA 2x\">", "<img srcset=\"\">"),
    ("<video poster=\"file:///x\" src=\"ftp://a.org/\"></video>", "<video poster=\"\" src=\"\"></video>"),
    ("<form action=\"javascript:x\"><button formaction=\"data:x\">", "<form action=\"\"><button formaction=\"\">"),
    ("<object data=\"data:text/html,x\"><iframe srcdoc=\"<p>\"></iframe>", "<object data=\"\"><iframe srcdoc=\"\"></iframe>"),
    ("<img src=\"mailto:a@b.org\">", "<img src=\"\">"),
    ("<svg><a xlink:href=\"javascript:x\">", "<svg><a xlink:href=\"\">"),
    ("<meta http-equiv=refresh content=\"0; URL='JavaScript:x'\">a", "<meta http-equiv=refresh content=\"\">a"),
    ("<meta http-equiv=refresh content=0;url=file:///x>", "<meta http-equiv=refresh content=>"),
    ("<meta http-equiv=refresh content=\"0;url=&#100;ata:text/html,x\">", "<meta http-equiv=refresh content=\"\">"),
    (
      "<svg><a><set attributeName=href to=\" java\tscript:x\"/><animate from='file:///x' by=\"data:x\" values=\"https://a.org/;vbscript:x\">",
      "<svg><a><set attributeName=href to=\"\"/><animate from='' by=\"\" values=\"\">"
    ),
    ("<p style=\"color: red; background: url( file:///x )\" onclick='location=\"javascript:x\"'>", "<p style=\"\" onclick=''>"),
    (
      "<param name=movie value=data:application/x><use x:href='data:image/svg+xml,x'>",
      "<param name=movie value=><use x:href='data:image/svg+xml,x'>"
    ),
    ("<style>@import 'file:///x'; a:hover {}</style><b>b</b><STYLE>url(data:x)", "<style></style><b>b</b><STYLE>"),
    ("<applet archive=\"https://a.org/a\nfile:///b\">", "<applet archive=\"\">"),
    ("<a ping=\"https://a.org/ javascript:x\"><img data-srcset='https://a.org/ 1x, file:///x 2x'>", "<a ping=\"\"><img data-srcset=''>"),
    // What is the value of an attribute to one reader is the end of a text to another.
    ("<title><a href=\"</title><a href=javascript:x>\">", "<title><a href=\"\">"),
    ("<textarea><a title='</TextArea ><a href=javascript:x>'>", "<textarea><a title=''>"),
    ("<xmp><b title=\"</xmp><a href=javascript:x>\">", "<xmp><b title=\"\">"),
    ("<noscript><p title=\"</noscript><a href=javascript:x>\">", "<noscript><p title=\"\">"),
    ("<script><!--<script></script><a href=\"--></script><a href=javascript:x>\">", "<script><!--<script></script><a href=\"\">"),
    ("<svg><![CDATA[ > <a href=\"]]><a href=javascript:x>\">", "<svg><![CDATA[ > <a href=\"\">"),
    ("<title><!-- </title><a href=javascript:x> -->b", "<title>b"),
    ("<title><a href=\"</title><a href=javascript:x>", "<title><a href=\""),
    // Neither end tags nor what is a comment to a browser hide a tag.
    ("</p x=\"><a href='\"><a href=javascript:x>'>", "<a href=>'>"),
    ("<!x <a href=\"><a href=javascript:x>\">", "<!x <a href=\"><a href=>\">"),
    ("<title></p x=\"</title><a href=javascript:x>\">", "<title>"),
    ("</p x=\"><a href=javascript:x>", ""),
    ("<noscript><img src=\"https://example.org/a.png\"></noscript>", "<noscript><img src=\"https://example.org/a.png\"></noscript>"),
    ("<p class=\"&&&colon;&#x;&#99999999999;x&amp\">x</p>", "<p class=\"&&&colon;&#x;&#99999999999;x&amp\">x</p>"),
    ("<p class=\"&&&#99999999999;&#x6a;avascript&colon;x\">x</p>", "<p class=\"\">x</p>"),
    ("<script></SCRIPT><a href=javascript:x>", "<script></SCRIPT><a href=>"),
    ("<Style></sTYLE ><a href=javascript:x>", "<Style></sTYLE ><a href=>"),
    ("<!-- --!><a href=javascript:x><!--><a href=file:///x>-->", "<!-- --!><a href=><!--><a href=>-->"),
    ("<b" + (0..<100).map { " a\($0)=1" }.joined() + " href=\"javascript:x\">bold</b>", "bold</b>"),
  ]

  @Test(arguments: bodies)
  func linksInBodies(html: String, expected: String) throws {
    #expect(WebLinks.html(html) == expected)
    let feed = try FeedParser.parse(
      Data("{\"version\": \"https://jsonfeed.org/version/1\", \"items\": [{\"id\": \"1\", \"content_html\": \(json(html))}]}".utf8),
      source: "https://example.org/feed")
    #expect(feed.items.first?.body == expected)
    #expect(feed.items.first?.picture.map { $0.hasPrefix("https://") } ?? true)
  }

  private func json(_ text: String) -> String { String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self) }

  @Test(arguments: [
    "<a href=\"https://example.org/?a=1&amp;b=javascript:x\">x</a>", "<a href=\"mailto:a@example.org\">x</a>", "<a href=\"/path:x\">x</a>",
    "<a href=\"#a\">x</a>", "<a href=\"//example.org/\">x</a>", "<p>javascript:alert(1) &lt;a href=\"data:x\"&gt;</p>", "<a href>x</a>",
    "<img srcset=\"https://a.org/1.png 1x, /2.png 2x\">", "<a href=\"&amp;colon:x\">x</a>", "", "<!-- <a href=\"javascript:x\"> -->",
    "<meta http-equiv=\"refresh\" content=\"5; url=https://example.org/\">", "<animate values=\"0;1;0\" from=\"0\" to=\"1\" by='a:b'>",
    "<p style=\"background: url(data:image/png;base64,AAAA)\" title=\"javascript: a language\" data-x='{\"metadata:\": 1}'>",
    "<img alt=\"file:\" src=\"https://a.org/1.png\">", "<style>a:hover { color: red }</style>",
    "<p id=\"data-file.javascript\" class='a:b'>",
  ])
  func everythingElseStays(html: String) { #expect(WebLinks.html(html) == html) }

  @Test func whatMayBeOpened() {
    for link in Self.banned where link != "//" && link != "http:" { #expect(!WebLinks.isOpenable(link), "\(link)") }
    for link in ["https://example.org/", "HTTP://example.org", "mailto:a@example.org"] { #expect(WebLinks.isOpenable(link)) }
    #expect(WebLinks.url("/relative") == nil)
    #expect(WebLinks.url(nil) == nil)
  }

  /// Items that have nothing but such an address to tell them apart are still told apart, and known again.
  @Test func itemsKeepTheirIdentity() throws {
    let feed = try feed(
      "<rss version=\"2.0\"><channel><item><link>javascript:1</link></item><item><link>javascript:2</link></item></channel></rss>")
    #expect(feed.items.map(\.identity) == ["javascript:1", "javascript:2"])
  }
}
