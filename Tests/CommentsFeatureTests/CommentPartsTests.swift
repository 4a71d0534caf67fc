import PublicationAPI
import TestSupport
import Testing

@testable import CommentsFeature

@MainActor @Suite struct CommentPartsTests {
  private func row(_ text: String) -> CommentRow {
    CommentRow(id: "c", author: "Ada", text: text, date: "", isMine: false, isWaiting: false)
  }

  @Test(arguments: [
    ("See https://example.org/a?b=1&c#d.", ["https://example.org/a?b=1&c#d"]), ("http://example.org", ["http://example.org"]),
    ("(https://example.org/a_(film)), HTTPS://EXAMPLE.ORG!", ["https://example.org/a_(film)", "HTTPS://EXAMPLE.ORG"]),
    ("\u{1F3AC}https://example.org/ö\nhttps://example.org/2", ["https://example.org/ö", "https://example.org/2"]),
    ("ftp://example.org javascript:alert(1) file:///etc mailto:a@example.org www.example.org https:// xhttps://example.org", []),
    ("<a href=\"https://example.org\">here</a>", ["https://example.org"]), ("", []),
  ]) func addressesOnTheWebAreLinks(text: String, links: [String]) {
    let parts = row(text).parts
    #expect(parts.filter(\.isLink).map(\.text) == links)
    #expect(parts.map(\.text).joined() == text)
  }

  @Test func onlyTheWebIsOpened() {
    var opened: [CommentsViewModel.Output] = []
    let reader = ReaderFixture()
    let page = CommentsViewModel("p1", store: reader.store, formatting: reader.formatting) { opened.append($0) }
    for address in ["https://example.org", "HTTP://example.org", "file:///etc/passwd", "javascript:alert(1)", "mailto:a@example.org", ""] {
      page.send(.linkTapped(address))
    }
    #expect(opened == [.openWeb("https://example.org"), .openWeb("HTTP://example.org")])
  }
}
