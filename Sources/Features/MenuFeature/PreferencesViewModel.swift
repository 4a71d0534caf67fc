import FeatureKit
import Runtime

/// The settings of this computer. A choice holds at once. Isolated to the main actor.
@MainActor public final class PreferencesViewModel: ScreenModel {
  /// Something that is cached on the disk.
  public enum Cache: String, Codable, CaseIterable, Sendable {
    /// Pictures that were shown.
    case pictures
    /// What was read, for reading without a network.
    case content
  }

  /// Everything the sheet shows.
  public struct State: Equatable, Sendable {
    /// The settings that hold now.
    public var values: Preferences.Values
    /// Whether text can be larger.
    public var canEnlargeText = false
    /// Whether text can be smaller.
    public var canReduceText = false
    /// That this run was started with other colors, in a sentence; `nil` for a run that was not.
    public var startAppearance: String?
    /// Whether the desktop can show notifications to a signed-in reader.
    public var hasNotifications: Bool
    /// How much is stored, in a sentence; none for a cache whose size is not known.
    public var sizes: [Cache: String] = [:]
    /// What can be removed now.
    public var canClear: Set<Cache> = []
  }

  /// What the coordinator shall do.
  public enum Output: Equatable, Sendable {
    /// Show when the reader is notified.
    case openNotifications
    /// Close the sheet.
    case close
  }

  /// What the person did.
  public enum Input: Codable, Equatable, Sendable {
    /// The person wants larger text.
    case largerTextTapped
    /// The person wants smaller text.
    case smallerTextTapped
    /// The person wants text as large as the desktop has it.
    case usualTextTapped
    /// The person chose colors.
    case appearanceChosen(Appearance)
    /// The person chose how wide lines of an article are.
    case articleWidthChosen(Preferences.ArticleWidth)
    /// The person chose what articles are set in.
    case articleFontChosen(Preferences.ArticleFont)
    /// The reader wants to set when they are notified.
    case notificationsTapped
    /// The person chose the most that pictures take, in MiB.
    case pictureLimitChosen(Int)
    /// The person chose the most that what was read takes, in MiB.
    case contentLimitChosen(Int)
    /// The person wants pictures removed.
    case clearPicturesTapped
    /// The person wants what was read removed.
    case clearContentTapped
    /// The person is done.
    case closeTapped
  }

  /// The single source of truth.
  @ViewState public private(set) var state: State
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }

  private let preferences: Preferences
  private let caches: [Cache: DiskUse]
  private let effects: Effects
  private let output: @MainActor (Output) -> Void

  /// - Parameters:
  ///   - preferences: what is set here.
  ///   - pictures: the pictures on the disk; `nil` where none are kept.
  ///   - content: what the signed-in reader read; `nil` where nothing is kept.
  ///   - hasNotifications: whether the desktop can show notifications to a signed-in reader.
  ///   - effects: runs the work on the disk.
  ///   - output: called with what the coordinator is to do.
  public init(
    _ preferences: Preferences, pictures: DiskUse?, content: DiskUse?, hasNotifications: Bool, effects: Effects,
    output: @escaping @MainActor (Output) -> Void
  ) {
    self.preferences = preferences
    var caches: [Cache: DiskUse] = [:]
    caches[.pictures] = pictures
    caches[.content] = content
    self.caches = caches
    self.effects = effects
    self.output = output
    state = State(values: preferences.values, hasNotifications: hasNotifications)
    if let colors = preferences.startAppearance {
      state.startAppearance = "Matinee was started with --\(colors.rawValue), which goes first until it ends."
    }
    preferences.observe(self) { model, _ in model.update() }
  }

  /// The sheet is on screen.
  public func appear() { for cache in caches.keys { measure(cache) } }

  /// Handles an input of the person.
  public func send(_ input: Input) {
    switch input {
    case .largerTextTapped: preferences.changeTextSize(by: 1)
    case .smallerTextTapped: preferences.changeTextSize(by: -1)
    case .usualTextTapped: preferences.change { $0.textSize = 100 }
    case .appearanceChosen(let appearance): preferences.change { $0.appearance = appearance }
    case .articleWidthChosen(let width): preferences.change { $0.articleWidth = width }
    case .articleFontChosen(let font): preferences.change { $0.articleFont = font }
    case .pictureLimitChosen(let limit): setLimit(limit, of: .pictures, \.pictureLimit)
    case .contentLimitChosen(let limit): setLimit(limit, of: .content, \.contentLimit)
    case .clearPicturesTapped: clear(.pictures)
    case .clearContentTapped: clear(.content)
    case .notificationsTapped: output(.openNotifications)
    case .closeTapped: output(.close)
    }
  }

  private func update() {
    state.values = preferences.values
    state.canEnlargeText = preferences.canChangeTextSize(by: 1)
    state.canReduceText = preferences.canChangeTextSize(by: -1)
  }

  private func setLimit(_ limit: Int, of cache: Cache, _ value: WritableKeyPath<Preferences.Values, Int>) {
    guard Preferences.limits.contains(limit) else { return }
    preferences.change { $0[keyPath: value] = limit }
    measure(cache) { await $0.setLimit(limit << 20) }
  }

  private func clear(_ cache: Cache) {
    guard state.canClear.contains(cache) else { return }
    state.canClear.remove(cache)
    state.sizes[cache] = "Removing…"
    measure(cache) { await $0.clear() }
  }

  /// Changes a cache on the disk, and then shows its size.
  private func measure(_ cache: Cache, after change: @escaping @Sendable (DiskUse) async -> Void = { _ in }) {
    guard let files = caches[cache] else { return }
    Task { [weak self, effects] in
      let size = try? await effects.run("preferences.\(cache.rawValue)") {
        await change(files)
        return await files.size()
      }
      guard let self, let size else { return }
      state.sizes[cache] = Self.sentence(size)
      if size > 0 { state.canClear.insert(cache) } else { state.canClear.remove(cache) }
    }
  }

  private static func sentence(_ size: Int) -> String {
    switch size {
    case 0: "Nothing is kept now."
    case ..<(1 << 20): "\((size + 1023) >> 10) KiB are kept now."
    default: "\((size + 1 << 19) >> 20) MiB are kept now."
    }
  }
}
