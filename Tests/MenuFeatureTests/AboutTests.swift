import MenuFeature
import Testing

@MainActor @Suite struct AboutTests {
  private func made(homepage: String?, _ told: @escaping @MainActor (AboutViewModel.Output) -> Void) -> AboutViewModel {
    AboutViewModel(
      .init(
        version: "1.2.3 (4.0.abc)", libraries: [.init("GTK", "4.8.3")], dataFolder: homepage.map { _ in "/data" }, homepage: homepage),
      output: told)
  }

  @Test func eachButtonLeadsSomewhere() {
    var told: [AboutViewModel.Output] = []
    let about = made(homepage: "https://matinee.org") { told.append($0) }
    #expect((about.state.version, about.state.licenseID) == ("1.2.3 (4.0.abc)", "Apache-2.0"))
    for input in [.licenseTapped, .folderTapped, .homepageTapped, .reportTapped, .closeTapped] as [AboutViewModel.Input] {
      about.send(input)
    }
    #expect(
      told == [
        .openWeb("https://www.apache.org/licenses/LICENSE-2.0"), .openFolder("/data"), .openWeb("https://matinee.org"),
        .openWeb("https://matinee.org/issues"), .close,
      ])
  }

  @Test func withoutAHomepageOrAFolderThereIsNothingToOpen() {
    var told: [AboutViewModel.Output] = []
    let about = made(homepage: nil) { told.append($0) }
    for input in [.folderTapped, .homepageTapped, .reportTapped] as [AboutViewModel.Input] { about.send(input) }
    #expect(told == [])
  }

  @Test(arguments: [true, false]) func theTesterPanelIsListedWhereThereIsOne(hasPanel: Bool) {
    var told: [ShortcutsViewModel.Output] = []
    let keys = ShortcutsViewModel(hasTesterPanel: hasPanel) { told.append($0) }
    let listed = keys.state.sections.flatMap(\.shortcuts)
    #expect(Set(listed) == Set(Shortcut.allCases.filter { $0 != .testerPanel || hasPanel }))
    #expect(keys.state.sections.map(\.title) == Shortcut.Group.allCases.map(\.rawValue))
    keys.send(.closeTapped)
    #expect(told == [.close])
  }
}
