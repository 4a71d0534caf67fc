import FeatureKit
import Foundation
import Testing

@MainActor @Suite final class PreferencesTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "preferences-\(UUID().uuidString)")
  private var file: URL { folder.appending(path: "preferences.json") }

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func open(started: Appearance? = nil) -> Preferences { Preferences(savedIn: folder.path, startAppearance: started) }

  private func problems(of preferences: Preferences) -> [String] {
    var told: [String] = []
    preferences.onProblem = { told.append($0) }
    return told
  }

  @Test func whatIsSetIsThereAtTheNextStart() {
    let first = open()
    #expect(first.values == Preferences.Values())
    #expect(!FileManager.default.fileExists(atPath: file.path), "nothing was set")
    first.change {
      $0.textSize = 125
      $0.articleWidth = .wide
      $0.articleFont = .serif
      $0.appearance = .dark
      $0.pictureLimit = 64
      $0.contentLimit = 2048
    }
    let second = open()
    #expect(second.values == first.values)
    #expect(second.appearance == .dark)
    #expect(problems(of: second) == [])
  }

  @Test func theColorsThatARunIsStartedWithGoFirst() {
    let preferences = open(started: .light)
    preferences.change { $0.appearance = .dark }
    #expect(preferences.appearance == .light)
    #expect(open().appearance == .dark)
  }

  @Test func whatAFileDoesNotNameIsAsAtFirst() throws {
    try Data(#"{"textSize": 150, "aSettingOfALaterVersion": true}"#.utf8).write(to: file)
    var expected = Preferences.Values()
    expected.textSize = 150
    #expect(open().values == expected)
  }

  @Test(arguments: [
    "", "{", "[1]", #"{"textSize": 151}"#, #"{"textSize": "large"}"#, #"{"articleFont": "comic"}"#, #"{"pictureLimit": -1}"#,
  ])
  func aDamagedFileIsSetAsideAndToldOnce(text: String) throws {
    try Data(text.utf8).write(to: file)
    let preferences = open()
    #expect(preferences.values == Preferences.Values())
    #expect(
      problems(of: preferences) == [
        "The file with your preferences was damaged, so they are as they were at first. It is kept as preferences.json.damaged."
      ])
    #expect(problems(of: preferences) == [], "told")
    #expect(try Data(contentsOf: file.appendingPathExtension("damaged")) == Data(text.utf8))
    preferences.change { $0.textSize = 90 }
    #expect(open().values.textSize == 90)
    #expect(try Data(contentsOf: file.appendingPathExtension("damaged")) == Data(text.utf8))
  }

  @Test func whatCannotBeWrittenIsToldOnceAndHoldsUntilTheEnd() throws {
    let preferences = Preferences(savedIn: folder.appending(path: "gone").path)
    preferences.changeTextSize(by: 1)
    preferences.changeTextSize(by: 1)
    #expect(preferences.values.textSize == 125)
    let told = problems(of: preferences)
    #expect(told.count == 1)
    #expect(told.first?.hasPrefix("Your preferences cannot be saved on this computer. ") == true)
  }

  @Test func textGrowsAndShrinksInStepsAsFarAsTheyGo() {
    let preferences = Preferences()
    var sizes: [Int] = []
    while preferences.canChangeTextSize(by: 1) {
      preferences.changeTextSize(by: 1)
      sizes.append(preferences.values.textSize)
    }
    preferences.changeTextSize(by: 1)
    #expect(sizes == [110, 125, 150, 175, 200])
    #expect(preferences.values.textSize == 200)
    while preferences.canChangeTextSize(by: -1) { preferences.changeTextSize(by: -1) }
    #expect(preferences.values.textSize == 75)
  }

  @Test func observersAreToldOfChangesForAsLongAsTheyAreThere() {
    final class Observer { var sizes: [Int] = [] }
    let preferences = Preferences()
    var observer: Observer? = Observer()
    weak let suspended = observer
    var calls = 0
    if let observer {
      preferences.observe(observer) { observer, preferences in
        calls += 1
        observer.sizes.append(preferences.values.textSize)
      }
    }
    preferences.changeTextSize(by: 1)
    preferences.change { $0.textSize = 110 }
    #expect(observer?.sizes == [100, 110], "an equal value is no change")
    observer = nil
    #expect(suspended == nil)
    preferences.changeTextSize(by: 1)
    #expect(calls == 2)
  }
}
