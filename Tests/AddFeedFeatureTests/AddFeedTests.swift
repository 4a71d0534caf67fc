import AddFeedFeature
import Foundation
import PublicationAPI
import TestSupport
import Testing

@MainActor @Suite struct AddFeedEntryTests {
  private func dialog() -> AddFeedViewModel {
    let reader = ReaderFixture()
    return AddFeedViewModel(store: reader.store, formatting: reader.formatting, documents: .onDisk) { _ in }
  }

  @Test(arguments: [
    "https://example.org/feed.xml", " example.org/feed ", "feed://example.org/a", "feed:https://example.org", "127.0.0.1:8077/x",
  ])
  func anAddressIsAdded(_ url: String) {
    let dialog = dialog()
    dialog.send(.urlChanged(url))
    #expect(dialog.state.canAdd)
    dialog.send(.addTapped)
    #expect((dialog.state.phase, dialog.state.problem) == (.adding(.init("Fetching…")), nil))
  }

  @Test(arguments: ["", "   "]) func nothingCannotBeAdded(_ url: String) {
    let dialog = dialog()
    dialog.send(.urlChanged(url))
    #expect(!dialog.state.canAdd)
    dialog.send(.addTapped)
    #expect(dialog.state == .init(url: url))
  }

  @Test(arguments: [
    ("ftp://example.org/a", "“ftp://” addresses are not fetched"), ("matinee://posts/1", "“matinee://” addresses are not fetched"),
    ("file://elsewhere/a.xml", "“file://” addresses are not fetched"),
    ("https://", "“https://” is no address"), ("all my feeds", "“all my feeds” is no address"),
    ("mailto:a@b.example", "“mailto:a@b.example” is no address"),
    ("reader@example.org", "“reader@example.org” is no address"),
  ])
  func whatIsNeitherAnAddressNorAFileIsExplained(_ url: String, _ beginning: String) async {
    let reader = ReaderFixture()
    let dialog = AddFeedViewModel(store: reader.store, formatting: reader.formatting, documents: .onDisk) { _ in }
    dialog.send(.urlChanged(url))
    #expect(dialog.state.canAdd)
    dialog.send(.addTapped)
    await reader.settle()
    #expect((dialog.state.phase, dialog.state.url) == (.asking, url))
    #expect(dialog.state.problem?.hasPrefix(beginning) == true)
    #expect(dialog.state.problem?.contains("https://example.org") == true, "what would be one")
    #expect(reader.publication.requests == [])
    dialog.send(.urlChanged(url + "x"))
    #expect(dialog.state.problem == nil)
  }

