import AddFeedFeature
import TestSupport
import Testing

@MainActor @Suite struct AddFeedEntryTests {
  private func dialog() -> AddFeedViewModel {
    let reader = ReaderFixture()
    return AddFeedViewModel(store: reader.store, formatting: reader.formatting) { _ in }
  }

  @Test(arguments: [
    ("https://example.org/feed.xml", true), (" example.org/feed ", true), ("feed://example.org/a", true),
    ("feed:https://example.org", true),
    ("", false), ("   ", false), ("ftp://example.org/a", false), ("https://", false), ("matinee://posts/1", false),
  ])
  func onlyAnAddressCanBeAdded(_ url: String, _ canAdd: Bool) {
    let dialog = dialog()
    dialog.urlChanged(url)
    #expect(dialog.state.canAdd == canAdd)
  }

  @Test func anAddressTakesThePlaceOfAFileAndTheOtherWayRound() {
    let dialog = dialog()
    dialog.urlChanged("example.org")
    dialog.fileChosen("/home/me/all.opml")
    #expect((dialog.state.url, dialog.state.file, dialog.state.canAdd) == ("", "all.opml", true))
    dialog.urlChanged("e")
    #expect((dialog.state.url, dialog.state.file) == ("e", nil))
  }
}
