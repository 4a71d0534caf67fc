import AccountFeature
import Foundation
import PublicationAPI
import PublicationClient
import TestSupport
import Testing

@MainActor @Suite struct NotificationsViewModelTests {
  private let recorder = Recorder<NotificationsViewModel.State>()

  @Test func aReadersScript() async {
    let reader = ReaderFixture(clubs: [
      FanClub(id: "b", name: "Beta", followed: true), FanClub(id: "a", name: "Alpha", followed: true), FanClub(id: "c", name: "Gamma"),
    ])
    var kept: [NotificationSettings] = []
    let preferences = NotificationPreferences { kept.append($0) }
    let page = NotificationsViewModel(preferences, store: reader.store)
    page.onChange = { [recorder] in recorder.record($0) }
    #expect(page.state.clubsSentence == "Looking up the fan clubs that you follow…")
    page.appear()
    await reader.settle()
    #expect(page.state.clubs == [.init(id: "a", name: "Alpha", isOn: true), .init(id: "b", name: "Beta", isOn: true)])
    #expect(page.state.clubsSentence == nil)
    page.quietHoursTapped()
    page.quietFromChanged(23 * 60 + 5)
    page.quietToChanged(6 * 60)
    #expect(page.state.quietSentence == "Nothing from 23:05 to 06:00. What came meanwhile is told afterwards.")
    page.quietToChanged(23 * 60 + 5)
    #expect(page.state.quietSentence == "Choose two different times.")
    page.quietToChanged(9999)
    #expect(page.state.quietTo == 24 * 60 - 1)
    page.clubTapped("b")
    #expect(page.state.clubs.map(\.isOn) == [true, false])
    page.clubTapped("b")
    page.onTapped()
    #expect((page.state.isOn, kept.last?.isOn) == (false, false))
    #expect((kept.last?.quietFrom, kept.last?.hasQuietHours, kept.last?.muted) == (23 * 60 + 5, true, []))
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
  func theyMayReachOverMidnight(_ from: Int, _ to: Int, _ minute: Int, _ isQuiet: Bool) {
    #expect(self.isQuiet(from: from, to: to, at: minute) == isQuiet)
    #expect(!self.isQuiet(from: from, to: to, at: minute, isOn: false))
  }

  @Test func theyAreTheReadersOwn() throws {
    let zone = try #require(TimeZone(secondsFromGMT: 2 * 3600))
    #expect(isQuiet(from: 1320, to: 420, at: 20 * 60, in: zone))
    #expect(!isQuiet(from: 1320, to: 420, at: 20 * 60))
  }
}
