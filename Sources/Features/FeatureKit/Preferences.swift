import Foundation
import Runtime

/// Which colors to draw in.
public enum Appearance: String, Codable, CaseIterable, Sendable {
  /// As the desktop says.
  case system
  /// Dark text on a light ground.
  case light
  /// Light text on a dark ground.
  case dark
}

/// The settings of this computer, for every reader. There is one object, which is passed along. It keeps the values in a file of the data
/// folder, which is read before the window is shown, so it is no database. Isolated to the main actor.
@MainActor public final class Preferences {
  /// How wide the lines of an article are at most.
  public enum ArticleWidth: String, Codable, CaseIterable, Sendable {
    /// Lines of some fifty characters.
    case narrow
    /// Lines of some seventy characters.
    case medium
    /// Lines of some hundred characters.
    case wide
  }

  /// What articles are set in.
  public enum ArticleFont: String, Codable, CaseIterable, Sendable {
    /// The desktop's own font.
    case system
    /// A font with serifs.
    case serif
  }

  /// What can be set. What a file does not name is as it was at first.
  public struct Values: Codable, Equatable, Sendable {
    /// In percent of the desktop's.
    public var textSize = 100
    /// How wide the lines of an article are at most.
    public var articleWidth = ArticleWidth.medium
    /// What articles are set in.
    public var articleFont = ArticleFont.system
    /// Which colors to draw in.
    public var appearance = Appearance.system
    /// The most that pictures take on the disk, in MiB.
    public var pictureLimit = 256
    /// The most that what was read takes on the disk, in MiB.
    public var contentLimit = 512

    /// As it is at first.
    public init() {}

    /// Reads the file of the settings. What it does not name keeps its default.
    /// - Throws: `DecodingError`, also for a size or a limit that cannot be chosen.
    public init(from decoder: any Decoder) throws {
      let file = try decoder.container(keyedBy: CodingKeys.self)
      func read<Value: Decodable>(_ key: CodingKeys, _ value: inout Value) throws {
        value = try file.decodeIfPresent(Value.self, forKey: key) ?? value
      }
      try read(.textSize, &textSize)
      try read(.articleWidth, &articleWidth)
      try read(.articleFont, &articleFont)
      try read(.appearance, &appearance)
      try read(.pictureLimit, &pictureLimit)
      try read(.contentLimit, &contentLimit)
      for (key, value, allowed) in [
        (CodingKeys.textSize, textSize, textSizes), (.pictureLimit, pictureLimit, limits), (.contentLimit, contentLimit, limits),
      ] where !allowed.contains(value) {
        throw DecodingError.dataCorruptedError(forKey: key, in: file, debugDescription: "\(value) is none of \(allowed)")
      }
    }
  }

  /// The sizes that text can have, in percent of the desktop's.
  public nonisolated static let textSizes = [75, 90, 100, 110, 125, 150, 175, 200]
  /// What can be the most that something takes on the disk, in MiB.
  public nonisolated static let limits = [64, 128, 256, 512, 1024, 2048]

  /// The settings that hold now.
  public private(set) var values: Values
  /// The colors that this run was started with, which take precedence; `nil` for none.
  public let startAppearance: Appearance?
  /// Called with each problem of the file, in a sentence, once each; also with an earlier one.
  public var onProblem: ((String) -> Void)? {
    didSet {
      if let problem, let onProblem {
        self.problem = nil
        onProblem(problem)
      }
    }
  }

  /// The problem that was not reported yet.
  private var problem: String?
  private let file: URL?
  private var observers: [(owner: () -> AnyObject?, call: @MainActor () -> Void)] = []

  /// The colors to draw in now.
  public var appearance: Appearance { startAppearance ?? values.appearance }

  /// - Parameters:
  ///   - folder: where the file is, as a path; `nil` keeps the values in memory.
  ///   - startAppearance: the colors that this run was started with, which take precedence; `nil` for none.
  public nonisolated init(savedIn folder: String? = nil, startAppearance: Appearance? = nil) {
    self.startAppearance = startAppearance
    file = folder.map { URL(filePath: $0).appending(path: "preferences.json") }
    (values, problem) = Self.read(file)
  }

  /// Calls `observer` at once, and after each change for as long as the owner is there.
  public func observe<Owner: AnyObject>(_ owner: Owner, _ observer: @escaping @MainActor (Owner, Preferences) -> Void) {
    observers.removeAll { $0.owner() == nil }
    observers.append(
      (
        { [weak owner] in owner },
        { [weak owner, weak self] in if let owner, let self { observer(owner, self) } }
      ))
    observer(owner, self)
  }

  /// Changes the values, writes them, and notifies observers.
  public func change(_ body: (inout Values) -> Void) {
    var changed = values
    body(&changed)
    guard changed != values else { return }
    values = changed
    write()
    for observer in observers { observer.call() }
  }

  /// Whether text can be larger, or smaller, than it is.
  public func canChangeTextSize(by steps: Int) -> Bool { textSize(after: steps) != values.textSize }

  /// Makes text larger by this many of ``textSizes``, or smaller; stops at the ends.
  public func changeTextSize(by steps: Int) { change { $0.textSize = textSize(after: steps) } }

  private func textSize(after steps: Int) -> Int {
    let place = Self.textSizes.firstIndex(of: values.textSize) ?? 0
    return Self.textSizes[min(max(0, place + steps), Self.textSizes.count - 1)]
  }

  /// A damaged file is set aside.
  private nonisolated static func read(_ file: URL?) -> (values: Values, problem: String?) {
    guard let file, FileManager.default.fileExists(atPath: file.path) else { return (Values(), nil) }
    do {
      return (try JSONDecoder().decode(Values.self, from: Data(contentsOf: file)), nil)
    } catch is DecodingError {
      let aside = file.appendingPathExtension("damaged")
      _ = rename(file.path, aside.path)
      return (
        Values(), "The file with your preferences was damaged, so they are as they were at first. It is kept as \(aside.lastPathComponent)."
      )
    } catch {
      return (Values(), "Your preferences cannot be read, so they are as they were at first. \(error.systemReason)")
    }
  }

  private func write() {
    guard let file else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    do { try encoder.encode(values).write(to: file, options: .atomic) } catch {
      guard !hasFailed else { return }
      hasFailed = true
      report("Your preferences cannot be saved on this computer. \(error.systemReason)")
    }
  }
  private var hasFailed = false

  private func report(_ sentence: String) { if let onProblem { onProblem(sentence) } else { problem = sentence } }
}
