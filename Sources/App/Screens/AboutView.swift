import Gtk
import MenuFeature

/// About Matinee: what it is made of, and where its data is. All of it can be selected and copied, as into a report of a problem.
@MainActor final class AboutView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: AboutViewModel
  private let version = Label(styles: [.dim], wraps: true, alignment: .center)
  private let license = Button("Read the license", styles: [.pill, "compact"])
  private let licenseName = Label(wraps: true)
  private let libraries = Box(.vertical, spacing: 4)
  private let folder = Label(wraps: true)
  private let openFolder = Button("Open folder", styles: [.pill, "compact"])
  private let folderPart: Box
  private let homepage = Button("Homepage", styles: [.pill, "compact"])
  private let report = Button("Report a problem", styles: [.pill, "compact"])
  private let close = Button("Close", styles: [.flat])
  private let text: SelectionArea

  init(_ viewModel: AboutViewModel) {
    self.viewModel = viewModel
    for button in [license, openFolder] { button.horizontal = .start }
    folderPart = Box(.vertical, spacing: 6, children: [Label("Data", styles: [.subheading]), folder, openFolder])
    let brand = Label("Matinee", styles: ["brand", "brand-small"], alignment: .center)
    let pages = Wrap(homepage, report, spacing: 6)
    pages.horizontal = .center
    // On a line of its own it is as wide as the other.
    report.expandsHorizontally = true
    let content = Box(
      .vertical, spacing: 16,
      children: [
        Box(.vertical, spacing: 4, children: [brand, version]),
        Box(.vertical, spacing: 6, children: [Label("License", styles: [.subheading]), licenseName, license]),
        Box(.vertical, spacing: 4, children: [Label("Libraries", styles: [.subheading]), libraries]), folderPart, pages,
      ])
    for label in [brand, version, licenseName, folder] { label.shareSelection() }
    text = SelectionArea(content, copyAll: "Copy all")
    let scroller = FittingScroller(text)
    scroller.scrolls(with: text)
    scroller.scrollsByKeyboard(name: "About Matinee")
    root = Box(.vertical, spacing: 10, children: [scroller, close])
    text.takeKeys(of: root, inside: false)
    license.onClicked(self) { $0.viewModel.send(.licenseTapped) }
    openFolder.onClicked(self) { $0.viewModel.send(.folderTapped) }
    homepage.onClicked(self) { $0.viewModel.send(.homepageTapped) }
    report.onClicked(self) { $0.viewModel.send(.reportTapped) }
    close.onClicked(self) { $0.viewModel.send(.closeTapped) }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  func takeKeyboard() { close.focus() }

  private func show(_ state: AboutViewModel.State) {
    version.text = "Version \(state.version)"
    licenseName.text = "\(state.license) (\(state.licenseID))"
    let lines = state.libraries.map { Label("\($0.name) \($0.version)", wraps: true) }
    for line in lines { line.shareSelection(after: "\n") }
    libraries.replaceAll(lines)
    folder.text = state.dataFolder ?? ""
    folderPart.isVisible = state.dataFolder != nil
    for button in [homepage, report] { button.isVisible = state.homepage != nil }
  }
}
