import FeedFormats
import XCTest

final class ArticleBodyTests: XCTestCase {
  private func blocks(_ html: String, base: String? = nil) -> [ArticleBody.Block] { ArticleBody(html: html, base: base).blocks }

  func testParagraphsAndHeadings() {
    XCTAssertEqual(
      blocks("<h2>One</h2><p>Two</p>\n\n<p>Three<h4>Four</h4>Five"),
      [
        .heading(level: 2, [.init("One")]), .paragraph([.init("Two")]), .paragraph([.init("Three")]), .heading(level: 4, [.init("Four")]),
        .paragraph([.init("Five")]),
      ])
  }

  func testPlainTextIsOneParagraph() {
    XCTAssertEqual(blocks("  Just \n words "), [.paragraph([.init("Just words")])])
    XCTAssertEqual(blocks(""), [])
    XCTAssertEqual(blocks(" \n "), [])
  }

  func testWhiteSpaceCollapsesAsInHTML() {
    XCTAssertEqual(
      blocks("<p> a  <em> b </em>\n c<strong>d</strong> </p>"),
      [.paragraph([.init("a "), .init("b ", style: .emphasis), .init("c"), .init("d", style: .strong)])])
  }

  func testASpaceBesideALinkIsNotUnderlined() {
    XCTAssertEqual(
      blocks("<p>see<a href='https://example.org/'> this </a>now</p>"),
      [.paragraph([.init("see "), .init("this", link: "https://example.org/"), .init(" now")])])
  }

  func testEntitiesAreDecoded() {
    XCTAssertEqual(blocks("<p>AT&amp;T &mdash; caf&eacute; &#x1F3AC; a&nbsp;b</p>"), [.paragraph([.init("AT&T — café 🎬 a\u{A0}b")])])
  }

  func testStylesAddUp() {
    XCTAssertEqual(
      blocks("<p><b>a<i>b<code>c</code></i></b><del>d</del><sup>2</sup></p>"),
      [
        .paragraph([
          .init("a", style: .strong), .init("b", style: [.strong, .emphasis]), .init("c", style: [.strong, .emphasis, .code]),
          .init("d", style: .struck), .init("2", style: .superscript),
        ])
      ])
  }

  func testOnlySafeLinksAreKept() {
    let links = [
      "https://example.org/a b": "https://example.org/a%20b", "HTTP://example.org": "HTTP://example.org",
      "mailto:a@example.org": "mailto:a@example.org", "javascript:alert(1)": nil, "JaVaScRiPt:alert(1)": nil, "java\nscript:alert(1)": nil,
      " javascript:alert(1)": nil, "data:text/html,x": nil, "file:///etc/passwd": nil, "vbscript:x": nil, "matinee://posts/1": nil,
      "#top": nil, "page": nil, "": nil,
    ]
    for (written, kept) in links {
      XCTAssertEqual(blocks("<p><a href=\"\(written)\">x</a></p>"), [.paragraph([.init("x", link: kept)])], written)
    }
    XCTAssertEqual(blocks("<p><a href='&#106;avascript:x'>x</a></p>"), [.paragraph([.init("x")])])
    XCTAssertEqual(blocks("<p><a name='x'>x</a></p>"), [.paragraph([.init("x")])])
  }

  func testRelativeLinksNeedABase() {
    XCTAssertEqual(
      blocks("<p><a href='../b'>x</a><img src='c.png' alt='C'></p>", base: "https://example.org/d/a"),
      [.paragraph([.init("x", link: "https://example.org/b")]), .picture(url: "https://example.org/d/c.png", alt: "C")])
  }

  func testLineBreaks() {
    XCTAssertEqual(blocks("<p>a<br>b <br/> c<br></p>"), [.paragraph([.init("a\nb\nc")])])
    XCTAssertEqual(blocks("a<br><br>b<br><br><br>c"), [.paragraph([.init("a")]), .paragraph([.init("b")]), .paragraph([.init("c")])])
    XCTAssertEqual(blocks("<blockquote>a<br><br>b</blockquote>c"), [.quote([.init("a")]), .quote([.init("b")]), .paragraph([.init("c")])])
  }

  func testQuotes() {
    XCTAssertEqual(
      blocks("<blockquote><p>a</p><p>b</p></blockquote><p>c <q>d</q></p>"),
      [.quote([.init("a")]), .quote([.init("b")]), .paragraph([.init("c “d”")])])
  }

