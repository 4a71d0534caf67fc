import AccountFeature
import Foundation
import PublicationAPI
import ReaderContent
import TestSupport
import Testing

@MainActor @Suite struct NotificationsViewModelTests {
  private let recorder = Recorder<NotificationsViewModel.State>()

  @Test func aReadersScript() async {
    let reader = ReaderFixture(clubs: [
      FanClub(id: "b", name: "Beta", followed: true), FanClub(id: "a", name: "Alpha", followed: true), FanClub(id: "c", name: "Gamma"),
    ])
    var stored: [NotificationSettings] = []
    let preferences = NotificationPreferences { stored.append($0) }
    let page = NotificationsViewModel(preferences, store: reader.store)
    page.observe { [recorder] in recorder.record($0) }
    #expect(page.state.clubsSentence == "Looking up the fan clubs that you follow…")
    page.appear()
    await reader.settle()
    #expect(page.state.clubs == [.init(id: "a", name: "Alpha", isOn: true), .init(id: "b", name: "Beta", isOn: true)])
    #expect(page.state.clubsSentence == nil)
    page.send(.quietHoursTapped)
    page.send(.quietFromChanged(23 * 60 + 5))
    page.send(.quietToChanged(6 * 60))
    #expect(page.state.quietSentence == "Nothing from 23:05 to 06:00. What came meanwhile is told afterwards.")
    page.send(.quietToChanged(23 * 60 + 5))
    #expect(page.state.quietSentence == "Choose two different times.")
    page.send(.quietToChanged(9999))
    #expect(page.state.quietTo == 24 * 60 - 1)
    page.send(.clubTapped("b"))
    #expect(page.state.clubs.map(\.isOn) == [true, false])
    page.send(.clubTapped("b"))
    page.send(.onTapped)
    #expect((page.state.isOn, stored.last?.isOn) == (false, false))
    #expect((stored.last?.quietFrom, stored.last?.hasQuietHours, stored.last?.muted) == (23 * 60 + 5, true, []))
  }

  @Test func clubsThatCouldNotBeFetchedAreMentionedAndAskedForOnTheNextVisit() async {
    let reader = ReaderFixture(clubs: (1...30).map { FanClub(id: "c\($0)", name: "Club \($0)", followed: true) })
    reader.publication.with { $0.holds = ["GET"] }
    let page = NotificationsViewModel(NotificationPreferences(), store: reader.store)
    page.appear()
    await reader.waitForSuspended()
    // The first page is on its way; the second one is refused.
    reader.publication.with { $0.refusals = ["GET": Problem(code: .internalError, title: "The publication is having a nap.", status: 503)] }
    reader.publication.release()
    await reader.settle()
    #expect(page.state.clubs.count == 20)
    #expect(page.state.clubsSentence?.hasPrefix("Not all of the fan clubs that you follow could be fetched. ") == true)
    page.disappear()
    reader.publication.with { $0.refusals = [:] }
    page.appear()
    await reader.settle()
    #expect(page.state.clubs.count == 30)
    #expect(page.state.clubsSentence == nil)
  }

  @Test func withoutClubsItSaysWhatNotificationsAreAbout() async {
    let reader = ReaderFixture(clubs: [FanClub(id: "c", name: "Gamma")])
    let page = NotificationsViewModel(NotificationPreferences(), store: reader.store)
    page.appear()
    await reader.settle()
    #expect(page.state.clubsSentence == "You hear of new posts in fan clubs that you follow. You follow none yet.")
  }
}

@Suite struct QuietHoursTests {
  private func isQuiet(from: Int, to: Int, at minute: Int, in zone: TimeZone = .gmt, isOn: Bool = true) -> Bool {
    var settings = NotificationSettings()
    (settings.hasQuietHours, settings.quietFrom, settings.quietTo) = (isOn, from, to)
    return settings.isQuiet(at: Date(timeIntervalSince1970: 1_780_272_000 + Double(minute) * 60), in: zone)
  }

  @Test(arguments: [
    (60, 120, 59, false), (60, 120, 60, true), (60, 120, 119, true), (60, 120, 120, false), (1320, 420, 1320, true),
    (1320, 420, 1319, false),
    (1320, 420, 0, true), (1320, 420, 419, true), (1320, 420, 420, false), (300, 300, 300, false),
  ])
  func theyMayReachOverMidnight(from: Int, to: Int, minute: Int, isQuiet: Bool) {
    #expect(self.isQuiet(from: from, to: to, at: minute) == isQuiet)
    #expect(!self.isQuiet(from: from, to: to, at: minute, isOn: false))
  }

  @Test func theyAreTheReadersOwn() throws {
    let zone = try #require(TimeZone(secondsFromGMT: 2 * 3600))
    #expect(isQuiet(from: 1320, to: 420, at: 20 * 60, in: zone))
    #expect(!isQuiet(from: 1320, to: 420, at: 20 * 60))
  }

  private func isQuiet(from: Int, to: Int, at moment: String) throws -> Bool {
    var settings = NotificationSettings()
    (settings.hasQuietHours, settings.quietFrom, settings.quietTo) = (true, from, to)
    return settings.isQuiet(
      at: try Date(moment, strategy: .iso8601), in: try #require(TimeZone(identifier: "Europe/Berlin")))
  }

  /// In the night when 2:00 is followed by 3:00: what the clock on the wall says counts.
  @Test func theyAreAnHourShorterInTheNightOfSpring() throws {
    for (moment, expected) in [
      ("2026-03-28T20:59:00Z", false), ("2026-03-28T21:00:00Z", true), ("2026-03-29T00:59:00Z", true), ("2026-03-29T01:00:00Z", true),
      ("2026-03-29T04:59:00Z", true), ("2026-03-29T05:00:00Z", false),
    ] { #expect(try isQuiet(from: 1320, to: 420, at: moment) == expected, "\(moment)") }
    // From 2:30 to 3:30, of which that night has the second half.
    for (moment, expected) in [("2026-03-29T00:59:00Z", false), ("2026-03-29T01:00:00Z", true), ("2026-03-29T01:30:00Z", false)] {
      #expect(try isQuiet(from: 150, to: 210, at: moment) == expected, "\(moment)")
    }
    // From 2:00 to 3:00, which that night does not have.
    for moment in ["2026-03-29T00:59:00Z", "2026-03-29T01:00:00Z"] { #expect(try !isQuiet(from: 120, to: 180, at: moment), "\(moment)") }
  }

  /// In the night when the hour from 2:00 to 3:00 comes twice, so does what lies in it.
  @Test func theyAreAnHourLongerInTheNightOfAutumn() throws {
    for (moment, expected) in [
      ("2026-10-24T19:59:00Z", false), ("2026-10-24T20:00:00Z", true), ("2026-10-25T01:00:00Z", true), ("2026-10-25T05:59:00Z", true),
      ("2026-10-25T06:00:00Z", false),
    ] { #expect(try isQuiet(from: 1320, to: 420, at: moment) == expected, "\(moment)") }
    for (moment, expected) in [
      ("2026-10-25T00:29:00Z", false), ("2026-10-25T00:30:00Z", true), ("2026-10-25T01:00:00Z", false), ("2026-10-25T01:30:00Z", true),
      ("2026-10-25T02:00:00Z", false),
    ] { #expect(try isQuiet(from: 150, to: 180, at: moment) == expected, "\(moment)") }
  }
}
