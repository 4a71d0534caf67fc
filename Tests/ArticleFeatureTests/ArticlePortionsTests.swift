import FeedFormats
import Testing

@testable import ArticleFeature

/// A text of any length, as blocks that a window can lay out one after the other.
@Suite struct ArticlePortionsTests {
  private typealias Inline = ArticleBody.Inline

  private func text(_ blocks: [ArticleBody.Block]) -> String {
    blocks.map { block in
      switch block {
      case .paragraph(let inlines), .heading(_, let inlines): inlines.map(\.text).joined()
      case .list(let items): items.map { text($0.blocks) }.joined()
      case .quote(let blocks): text(blocks)
      case .code(let code): code
      case .table(let table): table.rows.flatMap { $0.map { text($0.blocks) } }.joined()
      case .image, .rule: ""
      }
    }.joined()
  }

  @Test func aUsualTextStaysAsItIs() {
    let html = """
      <h2>One</h2><p>Two <b>three</b></p><ul><li>Four</ul><blockquote>Five</blockquote><pre>six</pre><hr>
      <table><tr><th>7<th>8<tr><td>9<td>10</table><img src='https://e.org/a.png'>
      """
    let blocks = ArticleBody(html: html).blocks
    #expect(ArticlePortions.of(blocks) == blocks)
  }

  @Test func aLongParagraphBecomesSeveralBetweenWords() {
    let words = String(repeating: "seven ", count: 10_000)
    let link = Inline(words, link: "https://e.org", ids: ["here"])
    let blocks = ArticlePortions.of([.paragraph([Inline("First. ", style: .strong), link, Inline("Last.")])])
    #expect(text(blocks) == "First. \(words)Last.")
    #expect(blocks.count == 8)
    var ids: [String] = []
    for case .paragraph(let inlines) in blocks {
      #expect(inlines.reduce(0) { $0 + $1.text.count } <= ArticlePortions.longestParagraph)
      ids += inlines.flatMap(\.ids)
      for inline in inlines where inline.text.contains("seven") { #expect(inline.link == link.link) }
      #expect(inlines.last?.text.last == " " || inlines.last?.text == "Last.")
    }
    #expect(ids == ["here"], "a link leads to its beginning")
  }

  @Test func aWordWithoutAnEndIsCutSomewhere() {
    let word = String(repeating: "x", count: 3 * ArticlePortions.longestParagraph + 1)
    let blocks = ArticlePortions.of([.paragraph([Inline(word)])])
    #expect(blocks.count == 4)
    #expect(text(blocks) == word)
  }

  @Test func aLongListBecomesSeveral() {
    let items = (1...250).map { ArticleBody.ListItem("\($0).", [.paragraph([Inline("Item \($0)")])]) }
    let blocks = ArticlePortions.of([.list(items)])
    let lists = blocks.compactMap { if case .list(let items) = $0 { items } else { nil } }
    #expect(lists.map(\.count) == [100, 100, 50])
    #expect(lists.flatMap(\.self) == items)
  }

  @Test func whatIsLongerThanAnyBookEndsWithAWord() {
    let paragraph = ArticleBody.Block.paragraph([Inline(String(repeating: "word ", count: 1_000))])
    let blocks = ArticlePortions.of(Array(repeating: paragraph, count: 1_000))
    #expect(blocks.last == .paragraph([Inline(ArticlePortions.rest, style: .emphasis)]))
    #expect(text(blocks.dropLast()).count == ArticlePortions.longest)
    // Also where all of it is in one.
    for html in ["<p>\(String(repeating: "&amp;", count: 2_000_000))</p>", "<pre>\(String(repeating: "x\n", count: 1_000_000))</pre>"] {
      let blocks = ArticlePortions.of(ArticleBody(html: html).blocks)
      #expect(blocks.last == .paragraph([Inline(ArticlePortions.rest, style: .emphasis)]))
      #expect(text(blocks.dropLast()).unicodeScalars.count == ArticlePortions.longest)
    }
  }
}
