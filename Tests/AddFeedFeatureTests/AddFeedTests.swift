import AddFeedFeature
import Foundation
import PublicationAPI
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

@MainActor @Suite struct AddFeedTests {
  private final class Outputs { var all: [AddFeedViewModel.Output] = [] }
  private let outputs = Outputs()
  private let recorder = Recorder<AddFeedViewModel.State.Phase>()
  private let reader = ReaderFixture()

  private func dialog(_ answers: [Import]) -> AddFeedViewModel {
    reader.publication.with { $0.imports = answers }
    let dialog = AddFeedViewModel(store: reader.store, formatting: reader.formatting) { [outputs] in outputs.all.append($0) }
    dialog.onChange = { [recorder] in recorder.record($0.phase) }
    return dialog
  }

  /// Lets the publication be asked again, as often as that.
  private func look(_ times: Int = 1) async {
    for _ in 0..<times {
      await reader.clock.waitForSleepers()
      reader.clock.advance(by: .milliseconds(500))
      await reader.settle()
    }
  }

  @Test func aFeedShowsHowFarItIsAndLeadsToItsClub() async {
    let dialog = dialog([
      Import(id: "i", step: .fetching), Import(id: "i", step: .reading, done: 1, total: 4, title: "A feed"),
      Import(id: "i", step: .storing, done: 3, total: 4, title: "A feed"), Import(id: "i", state: .done, clubs: ["c7"], title: "A feed"),
    ])
    dialog.urlChanged("example.org/feed")
    dialog.addTapped()
    dialog.addTapped()
    await reader.settle()
    await look(3)
    #expect(
      recorder.take() == [
        .asking, .adding(.init("Fetching…")), .adding(.init("Reading 1 of 4", fraction: 0.25, title: "A feed")),
        .adding(.init("Storing 3 of 4", fraction: 0.75, title: "A feed")),
      ])
    #expect(outputs.all == [.openFanClub("c7")])
    #expect(reader.publication.requests.filter { $0.hasPrefix("POST") } == ["POST /v1/imports"])
  }

  @Test func aListOfFeedsSaysHowManyClubsItMade() async {
    let dialog = dialog([Import(id: "i", state: .done, clubs: ["a", "b", "c"], title: "My feeds")])
    dialog.urlChanged("https://example.org/my.opml")
    dialog.addTapped()
    await reader.settle()
    #expect(dialog.state.phase == .added("3 fan clubs came from “My feeds”. Their posts are fetched when you ask for them."))
    #expect(dialog.state.openLabel == "Show the fan clubs")
    dialog.openTapped()
    #expect(outputs.all == [.openFanClubs])
  }

  @Test func aFailureIsOneSentenceAndTheAddressStays() async {
    let dialog = dialog([
      Import(id: "i", step: .reading),
      Import(id: "i", state: .failed, problem: "https://example.org/feed, line 3: the tag “item” is not closed."),
    ])
    dialog.urlChanged("https://example.org/feed")
    dialog.addTapped()
    await reader.settle()
    await look()
    #expect(dialog.state.phase == .asking)
    #expect(dialog.state.problem == "https://example.org/feed, line 3: the tag “item” is not closed.")
    #expect((dialog.state.url, dialog.state.canAdd) == ("https://example.org/feed", true))
    dialog.urlChanged("https://example.org/feeds")
    #expect(dialog.state.problem == nil)
    #expect(outputs.all.isEmpty)
  }

  @Test func cancelCancelsAtThePublication() async {
    let dialog = dialog([Import(id: "i", step: .storing, done: 1, total: 9)])
    dialog.urlChanged("example.org/feed")
    dialog.addTapped()
    await reader.settle()
    dialog.cancelTapped()
    #expect(dialog.state.phase == .adding(.init("Storing 1 of 9", fraction: 1.0 / 9, isCancelling: true)))
    dialog.cancelTapped()
    await reader.settle()
    #expect(dialog.state.phase == .asking)
    #expect(dialog.state.problem == nil)
    #expect(reader.publication.requests.filter { $0.hasPrefix("DELETE") } == ["DELETE /v1/imports/i"])
  }

  @Test func cancelBeforeThePublicationHasAnsweredCancelsToo() async {
    let dialog = dialog([Import(id: "i")])
    reader.publication.with { $0.holds = ["POST"] }
    dialog.urlChanged("example.org/feed")
    dialog.addTapped()
    await reader.waitForHeld()
    dialog.cancelTapped()
    reader.publication.release()
    await reader.settle()
    #expect(dialog.state.phase == .asking)
    #expect(reader.publication.requests.filter { $0.hasPrefix("DELETE") } == ["DELETE /v1/imports/i"])
  }

  @Test func closingTheDialogCancels() async {
    let dialog = dialog([Import(id: "i")])
    dialog.urlChanged("example.org/feed")
    dialog.addTapped()
    await reader.settle()
    dialog.closeTapped()
    dialog.closed()
    await reader.settle()
    #expect(outputs.all == [.close])
    #expect(reader.publication.requests.contains("DELETE /v1/imports/i"))
  }

  @Test func aConnectionThatComesAndGoesDoesNotEndIt() async {
    let dialog = dialog([Import(id: "i"), Import(id: "i", state: .done, clubs: ["c7"])])
    dialog.urlChanged("example.org/feed")
    dialog.addTapped()
    await reader.settle()
    reader.publication.with { $0.isOffline = true }
    await look(2)
    #expect(dialog.state.phase == .adding(.init("Fetching…")))
    reader.publication.with { $0.isOffline = false }
    await look()
    #expect(outputs.all == [.openFanClub("c7")])
  }

  @Test func whereNobodyCanBeReachedNothingIsAdded() async {
    let dialog = dialog([])
    reader.publication.with { $0.isOffline = true }
    dialog.urlChanged("example.org/feed")
    dialog.addTapped()
    await reader.settle()
    #expect(dialog.state.phase == .asking)
    #expect(dialog.state.problem == "The publication cannot be reached. Check your connection and try again.")
  }

  // MARK: - Files

  private func file(_ text: String) throws -> String {
    let path = NSTemporaryDirectory() + "add-feed-\(UUID().uuidString).xml"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test func aFilesBytesAreSentUnderItsName() async throws {
    let path = try file("<rss/>")
    defer { try? FileManager.default.removeItem(atPath: path) }
    let dialog = dialog([Import(id: "i", state: .done, clubs: ["c7"])])
    dialog.fileChosen(path)
    #expect(dialog.state.canAdd)
    dialog.addTapped()
    await reader.settle()
    #expect(outputs.all == [.openFanClub("c7")])
    let name = URL(fileURLWithPath: path).lastPathComponent
    #expect(reader.publication.requests == ["POST /v1/imports?name=\(name)"])
  }

  @Test func aFileThatCannotBeReadIsNamed() async {
    let dialog = dialog([])
    dialog.fileChosen("/nowhere/feed.xml")
    dialog.addTapped()
    await reader.settle()
    #expect(dialog.state.phase == .asking)
    #expect(dialog.state.problem?.hasPrefix("“feed.xml” cannot be read: ") == true)
    #expect(reader.publication.requests.isEmpty)
  }

  @Test func aFileThatIsTooLargeSaysHowLargeAndWhereItWouldBeCut() async throws {
    let path = try file("<rss/>")
    defer { try? FileManager.default.removeItem(atPath: path) }
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.truncate(atOffset: 200_000_000)
    try handle.close()
    let dialog = dialog([])
    dialog.fileChosen(path)
    dialog.addTapped()
    await reader.settle()
    #expect(dialog.state.phase == .asking)
    let name = URL(fileURLWithPath: path).lastPathComponent
    #expect(dialog.state.problem == "\(name), byte 50000000: The document has 200.0 MB, and more than 50.0 MB are not read.")
    #expect(reader.publication.requests.isEmpty)
  }
}