  @Test func anAddressTakesThePlaceOfAFileAndTheOtherWayRound() {
    let dialog = dialog()
    dialog.send(.urlChanged("example.org"))
    dialog.send(.fileChosen("/home/me/all.opml"))
    #expect((dialog.state.url, dialog.state.file, dialog.state.canAdd) == ("", "all.opml", true))
    dialog.send(.urlChanged("e"))
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
    let dialog = AddFeedViewModel(store: reader.store, formatting: reader.formatting, documents: .onDisk) { [outputs] in
      outputs.all.append($0)
    }
    dialog.observe { [recorder] in recorder.record($0.phase) }
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
    dialog.send(.urlChanged("example.org/feed"))
    dialog.send(.addTapped)
    dialog.send(.addTapped)
    await reader.settle()
    await look(3)
    #expect(
      recorder.take() == [
        .asking, .adding(.init("Fetching…")), .adding(.init("Reading 1 of 4", fraction: 0.25, title: "A feed")),
        .adding(.init("Storing 3 of 4", fraction: 0.75, title: "A feed")),
      ])
    #expect(outputs.all == [.openFanClub("c7")])
    #expect(reader.publication.requests.count { $0.hasPrefix("PUT /v1/imports/") } == 1)
  }

  @Test func aListOfFeedsSaysHowManyClubsItMade() async {
    let dialog = dialog([Import(id: "i", state: .done, clubs: ["a", "b", "c"], title: "My feeds")])
    dialog.send(.urlChanged("https://example.org/my.opml"))
    dialog.send(.addTapped)
    await reader.settle()
    #expect(dialog.state.phase == .added("“My feeds” names 3 feeds, which are fan clubs now. Their posts are fetched when you ask."))
    #expect(dialog.state.openLabel == "Show the fan clubs")
    dialog.send(.openTapped)
    #expect(outputs.all == [.openFanClubs])
  }

  /// - Parameter written: how the path of the file is typed, which is in the reader's own folder.
  @Test(arguments: ["PATH", " PATH ", "file://PATH", "file:PATH", "file://localhost/PATH", "~/NAME"])
  func thePathOfAFileIsTheFile(written: String) async throws {
    let name = "matinee \(UUID().uuidString).xml"
    let folder = written.hasPrefix("~") ? FileManager.default.homeDirectoryForCurrentUser : FileManager.default.temporaryDirectory
    let file = folder.appending(path: name)
    try Data("<rss/>".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let dialog = dialog([Import(id: "i", state: .done, clubs: ["c7"])])
    let path = written.hasPrefix("file:") ? file.path.replacing(" ", with: "%20") : file.path
    dialog.send(.urlChanged(written.replacing("PATH", with: path).replacing("NAME", with: name)))
    dialog.send(.addTapped)
    #expect(dialog.state.phase == .adding(.init("Opening the file…")))
    while outputs.all.isEmpty { await reader.settle() }
    #expect(outputs.all == [.openFanClub("c7")])
    let query = try #require(reader.publication.requests.first?.split(separator: "?").last)
    #expect(query.hasPrefix("name=matinee") && query.hasSuffix(".xml"))
  }

  @Test func aFileThatIsNotThereIsNamedAndItsPathStays() async {
    let dialog = dialog([])
    dialog.send(.urlChanged("/nowhere/feeds.opml"))
    dialog.send(.addTapped)
    while dialog.state.problem == nil { await reader.settle() }
    #expect(dialog.state.problem?.hasPrefix("“feeds.opml” cannot be read: ") == true)
    #expect((dialog.state.phase, dialog.state.url) == (.asking, "/nowhere/feeds.opml"))
  }

  @Test func aFailureIsOneSentenceAndTheAddressStays() async {
    let dialog = dialog([
      Import(id: "i", step: .reading),
      Import(id: "i", state: .failed, problem: "https://example.org/feed, line 3: the tag “item” is not closed."),
    ])
    dialog.send(.urlChanged("https://example.org/feed"))
    dialog.send(.addTapped)
    await reader.settle()
    await look()
    #expect(dialog.state.phase == .asking)
    #expect(dialog.state.problem == "https://example.org/feed, line 3: the tag “item” is not closed.")
    #expect((dialog.state.url, dialog.state.canAdd) == ("https://example.org/feed", true))
    dialog.send(.urlChanged("https://example.org/feeds"))
    #expect(dialog.state.problem == nil)
    #expect(outputs.all.isEmpty)
  }

  @Test func ofSeveralFeedsOfAPageTheReaderChooses() async {
    let choices = [Import.Choice(url: "https://example.org/a", title: "Articles"), Import.Choice(url: "https://example.org/b")]
    let dialog = dialog([
      Import(id: "i", state: .failed, problem: "https://example.org: several.", choices: choices),
      Import(id: "j", state: .done, clubs: ["c7"]),
    ])
    dialog.send(.urlChanged("example.org"))
    dialog.send(.addTapped)
    await reader.settle()
    #expect(dialog.state.question == .init("This page names 2 feeds. Which one do you want?", choices))
    #expect((dialog.state.phase, dialog.state.problem) == (.asking, nil))
    dialog.send(.choiceTapped("https://elsewhere.example"))
    #expect(dialog.state.phase == .asking)
    dialog.send(.choiceTapped("https://example.org/b"))
    #expect((dialog.state.url, dialog.state.question, dialog.state.phase) == ("https://example.org/b", nil, .adding(.init("Fetching…"))))
    await reader.settle()
    #expect(outputs.all == [.openFanClub("c7")])
  }

  @Test func aQuestionIsGoneWithItsAddress() async {
    let choices = [Import.Choice(url: "https://example.org/a"), Import.Choice(url: "https://example.org/b")]
    let dialog = dialog([Import(id: "i", state: .failed, problem: "Several.", choices: choices)])
    dialog.send(.urlChanged("example.org"))
    dialog.send(.addTapped)
    await reader.settle()
    dialog.send(.urlChanged("example.or"))
    #expect(dialog.state.question == nil)
    dialog.send(.choiceTapped("https://example.org/a"))
    #expect(dialog.state.phase == .asking)
  }

  // MARK: - Fetching all

  /// A list of feeds that made these clubs, and what becomes of the questions after that.
  private func list(_ clubs: [FanClub.ID], _ answers: [Import]) async -> AddFeedViewModel {
    let dialog = dialog([Import(id: "list", state: .done, clubs: clubs, title: "My feeds")] + answers)
    dialog.send(.urlChanged("https://example.org/my.opml"))
    dialog.send(.addTapped)
    await reader.settle()
    #expect(dialog.state.fetchLabel == "Fetch all")
    _ = recorder.take()
    reader.publication.forgetRequests()
    return dialog
  }

  @Test func theirPostsAreFetchedTwoAtATime() async {
    reader.publication.with { $0.holds = ["POST /v1/fanclubs"] }
    let dialog = await list(["a", "b", "c"], [Import(id: "i", state: .done, title: "Some club")])
    dialog.send(.fetchTapped)
    dialog.send(.fetchTapped)
    await reader.waitForSuspended(2)
    #expect(Set(reader.publication.requests) == ["POST /v1/fanclubs/a/refresh", "POST /v1/fanclubs/b/refresh"])
    #expect(recorder.take() == [.fetching(.init("Fetching 1 of 3", fraction: 0))])
    reader.publication.release()
    await reader.settle()
    #expect(reader.publication.requests.last == "POST /v1/fanclubs/c/refresh")
    #expect(dialog.state.phase == .added("The posts of the 3 fan clubs are there."))
    #expect((dialog.state.fetchLabel, dialog.state.openLabel, dialog.state.failures) == (nil, "Show the fan clubs", []))
  }

  @Test func howFarTheyAreIsAskedForUntilTheyAreThere() async {
    let done = Import(id: "j", state: .done, title: "A club")
    let dialog = await list(["a", "b"], [Import(id: "i", title: "A club"), done, Import(id: "i", title: "A club"), done])
    dialog.send(.fetchTapped)
    await reader.settle()
    #expect(dialog.state.phase == .fetching(.init("Fetching 2 of 2", fraction: 0.5, title: "A club")))
    await look()
    // A connection that comes and goes ends nothing.
    reader.publication.with { $0.isOffline = true }
    await look()
    reader.publication.with { $0.isOffline = false }
    await look()
    #expect(dialog.state.phase == .added("The posts of the 2 fan clubs are there."))
  }

  @Test func aNameStaysUntilThereIsAnother() async {
    let dialog = await list(["a", "b", "c"], [Import(id: "i", state: .done, title: "A club"), Import(id: "j", title: "")])
    dialog.send(.fetchTapped)
    await reader.settle()
    #expect(dialog.state.phase == .fetching(.init("Fetching 2 of 3", fraction: 1.0 / 3, title: "A club")))
    dialog.send(.cancelTapped)
  }

  @Test func whatFailedIsListedAndCanBeTriedAgain() async {
    let dialog = await list(
      ["a", "b"],
      [
        Import(id: "i", state: .done, title: "A club"),
        Import(id: "j", state: .failed, title: "B club", problem: "https://b.example/feed: gone."), Import(id: "k", state: .done),
      ])
    dialog.send(.fetchTapped)
    await reader.settle()
    #expect(dialog.state.phase == .added("The posts of 1 of 2 fan clubs are there."))
    #expect(dialog.state.failures == [.init("B club", "https://b.example/feed: gone.")])
    #expect(dialog.state.fetchLabel == "Fetch the rest")
    reader.publication.forgetRequests()
    dialog.send(.fetchTapped)
    #expect(dialog.state.failures.isEmpty)
    await reader.settle()
    #expect(reader.publication.requests.count == 1)
    #expect(dialog.state.phase == .added("The posts of the 2 fan clubs are there."))
    #expect(dialog.state.fetchLabel == nil)
  }

  /// However they ended.
  @Test func whatFailedIsListedByName() async {
    let names = ["Feed 10", "feed 3", "Feed 2", "Écarts", "Feed 1"]
    let failed = names.enumerated().map { Import(id: "i\($0)", state: .failed, title: $1, problem: "\($1) is gone.") }
    let dialog = await list(["a", "b", "c", "d", "e"], failed)
    dialog.send(.fetchTapped)
    await reader.settle()
    #expect(dialog.state.failures.map(\.name) == ["Écarts", "Feed 1", "Feed 2", "feed 3", "Feed 10"])
    #expect(dialog.state.failures.map(\.problem) == dialog.state.failures.map { "\($0.name) is gone." })
  }

  @Test func cancellingLeavesTheRestForLater() async {
    let dialog = await list(["a", "b", "c"], [Import(id: "i", title: "Slow")])
    dialog.send(.fetchTapped)
    await reader.settle()
    dialog.send(.cancelTapped)
    #expect(dialog.state.phase == .added("None of the 3 fan clubs has its posts yet."))
    #expect(dialog.state.fetchLabel == "Fetch the rest")
    await reader.settle()
    #expect(reader.publication.requests.filter { $0.hasPrefix("DELETE") } == ["DELETE /v1/imports/i", "DELETE /v1/imports/i"])
    #expect(!reader.publication.requests.contains("POST /v1/fanclubs/c/refresh"))
    #expect(dialog.state.failures.isEmpty)
  }

  @Test func closingTheDialogCancelsTheRest() async {
    let dialog = await list(["a", "b", "c"], [Import(id: "i", title: "Slow")])
    dialog.send(.fetchTapped)
    await reader.settle()
    dialog.closed()
    await reader.settle()
    #expect(reader.publication.requests.contains("DELETE /v1/imports/i"))
    #expect(!reader.publication.requests.contains("POST /v1/fanclubs/c/refresh"))
  }

  @Test func withoutANetworkItEndsWithOneSentence() async {
    let dialog = await list(["a", "b", "c"], [])
    reader.publication.with { $0.isOffline = true }
    dialog.send(.fetchTapped)
    await reader.settle()
    #expect(dialog.state.phase == .added("None of the 3 fan clubs has its posts yet."))
    #expect(dialog.state.problem == "The publication cannot be reached. Check your connection and try again.")
    #expect(dialog.state.failures.isEmpty)
    #expect(dialog.state.fetchLabel == "Fetch the rest")
  }

  @Test func cancelCancelsAtThePublication() async {
    let dialog = dialog([Import(id: "i", step: .storing, done: 1, total: 9)])
    dialog.send(.urlChanged("example.org/feed"))
    dialog.send(.addTapped)
    await reader.settle()
    dialog.send(.cancelTapped)
    #expect(dialog.state.phase == .adding(.init("Storing 1 of 9", fraction: 1.0 / 9, isCancelling: true)))
    dialog.send(.cancelTapped)
    await reader.settle()
    #expect(dialog.state.phase == .asking)
    #expect(dialog.state.problem == nil)
    #expect(reader.publication.requests.filter { $0.hasPrefix("DELETE") } == ["DELETE /v1/imports/i"])
  }

  @Test func whatIsToldAfterACancelIsNoProgressAndNoFailure() async {
    let dialog = dialog([Import(id: "i", step: .storing, done: 1, total: 9)])
    dialog.send(.urlChanged("example.org/feed"))
    dialog.send(.addTapped)
    await reader.settle()
    reader.publication.with { $0.holds = ["DELETE"] }
    dialog.send(.cancelTapped)
    await reader.waitForSuspended()
    let choice = Import.Choice(url: "https://example.org/a", title: "A")
    reader.publication.with {
      $0.imports = [
        Import(id: "i", step: .storing, done: 2, total: 9), Import(id: "i", state: .failed, problem: "It broke.", choices: [choice]),
      ]
    }
    // What is held is not waited for.
    for expected in [AddFeedViewModel.State.Phase.adding(.init("Cancelling…", fraction: 2.0 / 9, isCancelling: true)), .asking] {
      await reader.clock.waitForSleepers()
      reader.clock.advance(by: .milliseconds(500))
      await reader.waitForSuspended()
      #expect(dialog.state.phase == expected)
    }
    #expect(dialog.state.problem == nil)
    #expect(dialog.state.question == nil)
    reader.publication.release()
    await reader.settle()
  }

  /// As while a large file is on its way: nobody waits for the rest of it.
  @Test(arguments: [true, false]) func cancelBeforeThePublicationHasAnsweredCancelsAtOnce(hasArrived: Bool) async {
    let dialog = dialog([Import(id: "i")])
    reader.publication.with { $0.holds = ["PUT"] }
    dialog.send(.urlChanged("example.org/feed"))
    dialog.send(.addTapped)
    await reader.waitForSuspended()
    if !hasArrived { reader.publication.with { $0.imports = [] } }
    dialog.send(.cancelTapped)
    await reader.waitForSuspended()
    #expect(dialog.state.phase == .asking)
    #expect(dialog.state.problem == nil)
    let requested = reader.publication.requests
    #expect(requested == ["PUT", "DELETE"].map { "\($0) /v1/imports/\(requested[0].split(separator: "/").last ?? "")" })
    // What comes of it afterwards is nothing to the dialog.
    reader.publication.release()
    await reader.settle()
    #expect(dialog.state.phase == .asking)
    #expect(reader.publication.requests == requested)
    #expect(outputs.all.isEmpty)
  }

  @Test func aCancelThatReachesNobodySaysSo() async {
    let dialog = dialog([Import(id: "i")])
    reader.publication.with { $0.holds = ["PUT"] }
    dialog.send(.urlChanged("example.org/feed"))
    dialog.send(.addTapped)
    await reader.waitForSuspended()
    reader.publication.with { $0.isOffline = true }
    dialog.send(.cancelTapped)
    reader.publication.release()
    await reader.settle()
    #expect(dialog.state.phase == .asking)
    #expect(dialog.state.problem == "It could not be cancelled, because the publication cannot be reached.")
  }

  @Test func closingTheDialogCancels() async {
    let dialog = dialog([Import(id: "i")])
    dialog.send(.urlChanged("example.org/feed"))
    dialog.send(.addTapped)
    await reader.settle()
    dialog.send(.closeTapped)
    dialog.closed()
    await reader.settle()
    #expect(outputs.all == [.close])
    #expect(reader.publication.requests.contains("DELETE /v1/imports/i"))
  }

  @Test func aConnectionThatComesAndGoesDoesNotEndIt() async {
    let dialog = dialog([Import(id: "i"), Import(id: "i", state: .done, clubs: ["c7"])])
    dialog.send(.urlChanged("example.org/feed"))
    dialog.send(.addTapped)
    await reader.settle()
    reader.publication.with { $0.isOffline = true }
    await look(2)
    #expect(dialog.state.phase == .adding(.init("Fetching…")))
    reader.publication.with { $0.isOffline = false }
    await look()
    #expect(outputs.all == [.openFanClub("c7")])
  }

  @Test func whatAStartOfThePublicationEndedCanBeTriedAgain() async {
    let dialog = dialog([Import(id: "i"), Import(id: "j", state: .done, clubs: ["c7"])])
    dialog.send(.urlChanged("example.org/feed"))
    dialog.send(.addTapped)
    await reader.settle()
    reader.publication.with { $0.refusals["GET /v1/imports/"] = Problem(code: .notFound, title: "There is no such import.", status: 404) }
    await look()
    #expect(dialog.state.phase == .asking)
    #expect(dialog.state.problem == "The publication was started again meanwhile, and has not finished this. Try again.")
    #expect(dialog.state.url == "example.org/feed")
    reader.publication.with { $0.refusals = [:] }
    dialog.send(.addTapped)
    await reader.settle()
    #expect(outputs.all == [.openFanClub("c7")])
  }

  @Test func whereNobodyCanBeReachedNothingIsAdded() async {
    let dialog = dialog([])
    reader.publication.with { $0.isOffline = true }
    dialog.send(.urlChanged("example.org/feed"))
    dialog.send(.addTapped)
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
    dialog.send(.fileChosen(path))
    #expect(dialog.state.canAdd)
    dialog.send(.addTapped)
    await reader.settle()
    #expect(outputs.all == [.openFanClub("c7")])
    let name = URL(fileURLWithPath: path).lastPathComponent
    #expect(reader.publication.requests.count == 1)
    #expect(reader.publication.requests.first?.wholeMatch(of: /PUT \/v1\/imports\/[0-9A-F-]{36}\?name=(.+)/)?.1 == name[...])
  }

  @Test func aFolderIsNoFeed() async {
    let dialog = dialog([])
    dialog.send(.urlChanged("/usr/share/"))
    dialog.send(.addTapped)
    while dialog.state.problem == nil { await reader.settle() }
    #expect(dialog.state.problem == "“share” is a folder, and no feed or list of feeds.")
  }

  @Test func aFileThatCannotBeReadIsNamed() async {
    let dialog = dialog([])
    dialog.send(.fileChosen("/nowhere/feed.xml"))
    dialog.send(.addTapped)
    await reader.settle()
    #expect(dialog.state.phase == .asking)
    #expect(dialog.state.problem == "“feed.xml” cannot be read: No such file or directory.")
    #expect(reader.publication.requests.isEmpty)
  }

  @Test func aFileThatIsTooLargeSaysHowLargeAndWhereItWouldBeCut() async throws {
    let path = try file("<rss/>")
    defer { try? FileManager.default.removeItem(atPath: path) }
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.truncate(atOffset: 200_000_000)
    try handle.close()
    let dialog = dialog([])
    dialog.send(.fileChosen(path))
    dialog.send(.addTapped)
    await reader.settle()
    #expect(dialog.state.phase == .asking)
    let name = URL(fileURLWithPath: path).lastPathComponent
    #expect(dialog.state.problem == "\(name), byte 50000000: the document has 200.0 MB, and more than 50.0 MB are not read.")
    #expect(reader.publication.requests.isEmpty)
  }
}
