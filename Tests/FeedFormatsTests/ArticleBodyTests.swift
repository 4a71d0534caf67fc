import FeedFormats
import XCTest

final class ArticleBodyTests: XCTestCase {
  private func blocks(_ html: String, base: String? = nil) -> [ArticleBody.Block] { ArticleBody(html: html, base: base).blocks }

  private func text(_ text: String) -> ArticleBody.Block { .paragraph([.init(text)]) }
  private func link(_ text: String, _ url: String) -> ArticleBody.Block { .paragraph([.init(text, link: url)]) }

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

  func testASpaceBetweenTwoElementsHasTheLineOfNeither() {
    let cases: [(html: String, runs: [ArticleBody.Inline])] = [
      ("<s>struck</s> <sub>low</sub>", [.init("struck", style: .struck), .init(" low", style: .subscript)]),
      ("<sub>low</sub> <s>struck</s>", [.init("low ", style: .subscript), .init("struck", style: .struck)]),
      ("<s>one</s> <s>two</s>", [.init("one", style: .struck), .init(" "), .init("two", style: .struck)]),
      ("<s>one </s><s>two</s>", [.init("one two", style: .struck)]),
      (
        "<a href='https://a.org/'>one</a> <a href='https://b.org/'>two</a>",
        [.init("one", link: "https://a.org/"), .init(" "), .init("two", link: "https://b.org/")]
      ),
      (
        "<s>no <a href='https://a.org/'>link</a> is</s> left",
        [
          .init("no ", style: .struck), .init("link", style: .struck, link: "https://a.org/"), .init(" is", style: .struck),
          .init(" left"),
        ]
      ),
      (
        "<s><a href='https://a.org/'>one</a> <a href='https://b.org/'>two</a></s>",
        [
          .init("one", style: .struck, link: "https://a.org/"), .init(" ", style: .struck),
          .init("two", style: .struck, link: "https://b.org/"),
        ]
      ),
    ]
    for (html, runs) in cases { XCTAssertEqual(blocks("<p>\(html)</p>"), [.paragraph(runs)], html) }
  }