  func testLists() {
    XCTAssertEqual(
      blocks("<ul><li>a<ol start=3><li>b<li value=7>c</ol>d<li><p>e</p><p>f</p></ul>g"),
      [
        .listItem(marker: "•", depth: 1, [.init("a")]), .listItem(marker: "3.", depth: 2, [.init("b")]),
        .listItem(marker: "7.", depth: 2, [.init("c")]), .listItem(marker: "", depth: 1, [.init("d")]),
        .listItem(marker: "•", depth: 1, [.init("e")]), .listItem(marker: "", depth: 1, [.init("f")]), .paragraph([.init("g")]),
      ])
    XCTAssertEqual(
      blocks("<dl><dt>a<dd>b</dl>"), [.paragraph([.init("a", style: .strong)]), .listItem(marker: "", depth: 1, [.init("b")])])
    XCTAssertEqual(blocks("<li>a"), [.listItem(marker: "•", depth: 1, [.init("a")])])
    XCTAssertEqual(blocks("<ol start=99999999999999999999><li>a</ol>"), [.listItem(marker: "1.", depth: 1, [.init("a")])])
    XCTAssertEqual(
      blocks("<ol start=9223372036854775807><li>a<li>b</ol>").count, 2, "the largest number must not overflow")
  }

  func testPreformattedTextKeepsItsLines() {
    XCTAssertEqual(
      blocks("<pre><code>\nlet a = 1\n\n  if a &lt; 2 { <b>b</b> }\n</code></pre><p>c</p>"),
      [.code("let a = 1\n\n  if a < 2 { b }"), .paragraph([.init("c")])])
  }

  func testPictures() {
    XCTAssertEqual(
      blocks("<p>a <img src='https://e.org/1.jpg' alt='One &amp; all'> b</p><figure><img src='https://e.org/2.jpg'><figcaption>c</figure>"),
      [
        .paragraph([.init("a")]), .picture(url: "https://e.org/1.jpg", alt: "One & all"), .paragraph([.init("b")]),
        .picture(url: "https://e.org/2.jpg", alt: ""), .paragraph([.init("c", style: .emphasis)]),
      ])
    XCTAssertEqual(blocks("<img src='https://e.org/dot.gif' width=1 height=1>"), [])
    XCTAssertEqual(blocks("<img src='data:image/png;base64,AAAA' alt='x'>"), [.paragraph([.init("x")])])
    XCTAssertEqual(
      blocks("<img src='data:image/gif;base64,R0' data-src='https://e.org/late.jpg'>"), [.picture(url: "https://e.org/late.jpg", alt: "")])
    XCTAssertEqual(blocks("a<img class='emoji' alt='🎬' src='https://e.org/1f3ac.png'>b"), [.paragraph([.init("a🎬b")])])
  }

  func testTablesAreARowALine() {
    XCTAssertEqual(
      blocks("<table><tr><th>a<th>b</tr><tr><td>c</td><td><a href='https://e.org/'>d</a></td></tr></table>"),
      [
        .paragraph([.init("a · b", style: .strong)]), .paragraph([.init("c · "), .init("d", link: "https://e.org/")]),
      ])
  }

  func testFilmsAndRecordingsBecomeLinks() {
    XCTAssertEqual(
      blocks("<video poster='https://e.org/p.jpg'><source src='https://e.org/f.mp4'><source src='https://e.org/f.webm'></video>"),
      [.picture(url: "https://e.org/p.jpg", alt: ""), .paragraph([.init("Watch the video", link: "https://e.org/f.mp4")])])
    XCTAssertEqual(
      blocks("<audio src='https://e.org/a.mp3'></audio>"), [.paragraph([.init("Listen to the recording", link: "https://e.org/a.mp3")])])
  }

  func testWhatIsNotShownIsDroppedWhole() {
    let html = """
      <p>a<script>alert("</p>")</script><style>p { color: red }</style></p><iframe src="https://e.org">frame</iframe>
      <form action="/x"><p>Name</p><input value="y"><button>Send</button></form><svg><title>t</title><text>s</text></svg><!-- c --><p>b</p>
      <hr><noscript>c</noscript>
      """
    XCTAssertEqual(blocks(html), [.paragraph([.init("a")]), .paragraph([.init("b")]), .rule, .paragraph([.init("c")])])
  }

  func testAWholePage() {
    XCTAssertEqual(
      blocks("<!DOCTYPE html><html><head><title>T</title><meta charset=latin1></head><body><p>é</p></body></html>"),
      [.paragraph([.init("é")])])
  }

  func testPlainTextAndTeaser() {
    let body = ArticleBody(html: "<h1>Title</h1><p>One two <b>three</b>.</p><img src='https://e.org/a.jpg' alt='alt'><ul><li>four</ul>")
    XCTAssertEqual(body.plainText, "Title\nOne two three.\nalt\n• four")
    XCTAssertEqual(body.teaser(characters: 100), "Title One two three. • four")
    XCTAssertEqual(body.teaser(characters: 14), "Title One two…")
    XCTAssertEqual(body.teaser(characters: 13), "Title One…")
    XCTAssertEqual(body.teaser(characters: 1), "…")
    XCTAssertEqual(body.teaser(characters: 0), "")
    XCTAssertEqual(ArticleBody(html: "Incomprehensibilities").teaser(characters: 8), "Incompr…")
    XCTAssertEqual(ArticleBody(html: "One, two").teaser(characters: 6), "One…")
    XCTAssertEqual(ArticleBody(html: "").teaser(characters: 10), "")
  }
}
