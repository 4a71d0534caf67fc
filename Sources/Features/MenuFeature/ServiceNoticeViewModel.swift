import FeatureKit
import Foundation
import Runtime

/// What keeps the publication from serving this app.
public enum ServiceNotice: Equatable, Sendable {
  /// It serves versions from this one on.
  case tooOld(minimum: String)
  /// It is being maintained, probably until then.
  case maintenance(until: Date?)
}

/// The sheet that says why the publication does not serve this app, and what to do. Isolated to the main actor.
@MainActor public final class ServiceNoticeViewModel: ScreenModel {
  /// Everything the sheet shows.
  public struct State: Equatable, Sendable {
    /// Why the publication does not serve the app, as a heading.
    public var heading = ""
    /// What it means, and what to do.
    public var sentence = ""
    /// The label of the button that does something about it; `nil` where there is nothing to do.
    public var action: String?
    /// Whether the publication is being asked again.
    public var isChecking = false

    /// The state before anything is loaded.
    public init() {}
  }

  /// What the coordinator does next.
  public enum Output: Equatable, Sendable {
    /// Open the page where there is a newer version.
    case openWeb(String)
    /// Close the sheet.
    case close
  }

  /// What the person did.
  public enum Input: Codable, Equatable, Sendable {
    /// The person wants the newer version, or wants the publication asked again.
    case actionTapped
    /// The person has read it.
    case closeTapped
  }

  /// What the screen shows.
  @ViewState public private(set) var state = State()
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }

  private let notice: LastValue<ServiceNotice?>
  private let version: String
  private let homepage: String?
  private let formatting: Formatting
  private let checkAgain: @MainActor () async -> Void
  private let output: @MainActor (Output) -> Void
  private var observation: Observation?

  /// - Parameters:
  ///   - notice: what it is; the sheet stays as it was when that is over.
  ///   - version: this app's.
  ///   - homepage: where there is a newer one; `nil` where the project has no page.
  ///   - formatting: how times are written.
  ///   - checkAgain: asks the publication again; ``notice`` then has the result.
  ///   - output: called with what comes next.
  public init(
    _ notice: LastValue<ServiceNotice?>, version: String, homepage: String?, formatting: Formatting,
    checkAgain: @escaping @MainActor () async -> Void, output: @escaping @MainActor (Output) -> Void
  ) {
    self.notice = notice
    self.version = version
    self.homepage = homepage
    self.formatting = formatting
    self.checkAgain = checkAgain
    self.output = output
    show(notice.value)
  }

  /// The sheet is on screen.
  public func appear() {
    guard observation == nil else { return }
    observation = notice.observe { [weak self] in self?.show($0) }
  }

  /// The sheet is off screen.
  public func disappear() {
    observation = nil
  }

  /// Handles an input of the person.
  public func send(_ input: Input) {
    switch input {
    case .actionTapped: actionTapped()
    case .closeTapped: output(.close)
    }
  }

  private func actionTapped() {
    switch notice.value {
    case .tooOld: if let homepage { output(.openWeb(homepage)) }
    case .maintenance:
      guard !state.isChecking else { return }
      state.isChecking = true
      Task { [weak self, checkAgain] in
        await checkAgain()
        self?.state.isChecking = false
      }
    case nil: output(.close)
    }
  }

  private func show(_ notice: ServiceNotice?) {
    guard let notice else { return }
    var new = state
    switch notice {
    case .tooOld(let minimum):
      new.heading = "This Matinee is too old"
      new.sentence =
        "This publication asks for version \(minimum) or a later one, and this is \(version). Update Matinee where you got it. What is stored on "
        + "this computer can still be read, and nothing that waits to be sent is lost."
      new.action = homepage == nil ? nil : "Open the homepage"
    case .maintenance(let until):
      new.heading = "The publication is being maintained"
      let end = until.map { "It is back at about \(formatting.moment($0))." } ?? "It did not say for how long."
      new.sentence =
        "\(end) What is stored on this computer can be read meanwhile. What you do is sent when it is back."
      new.action = "Try again"
    }
    state = new
  }
}