  func testAPictureAsSmallAsALetterBreaksNoSentence() {
    let cases = [
      ("Well <img src='https://e.org/s.png' width=20 height=20 alt=':-)'> done.", "Well :-) done."),
      ("Well <img src='https://e.org/s.png' width=20 alt=':-)'> done.", "Well :-) done."),
      ("Well <img src='https://e.org/s.png' height=32> done.", "Well done."),
    ]
    for (html, words) in cases { XCTAssertEqual(blocks("<p>\(html)</p>"), [text(words)], html) }
    for size in ["width=33", "width=600 height=20", ""] {
      XCTAssertEqual(blocks("<p>a <img src='https://e.org/s.png' \(size)> b</p>").count, 3, size)
    }
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

  func testALinkToAnotherPlaceOfTheTextStaysInIt() {
    let page = "https://example.org/2026/a-post/"
    let links = [
      "#fn1", page + "#fn1", "http://example.org/2026/a-post#fn1", "/2026/a-post/#fn1", "#fn%31", " #fn1 ",
    ]
    for link in links {
      XCTAssertEqual(
        blocks(
          "<p>Text<sup id=ref1><a href='\(link)'>1</a></sup> more.</p><ol><li id=fn1><p>A note. <a href='#ref1'>Back</a></p></ol>",
          base: page),
        [
          .paragraph([.init("Text"), .init("1", style: .superscript, link: "#fn1", ids: ["ref1"]), .init(" more.")]),
          .list([.init("1.", [.paragraph([.init("A note. ", ids: ["fn1"]), .init("Back", link: "#ref1")])])]),
        ], link)
    }
    XCTAssertEqual(
      blocks("<p><a href='#a'>a</a> <a href='#b'>b</a></p><a name=a></a><h2>A</h2><table><tr><td id=b>B<td>C<tr><td>D<td>E</table>"),
      [
        .paragraph([.init("a", link: "#a"), .init(" "), .init("b", link: "#b")]), .heading(level: 2, [.init("A", ids: ["a"])]),
        .table(
          .init(
            columns: 2,
            rows: [
              [.init([.paragraph([.init("B", ids: ["b"])])], column: 0), .init([text("C")], column: 1)],
              [.init([text("D")], column: 0), .init([text("E")], column: 1)],
            ])),
      ])
  }

  func testALinkToAPlaceThatIsNotThereLeadsToTheWeb() {
    let page = "https://example.org/post?id=5"
    XCTAssertEqual(blocks("<a href='#gone'>x</a>", base: page), [link("x", page + "#gone")])
    XCTAssertEqual(blocks("<a href='#gone'>x</a>"), [text("x")])
    for other in ["https://example.org/post?id=6#here", "https://example.org/other#here", "https://example.com/post?id=5#here"] {
      XCTAssertEqual(blocks("<a href='\(other)'>x</a><p id=here>Here", base: page), [link("x", other), text("Here")])
    }
    XCTAssertEqual(blocks("<p id=unused>One <b id=too>two</b>"), [.paragraph([.init("One "), .init("two", style: .strong)])])
  }

  func testOnlySafeLinksAreKept() {
    let links = [
      "https://example.org/a b": "https://example.org/a%20b", "HTTP://example.org": "HTTP://example.org",
      "mailto:a@example.org": "mailto:a@example.org", "javascript:alert(1)": nil, "JaVaScRiPt:alert(1)": nil, "java\nscript:alert(1)": nil,
      " javascript:alert(1)": nil, "data:text/html,x": nil, "file:///etc/passwd": nil, "vbscript:x": nil, "matinee://posts/1": nil,
      "#top": nil, "page": nil, "": nil,
    ]
    for (written, stored) in links {
      XCTAssertEqual(blocks("<p><a href=\"\(written)\">x</a></p>"), [.paragraph([.init("x", link: stored)])], written)
    }
    XCTAssertEqual(blocks("<p><a href='&#106;avascript:x'>x</a></p>"), [.paragraph([.init("x")])])
    XCTAssertEqual(blocks("<p><a name='x'>x</a></p>"), [.paragraph([.init("x")])])
  }

  func testRelativeLinksNeedABase() {
    XCTAssertEqual(
      blocks("<p><a href='../b'>x</a><img src='c.png' alt='C'></p>", base: "https://example.org/d/a"),
      [.paragraph([.init("x", link: "https://example.org/b")]), .image(.init(url: "https://example.org/d/c.png", alt: "C"))])
  }

  func testLineBreaks() {
    XCTAssertEqual(blocks("<p>a<br>b <br/> c<br></p>"), [.paragraph([.init("a\nb\nc")])])
    XCTAssertEqual(blocks("a<br><br>b<br><br><br>c"), [.paragraph([.init("a")]), .paragraph([.init("b")]), .paragraph([.init("c")])])
    XCTAssertEqual(blocks("<blockquote>a<br><br>b</blockquote>c"), [.quote([text("a"), text("b")]), text("c")])
  }

  func testQuotes() {
    XCTAssertEqual(
      blocks("<blockquote><p>a</p><ul><li>b</ul><blockquote>c</blockquote></blockquote><p>d <q>e</q></p>"),
      [.quote([text("a"), .list([.init("•", [text("b")])]), .quote([text("c")])]), text("d “e”")])
    XCTAssertEqual(blocks("<blockquote> <p></p></blockquote>a"), [text("a")])
  }

  func testLists() {
    XCTAssertEqual(
      blocks("<ul><li>a<ol start=3><li>b<li value=7>c</ol>d<li><p>e</p><p>f</p></ul>g"),
      [
        .list([
          .init("•", [text("a"), .list([.init("3.", [text("b")]), .init("7.", [text("c")])]), text("d")]),
          .init("•", [text("e"), text("f")]),
        ]),
        text("g"),
      ])
    XCTAssertEqual(blocks("<li>a"), [.list([.init("•", [text("a")])])])
    XCTAssertEqual(
      blocks("<ul><li>a</li><ul><li>b</ul></ul>"),
      [
        .list([.init("•", [text("a"), .list([.init("•", [text("b")])])])])
      ])
    XCTAssertEqual(blocks("<ul>a<li></li><li>b</ul>"), [.list([.init("", [text("a")]), .init("•", [text("b")])])])
    XCTAssertEqual(
      blocks("<ul><li><pre>a\n  b</pre><li><h3>c</h3>d</ul>"),
      [
        .list([.init("•", [.code("a\n  b")]), .init("•", [.heading(level: 3, [.init("c")]), text("d")])])
      ])
  }

  func testNumbersOfLists() {
    func markers(_ attributes: String, items: Int = 3) -> [String] {
      guard case .list(let items) = blocks("<ol \(attributes)>\(String(repeating: "<li>x", count: items))</ol>").first else { return [] }
      return items.map(\.marker)
    }
    XCTAssertEqual(markers(""), ["1.", "2.", "3."])
    XCTAssertEqual(markers("start=0"), ["0.", "1.", "2."])
    XCTAssertEqual(markers("start=-1"), ["-1.", "0.", "1."])
    XCTAssertEqual(markers("type=a start=26"), ["z.", "aa.", "ab."])
    XCTAssertEqual(markers("type=A"), ["A.", "B.", "C."])
    XCTAssertEqual(markers("type=i start=3"), ["iii.", "iv.", "v."])
    XCTAssertEqual(markers("type=I start=3999"), ["MMMCMXCIX.", "4000.", "4001."])
    XCTAssertEqual(markers("reversed"), ["3.", "2.", "1."])
    XCTAssertEqual(markers("reversed start=10"), ["10.", "9.", "8."])
    XCTAssertEqual(markers("start=99999999999999999999"), ["1.", "2.", "3."])
    XCTAssertEqual(markers("start=9223372036854775807").count, 3, "the largest number must not overflow")
    XCTAssertEqual(markers("reversed start=-9223372036854775808").count, 3)
    XCTAssertEqual(markers("type=a start=0", items: 1), ["0."])
  }

  func testTermsAndExplanations() {
    XCTAssertEqual(
      blocks("<dl><dt>a<dd>b<dd>c<dt>d<dd><p>e</p><p>f</p></dl>g"),
      [
        .paragraph([.init("a", style: .strong)]), .list([.init("", [text("b")]), .init("", [text("c")])]),
        .paragraph([.init("d", style: .strong)]), .list([.init("", [text("e"), text("f")])]), text("g"),
      ])
    XCTAssertEqual(blocks("<dd>a"), [.list([.init("", [text("a")])])])
  }

  func testPreformattedTextKeepsItsLines() {
    XCTAssertEqual(
      blocks("<pre><code>\nlet a = 1\n\n  if a &lt; 2 { <b>b</b> }\n</code></pre><p>c</p>"),
      [.code("let a = 1\n\n  if a < 2 { b }"), .paragraph([.init("c")])])
  }

  func testPictures() {
    XCTAssertEqual(
      blocks(
        "<p>a <img src='https://e.org/1.jpg' alt='One &amp; all' width=600 height='400px'> b</p><a href='https://e.org/'><img src='https://e.org/2.jpg' width='100%'></a>"
      ),
      [
        text("a"), .image(.init(url: "https://e.org/1.jpg", alt: "One & all", width: 600, height: 400)), text("b"),
        .image(.init(url: "https://e.org/2.jpg", link: "https://e.org/")),
      ])
    XCTAssertEqual(blocks("<img src='https://e.org/dot.gif' width=1 height=1>"), [])
    XCTAssertEqual(blocks("<img src='data:image/png;base64,AAAA' alt='x'>"), [text("x")])
    XCTAssertEqual(
      blocks("<img src='data:image/gif;base64,R0' data-src='https://e.org/late.jpg'>"), [.image(.init(url: "https://e.org/late.jpg"))])
    XCTAssertEqual(
      blocks("<picture><source srcset='https://e.org/a.webp'><img srcset='https://e.org/a.jpg 1x, https://e.org/b.jpg 2x'></picture>"),
      [.image(.init(url: "https://e.org/a.jpg"))])
    XCTAssertEqual(blocks("a<img class='emoji' alt='🎬' src='https://e.org/1f3ac.png'>b"), [text("a🎬b")])
    XCTAssertEqual(
      blocks("<img src='x.gif' data-src='https://e.org/a.jpg'><noscript><img src='https://e.org/a.jpg'></noscript>"),
      [.image(.init(url: "https://e.org/a.jpg"))])
  }

  func testCaptions() {
    let picture = "<img src='https://e.org/1.jpg'>"
    let captioned = ArticleBody.Block.image(.init(url: "https://e.org/1.jpg", caption: [.init("a "), .init("b", style: .strong)]))
    XCTAssertEqual(blocks("<figure>\(picture)<figcaption>a <b>b</b></figcaption></figure>c"), [captioned, text("c")])
    XCTAssertEqual(blocks("<figure><figcaption>a <b>b</b></figcaption>\(picture)</figure>c"), [captioned, text("c")])
    XCTAssertEqual(
      blocks("<figure><pre>x</pre><figcaption>a<p>b</p></figcaption></figure>"),
      [.code("x"), .paragraph([.init("a\n", style: .emphasis), .init("b", style: .emphasis)])])
    XCTAssertEqual(blocks("<figcaption>a</figcaption>"), [.paragraph([.init("a", style: .emphasis)])])
    XCTAssertEqual(
      blocks("<figure>\(picture)<img src='https://e.org/2.jpg'><figcaption>a</figure>"),
      [.image(.init(url: "https://e.org/1.jpg")), .image(.init(url: "https://e.org/2.jpg", caption: [.init("a")]))])
  }

  func testTables() {
    let html = """
      <table><caption>C</caption><thead><tr><th>a<td>b</thead><tbody><tr><td>c</td><td><a href='https://e.org/'>d</a></td></tr>
      <tr><th>e<td><p>f</p><ul><li>g</ul></table>
      """
    XCTAssertEqual(
      blocks(html),
      [
        .table(
          .init(
            caption: [.init("C")], columns: 2,
            rows: [
              [.init([text("a")], isHeader: true, column: 0), .init([text("b")], isHeader: true, column: 1)],
              [.init([text("c")], column: 0), .init([.paragraph([.init("d", link: "https://e.org/")])], column: 1)],
              [.init([text("e")], isHeader: true, column: 0), .init([text("f"), .list([.init("•", [text("g")])])], column: 1)],
            ]))
      ])
  }

  func testSpans() {
    /// Column, columns and rows of each cell.
    func places(_ html: String) -> [[[Int]]] {
      guard case .table(let table) = blocks("<table>\(html)</table>").first else { return [] }
      XCTAssertTrue(table.rows.joined().allSatisfy { $0.column + $0.columns <= table.columns })
      return table.rows.map { $0.map { [$0.column, $0.columns, $0.rows] } }
    }
    XCTAssertEqual(
      places("<tr><td rowspan=2>a<td colspan=2>b<tr><td>c<td>d<tr><td>e"),
      [[[0, 1, 2], [1, 2, 1]], [[1, 1, 1], [2, 1, 1]], [[0, 1, 1]]])
    XCTAssertEqual(places("<tr><td rowspan=9>a<td>b<tr><td>c"), [[[0, 1, 2], [1, 1, 1]], [[1, 1, 1]]], "rows end with the table")
    XCTAssertEqual(places("<tr><td rowspan=0>a<td>b<tr><td>c"), [[[0, 1, 2], [1, 1, 1]], [[1, 1, 1]]])
    XCTAssertEqual(
      places("<thead><tr><td rowspan=2>a<td>b</thead><tr><td>c<td>d"), [[[0, 1, 1], [1, 1, 1]], [[0, 1, 1], [1, 1, 1]]],
      "and with their group")
    XCTAssertEqual(
      places("<tr><td>a<td rowspan=2>b<td>c<tr><td colspan=3>d"), [[[0, 1, 1], [1, 1, 2], [2, 1, 1]], [[0, 1, 1]]],
      "no cell lies upon another")
    XCTAssertEqual(places("<tr><td colspan=99999999999>a<td>b<tr><td colspan=-1>c<td colspan=1000>d").last, [[0, 1, 1], [1, 63, 1]])
    let wide = "<tr>" + (0..<100).map { "<td>\($0)" }.joined() + "</tr>"
    XCTAssertEqual(places(wide + wide).map(\.count), [64, 64])
    XCTAssertTrue(ArticleBody(html: "<table>\(wide)\(wide)</table>").plainText.contains("99"), "no word is lost")
  }

  func testTablesForTheLayoutAreNone() {
    XCTAssertEqual(blocks("<table><tr><td>a<td><p>b</p></table>"), [text("a"), text("b")])
    XCTAssertEqual(blocks("<table><tr><td>a<tr><td>b</table>"), [text("a"), text("b")])
    XCTAssertEqual(blocks("<table></table><table><tr></tr></table>"), [])
    XCTAssertEqual(blocks("<table><caption>a</caption><tr><td>b</table>"), [text("b"), .paragraph([.init("a", style: .emphasis)])])
    XCTAssertEqual(
      blocks("<table><tr><td><table><tr><td>a<td>b<tr><td>c<td>d</table></table>").count, 1, "a table in a table for the layout")
    XCTAssertEqual(blocks("<td>a</td><td>b</td>"), [text("a"), text("b")])
  }

  func testFilmsAndRecordingsBecomeLinks() {
    XCTAssertEqual(
      blocks(
        "<video poster='https://e.org/p.jpg'><source src='https://e.org/f.mp4'><source src='https://e.org/f.webm'>You cannot see it</video>b"
      ),
      [.image(.init(url: "https://e.org/p.jpg")), link("Watch the video", "https://e.org/f.mp4"), text("b")])
    XCTAssertEqual(blocks("<audio src='https://e.org/a.mp3'></audio>"), [link("Listen to the recording", "https://e.org/a.mp3")])
  }

  func testOtherPagesInThePageBecomeLinks() {
    XCTAssertEqual(
      blocks("a<iframe src='https://player.vimeo.com/video/1'>no frames</iframe>b"),
      [text("a"), link("Watch the video", "https://player.vimeo.com/video/1"), text("b")])
    XCTAssertEqual(
      blocks("<iframe src='https://www.youtube-nocookie.com/embed/dQw4-_9?rel=0'></iframe>"),
      [link("Watch the video", "https://www.youtube.com/watch?v=dQw4-_9")], "the page for frames does not play by itself")
    XCTAssertEqual(
      blocks("<object data='https://e.org/a'><embed src='https://e.org/a'></object>"),
      [link("Open what is embedded here", "https://e.org/a")])
    XCTAssertEqual(blocks("<iframe src='javascript:alert(1)'></iframe><iframe></iframe><embed src='file:///etc/passwd'>a"), [text("a")])
  }

  func testPreformattedTextInOtherBlocks() {
    XCTAssertEqual(
      blocks("<pre>a<br>b\t<code>c</code><img src='https://e.org/1.jpg'> d</pre>"),
      [.code("a\nb\tc"), .image(.init(url: "https://e.org/1.jpg")), .code(" d")])
    XCTAssertEqual(blocks("<blockquote><pre>a</pre></blockquote>"), [.quote([.code("a")])])
    XCTAssertEqual(blocks("<p>a <code>b  c</code></p>"), [.paragraph([.init("a "), .init("b c", style: .code)])])
  }

  func testWhatIsNotShownIsDroppedWhole() {
    let html = """
      <p>a<script>alert("</p>")</script><style>p { color: red }</style></p><iframe src="about:blank">frame</iframe>
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
    XCTAssertEqual(
      ArticleBody(html: "<table><tr><th>a<th>b<tr><td>c<td>d</table><ol><li>e<ul><li>f</ul></ol><blockquote>g</blockquote>").plainText,
      "a · b\nc · d\n1. e\n• f\ng")
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
