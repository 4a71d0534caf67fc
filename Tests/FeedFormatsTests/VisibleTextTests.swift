import Foundation
import Testing

@testable import FeedFormats

/// What is left of a text that is shown beside others.
@Suite struct VisibleTextTests {
  @Test(arguments: [
    ("plain", "plain"), ("", ""), (" \t\n", ""), ("a\u{0}b\u{7}c\u{1B}\u{7F}", "abc"), ("a\u{85}b\u{9B}c", "a\u{85}bc"),
    ("\u{202E}abc", "abc"), ("a\u{202A}\u{202B}\u{202C}\u{202D}b\u{2066}\u{2067}\u{2068}\u{2069}c", "abc"), ("\u{200B}\u{FEFF}", ""),
    ("\u{3164}\u{2800}\u{AD}", ""), ("\u{200F}ש\u{200E}", "\u{200F}ש\u{200E}"), ("👩\u{200D}👧", "👩\u{200D}👧"),
    ("🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}", "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}"),
    ("é\u{301}", "é\u{301}"), ("a\nb\tc", "a\nb\tc"), ("\u{E000}a\u{E001}b", "ab"), ("\u{E000}", ""), ("\u{F8FF}", "\u{F8FF}"),
  ])
  func visibleText(text: String, visible: String) { #expect(text.visibleText == visible) }

  /// An item without words is called by its address.
  @Test func anAddressForATitleTurnsNothingAround() throws {
    let feed = try read(rss("<item><link>https://example.org/&#x202E;gpj.exe</link></item><item><link>https://example.org/a</link></item>"))
    #expect(feed.items.map(\.displayTitle) == ["Untitled", "https://example.org/a"])
  }

  @Test func titlesAndNamesOfFeeds() throws {
    let text = """
      <rss version="2.0"><channel><title>The&#x202E; Reel</title><item><title>&#x200B;&#x2066;</title><description>One &#x202E;two</description>
      </item><item><title>&#x202D; Seen &#x202C; once</title><author>&#x2067;Ada</author></item></channel></rss>
      """
    let feed = try read(text)
    #expect(feed.title == "The Reel")
    #expect(feed.items.map(\.displayTitle) == ["One two", "Seen once"])
    #expect(feed.items.map(\.byline) == ["", "Ada"])
  }
}
