/// The version of a client, in the order that people mean: `1.10` is after `1.9`, `1.2` is `1.2.0`, and `2.0-beta.2` is before `2.0`
/// (Semantic Versioning 2.0.0, 11). The part after a `+` or a space names the build and does not count.
public struct ClientVersion: Comparable, Hashable, Sendable, CustomStringConvertible {
  private enum Identifier: Comparable, Hashable {
    // In this order: a number comes before a word.
    case number(Int)
    case word(String)
  }

  // Without zeros at the end, so that equal versions are equal values.
  private let numbers: [Int]
  private let prerelease: [Identifier]
  /// As it was written, without the build.
  public let description: String

  /// `0`: older than every version that a rule asks for.
  public static let zero = ClientVersion(numbers: [], prerelease: [], description: "0")

  private init(numbers: [Int], prerelease: [Identifier], description: String) {
    self.numbers = numbers
    self.prerelease = prerelease
    self.description = description
  }

  /// Reads a version; `nil` when the text does not begin with numbers between dots.
  public init?(_ text: String) {
    let version = text.prefix { $0 != "+" && !$0.isWhitespace }
    let parts = version.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    var numbers: [Int] = []
    for part in parts[0].split(separator: ".", omittingEmptySubsequences: false) {
      guard let number = Self.number(part) else { return nil }
      numbers.append(number)
    }
    guard numbers.count <= 6 else { return nil }
    while numbers.last == 0 { numbers.removeLast() }
    var prerelease: [Identifier] = []
    if parts.count > 1 {
      for part in parts[1].split(separator: ".", omittingEmptySubsequences: false) {
        guard !part.isEmpty, part.utf8.count <= 40, part.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }) else {
          return nil
        }
        prerelease.append(Self.number(part).map(Identifier.number) ?? .word(String(part)))
      }
    }
    self.init(numbers: numbers, prerelease: prerelease, description: String(version))
  }

  /// Whether both are the same version, however they are written.
  public static func == (one: Self, other: Self) -> Bool { one.numbers == other.numbers && one.prerelease == other.prerelease }

  /// The same for equal versions.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(numbers)
    hasher.combine(prerelease)
  }

  /// Whether one was released before the other.
  public static func < (one: Self, other: Self) -> Bool {
    if one.numbers != other.numbers { return one.numbers.lexicographicallyPrecedes(other.numbers) }
    if one.prerelease.isEmpty || other.prerelease.isEmpty { return !one.prerelease.isEmpty && other.prerelease.isEmpty }
    return one.prerelease.lexicographicallyPrecedes(other.prerelease)
  }

  private static func number(_ text: Substring) -> Int? {
    guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(text)
  }
}
