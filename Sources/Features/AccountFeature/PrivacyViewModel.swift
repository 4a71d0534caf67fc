import FeatureKit
import Runtime

/// Where what a reader does in the app is counted.
public enum AnalyticsChoice: String, Codable, CaseIterable, Sendable {
  /// Nowhere: only what tells whether a roll-out works is counted, which no choice changes.
  case none
  /// At the publication, which adds it up.
  case publication
  /// In a file on this computer.
  case file
}

/// Account → Privacy: whether what the reader does in the app is counted, and where. Isolated to the main actor.
@MainActor public final class PrivacyViewModel: ScreenModel {
  /// Everything the page shows.
  public struct State: Equatable, Sendable {
    /// One way to choose.
    public struct Choice: Equatable, Sendable, Identifiable {
      /// What the reader chooses by it.
      public var id: AnalyticsChoice
      /// What it is called.
      public var name: String
      /// What it means, in a sentence or two.
      public var detail: String
    }

    /// What there is to choose from.
    public var choices: [Choice] = []
    /// The choice that holds now.
    public var chosen = AnalyticsChoice.none
    /// Whether there is a file to show.
    public var hasFile = false

    /// The state before anything is loaded.
    public init() {}
  }

  /// What the coordinator does next.
  public enum Output: Equatable, Sendable {
    /// The reader wants to see the folder that the file is in.
    case openFolder(String)
  }

  /// What the reader did.
  public enum Input: Codable, Equatable, Sendable {
    /// The reader chose where it is counted from now on.
    case choiceTapped(AnalyticsChoice)
    /// The reader wants to see the file.
    case folderTapped
  }

  /// What the screen shows.
  @ViewState public private(set) var state = State()
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }

  private let choice: LastValue<AnalyticsChoice>
  private let publication: LastValue<String?>
  private let file: String?
  private let choose: @MainActor (AnalyticsChoice) -> Void
  private let output: @MainActor (Output) -> Void
  private var observations: [Observation] = []

  /// - Parameters:
  ///   - choice: what holds.
  ///   - publication: the publication's name; `nil` while it is not known.
  ///   - file: the path of the file; `nil` where nothing can be stored, and the file is no choice.
  ///   - choose: makes another choice.
  ///   - output: called with what comes next.
  public init(
    _ choice: LastValue<AnalyticsChoice>, publication: LastValue<String?>, file: String?,
    choose: @escaping @MainActor (AnalyticsChoice) -> Void, output: @escaping @MainActor (Output) -> Void
  ) {
    self.choice = choice
    self.publication = publication
    self.file = file
    self.choose = choose
    self.output = output
    update()
  }

  /// The page is on screen.
  public func appear() {
    guard observations.isEmpty else { return }
    observations = [choice.observe { [weak self] _ in self?.update() }, publication.observe { [weak self] _ in self?.update() }]
  }

  /// The page is off screen.
  public func disappear() {
    observations = []
  }

  /// Handles an input of the reader.
  public func send(_ input: Input) {
    switch input {
    case .choiceTapped(let choice): choiceTapped(choice)
    case .folderTapped: folderTapped()
    }
  }

  private func choiceTapped(_ choice: AnalyticsChoice) {
    guard choice != self.choice.value, state.choices.contains(where: { $0.id == choice }) else { return }
    choose(choice)
    update()
  }

  private func folderTapped() {
    guard state.hasFile, let file, let end = file.lastIndex(of: "/") else { return }
    output(.openFolder(String(file[..<end])))
  }

  private func update() {
    let name = publication.value ?? "the publication"
    var choices = [
      State.Choice(id: .none, name: "Do not count", detail: "What you do in Matinee is counted only where a trial is on: see below."),
      State.Choice(
        id: .publication, name: "Tell \(name)",
        detail: "\(name.prefix(1).uppercased() + name.dropFirst()) learns how often you start Matinee and open its screens, and how "
          + "payments end, never what you read or write. It adds that up by day, without your name."),
    ]
    if let file {
      choices.append(
        State.Choice(
          id: .file, name: "Write it into a file",
          detail: "The same, for your eyes only: in \(file.asPathInSentence). It stays there until you delete it."))
    }
    var new = State()
    (new.choices, new.chosen, new.hasFile) = (choices, choice.value, choice.value == .file && file != nil)
    state = new
  }
}
