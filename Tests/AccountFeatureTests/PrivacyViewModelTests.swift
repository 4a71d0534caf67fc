import AccountFeature
import FeatureKit
import Patience
import Runtime
import Testing

/// Account → Privacy, as states through a reader's script.
@MainActor @Suite(.timeLimit(.minutes(1))) struct PrivacyViewModelTests {
  private let choice = LastValue(AnalyticsChoice.none)
  private let publication = LastValue<String?>(nil)

  private final class Log {
    var chosen: [AnalyticsChoice] = []
    var outputs: [PrivacyViewModel.Output] = []
  }
  private let log = Log()

  private func model(file: String? = "/home/reader/data/analytics.jsonl") -> PrivacyViewModel {
    PrivacyViewModel(
      choice, publication: publication, file: file,
      choose: { [choice, log] in
        log.chosen.append($0)
        choice.value = $0
      }
    ) { [log] in log.outputs.append($0) }
  }

  @Test func nothingIsCountedUntilTheReaderSaysSo() async {
    let model = model()
    model.appear()
    #expect(model.state.chosen == .none)
    #expect(model.state.choices.map(\.id) == [.none, .publication, .file])
    #expect(model.state.choices.map(\.name) == ["Do not count", "Tell the publication", "Write it into a file"])
    #expect(model.state.choices[0].detail == "What you do in Matinee is counted only where a trial is on: see below.")
    publication.value = "The Sample"
    await until { model.state.choices[1].name == "Tell The Sample" }
    model.send(.choiceTapped(.publication))
    #expect(model.state.chosen == .publication)
    model.send(.choiceTapped(.publication))
    model.send(.folderTapped)
    model.send(.choiceTapped(.none))
    #expect(model.state.chosen == .none)
    #expect(log.chosen == [.publication, .none], "a second press changes nothing")
    #expect(log.outputs.isEmpty, "there is no file")
    model.disappear()
  }

  @Test func theFileIsShownWhereThereIsOne() {
    let model = model()
    model.appear()
    #expect(model.state.choices[2].detail.contains("data/analytics.jsonl"))
    model.send(.choiceTapped(.file))
    #expect(model.state.hasFile)
    model.send(.folderTapped)
    #expect(log.outputs == [.openFolder("/home/reader/data")])
    model.disappear()
  }

  @Test func withoutADiskThereIsNoFileToChoose() {
    let model = model(file: nil)
    model.appear()
    #expect(model.state.choices.map(\.id) == [.none, .publication])
    model.send(.choiceTapped(.file))
    #expect(log.chosen.isEmpty)
    model.disappear()
  }

  /// As when the setting of an earlier run is read.
  @Test func anotherChoiceElsewhereIsSeen() async {
    let model = model()
    model.appear()
    choice.value = .publication
    await until { model.state.chosen == .publication }
    model.disappear()
  }
}
