import AppCore
import Gtk

/// The brand, and behind it the start-up check.
@MainActor final class CurtainView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: CurtainViewModel
  private let spinner = Spinner(isSpinning: false, name: "Starting")
  private let notice = Label(styles: ["curtain-text"], wraps: true, alignment: .center)
  private let choice: Wrap
  private let brand: Box

  init(_ viewModel: CurtainViewModel) {
    self.viewModel = viewModel
    let tryAgain = Button("Try again", styles: [.pill, "curtain-button"])
    let offline = Button("Continue offline", styles: [.pill, "curtain-button"])
    // Below the first one it is as wide.
    offline.expandsHorizontally = true
    choice = Wrap(tryAgain, offline, spacing: 12)
    choice.horizontal = .center
    spinner.setMinimumSize(width: 32, height: 32)
    brand = Box(
      .vertical, spacing: 16,
      children: [
        Label("Matinee", styles: ["brand"], alignment: .center), Label("Your front row seat", styles: ["curtain-text"], alignment: .center),
        spinner,
      ])
    let news = Box(.vertical, spacing: 16, children: [notice, choice])
    brand.vertical = .end
    news.vertical = .start
    for part in [brand, news] {
      part.horizontal = .center
      part.expandsVertically = true
      part.expandsHorizontally = true
      part.setMargins(horizontal: 24, vertical: 8)
    }
    // Half of the window each, so that the brand does not jump when there is something to say.
    let halves = Box(columns: Self.folds, rows: Self.shade, styles: [.curtain], children: [brand, news])
    halves.isHomogeneous = true
    root = halves
    brand.isVisible = false
    tryAgain.onClicked(self) { $0.viewModel.send(.tryAgainTapped) }
    offline.onClicked(self) { $0.viewModel.send(.continueOfflineTapped) }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  /// After the first frame: fonts, and a GL shader for text, take a tenth of the time to the first frame.
  func showBrand() { brand.isVisible = true }

  /// Eleven folds, lit from the side. Stripes, since GL in software takes longer for a gradient, or for the first picture, than for all
  /// else in the first frame.
  private static let folds = {
    let stops: [(place: Double, color: Color)] = [
      (0, Color(0x55101F)), (0.41, Color(0xA32A40)), (0.65, Color(0x7A182C)), (0.91, Color(0x4A0D1C)), (1, Color(0x55101F)),
    ]
    let fold = (0..<23).map { column in
      let place = (Double(column) + 0.5) / 23
      let next = stops.firstIndex { $0.place >= place } ?? 1
      let (from, to) = (stops[next - 1], stops[next])
      return from.color.mixed(with: to.color, share: (place - from.place) / (to.place - from.place))
    }
    return (0..<11).flatMap { _ in fold }
  }()

  /// Darker at the top and at the bottom.
  private static let shade = (0..<128).map { row in
    let place = (Double(row) + 0.5) / 128
    return Color.black(opacity: max(0.45 * (1 - place / 0.22), 0.4 * (place - 0.8) / 0.2, 0))
  }

  private func show(_ state: CurtainViewModel.State) {
    // Kept in the layout, for the same reason.
    spinner.opacity = state.showsSpinner ? 1 : 0
    spinner.isSpinning = state.showsSpinner
    notice.text = state.notice ?? ""
    notice.isVisible = state.notice != nil
    choice.isVisible = state.offersChoice
  }
}
