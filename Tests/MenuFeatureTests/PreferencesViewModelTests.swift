import FeatureKit
import MenuFeature
import Runtime
import Synchronization
import Testing

@MainActor @Suite(.timeLimit(.minutes(1))) struct PreferencesViewModelTests {
  /// Files that are counted.
  private final class Disk: Sendable {
    private let state = Mutex<(size: Int, done: [String])>((0, []))
    init(_ size: Int) { state.withLock { $0.size = size } }
    var done: [String] { state.withLock { $0.done } }
    var files: DiskUse {
      DiskUse(
        size: { self.state.withLock { $0.size } },
        setLimit: { limit in
          self.state.withLock { state in
            state.done.append("limit \(limit >> 20)")
            state.size = min(state.size, limit)
          }
        },
        clear: {
          self.state.withLock { state in
            state.done.append("clear")
            state.size = 0
          }
        })
    }
  }

  private let preferences = Preferences()
  private let effects = Effects()

  private func made(
    pictures: Disk? = nil, content: Disk? = nil, hasNotifications: Bool = false, _ preferences: Preferences? = nil,
    told: @escaping @MainActor (PreferencesViewModel.Output) -> Void = { _ in }
  ) -> PreferencesViewModel {
    PreferencesViewModel(
      preferences ?? self.preferences, pictures: pictures?.files, content: content?.files, hasNotifications: hasNotifications,
      effects: effects, output: told)
  }

  @Test func whatIsChosenHoldsAtOnce() {
    let model = made()
    var states: [Preferences.Values] = []
    model.observe { states.append($0.values) }
    let inputs: [PreferencesViewModel.Input] = [
      .largerTextTapped, .smallerTextTapped, .smallerTextTapped, .usualTextTapped, .appearanceChosen(.dark), .articleWidthChosen(.wide),
      .articleFontChosen(.serif),
    ]
    for input in inputs { model.send(input) }
    #expect(states.map(\.textSize) == [100, 110, 100, 90, 100, 100, 100, 100])
    #expect(states.last == preferences.values)
    #expect((states.last?.appearance, states.last?.articleWidth, states.last?.articleFont) == (.dark, .wide, .serif))
  }

  @Test func whatAKeyChangesIsSeen() {
    let model = made()
    #expect(model.state.canEnlargeText && model.state.canReduceText)
    preferences.changeTextSize(by: 100)
    #expect((model.state.values.textSize, model.state.canEnlargeText) == (200, false))
    preferences.changeTextSize(by: -100)
    #expect((model.state.values.textSize, model.state.canReduceText) == (75, false))
  }

  @Test func thatARunWasStartedWithOtherColorsIsSaid() {
    #expect(made().state.startAppearance == nil)
    let started = Preferences(startAppearance: .dark)
    #expect(made(started).state.startAppearance == "Matinee was started with --dark, which goes first until it ends.")
  }

  private func made(_ preferences: Preferences) -> PreferencesViewModel { made(pictures: nil, content: nil, preferences) }

  @Test func whatIsKeptIsSaidAndRemoved() async {
    let (pictures, content) = (Disk(100 << 20), Disk(5000))
    let model = made(pictures: pictures, content: content)
    var sizes: [[PreferencesViewModel.Cache: String]] = []
    model.observe { if sizes.last != $0.sizes { sizes.append($0.sizes) } }
    model.appear()
    await effects.settled()
    #expect(sizes.first == [:])
    #expect(sizes.last == [.pictures: "100 MiB are kept now.", .content: "5 KiB are kept now."])
    #expect(model.state.canClear == [.pictures, .content])
    model.send(.clearPicturesTapped)
    #expect(sizes.last?[.pictures] == "Removing…")
    model.send(.clearPicturesTapped)
    await effects.settled()
    #expect(sizes.last == [.pictures: "Nothing is kept now.", .content: "5 KiB are kept now."])
    #expect((pictures.done, content.done) == (["clear"], []))
    #expect(model.state.canClear == [.content])
    model.send(.clearContentTapped)
    await effects.settled()
    #expect(content.done == ["clear"])
  }

  @Test func aLimitHoldsAtOnceAndAtTheNextStart() async {
    let (pictures, content) = (Disk(100 << 20), Disk(400 << 20))
    let model = made(pictures: pictures, content: content)
    model.appear()
    model.send(.pictureLimitChosen(64))
    model.send(.contentLimitChosen(128))
    model.send(.contentLimitChosen(127))
    await effects.settled()
    #expect((preferences.values.pictureLimit, preferences.values.contentLimit) == (64, 128))
    #expect((pictures.done, content.done) == (["limit 64"], ["limit 128"]))
    #expect(model.state.sizes == [.pictures: "64 MiB are kept now.", .content: "128 MiB are kept now."])
  }

  @Test func withoutAReaderThereIsALimitAndNothingToRemove() async {
    let model = made()
    model.appear()
    model.send(.contentLimitChosen(64))
    model.send(.clearContentTapped)
    await effects.settled()
    #expect(preferences.values.contentLimit == 64)
    #expect((model.state.sizes, model.state.canClear, model.state.hasNotifications) == ([:], [], false))
  }

  @Test func notificationsAndTheEndAreTheCoordinators() {
    var told: [PreferencesViewModel.Output] = []
    let model = made(hasNotifications: true) { told.append($0) }
    #expect(model.state.hasNotifications)
    model.send(.notificationsTapped)
    model.send(.closeTapped)
    #expect(told == [.openNotifications, .close])
  }
}
