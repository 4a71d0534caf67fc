import Foundation

/// Keeps libxml2 from more attributes in a tag of HTML than any author needs. It compares each with all different ones before it.
///
/// What is a tag, libxml2 alone decides: its scripts, comments and end tags end elsewhere than those of others. So each `<` that may begin one is
/// taken for one, and what follows is read by the rules of `htmlParseStartTag`, for all of them at once: where two are in the same state, the
/// rest is the same. In place of a name beyond the limit stand as many letters `x`, which changes none of these states, and nothing but names:
/// libxml2 keeps one attribute for each length that it sees.
enum AttributeNames {
  /// The most different names of one tag, but for a hundred of the letter `x`.
  static let most = 200
  /// As many letters libxml2 reads of a name; what follows is the next one.
  private static let longest = 100

  /// What libxml2 may be at within a tag.
  private enum State: Int, CaseIterable {
    case opened, tagName, blank, name, behindName, behindEquals, inDoubleQuotes, inQuotes, unquoted, nonsense
  }

  /// The states that tags are in, and how many attributes those in one have, at most.
  private struct Counts {
    private var counts = [Int](repeating: 0, count: State.allCases.count)
    /// A bit for each state.
    private var states = 0

    var areEmpty: Bool { states == 0 }

    subscript(state: State) -> Int { states & 1 << state.rawValue == 0 ? 0 : counts[state.rawValue] }

    mutating func add(_ state: State, _ count: Int) {
      counts[state.rawValue] = max(self[state], count)
      states |= 1 << state.rawValue
    }

    /// Takes a state out.
    mutating func popState() -> (state: State, count: Int)? {
      guard let state = State(rawValue: states.trailingZeroBitCount) else { return nil }
      states &= states - 1
      return (state, counts[state.rawValue])
    }
  }

  /// - Parameter most: stands for the limit in tests.
  static func limited(in html: String, to most: Int = most) -> String {
    var bytes = Array(html.utf8)
    var (counts, next) = (Counts(), Counts())
    /// The letters so far of the name that is being read, which all tags that read one have in common.
    var length = 0
    var position = 0
    while position < bytes.count {
      if counts.areEmpty {
        guard let mark = bytes[position...].firstIndex(of: UInt8(ascii: "<")) else { break }
        position = mark
      }
      let byte = bytes[position]
      let following = position + 1 < bytes.count ? bytes[position + 1] : 0
      let endsTag = byte == UInt8(ascii: "/") && following == UInt8(ascii: ">")
      length = isInName(byte) ? (length == longest ? 1 : length + 1) : 0
      while let (state, count) = counts.popState() {
        guard let follower = self.state(after: state, byte, endsTag: endsTag, length: length) else { continue }
        let isNew = follower == .name && (state != .name || length == 1)
        next.add(follower, count + (isNew ? 1 : 0))
      }
      if next[.name] > most { bytes[position] = UInt8(ascii: "x") }
      if byte == UInt8(ascii: "<"), startsName(following) { next.add(.opened, 0) }
      swap(&counts, &next)
      position += 1
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// - Parameters:
  ///   - endsTag: whether the byte begins `/>`.
  ///   - length: which letter of a name the byte is, from 1; 0 for none. The first again for the one behind the longest.
  /// - Returns: `nil` when the tag ends.
  private static func state(after state: State, _ byte: UInt8, endsTag: Bool, length: Int) -> State? {
    switch state {
    case .opened: return .tagName
    case .inDoubleQuotes: return byte == UInt8(ascii: "\"") ? .blank : state
    case .inQuotes: return byte == UInt8(ascii: "'") ? .blank : state
    case .unquoted, .behindEquals:
      if byte == UInt8(ascii: ">") { return nil }
      if isBlank(byte) { return state == .unquoted ? .blank : state }
      if state == .behindEquals, byte == UInt8(ascii: "\"") { return .inDoubleQuotes }
      if state == .behindEquals, byte == UInt8(ascii: "'") { return .inQuotes }
      return .unquoted
    case .tagName, .name, .blank, .behindName, .nonsense: break
    }
    if byte == UInt8(ascii: ">") || endsTag { return nil }
    if isBlank(byte) { return state == .name || state == .behindName ? .behindName : .blank }
    if byte == UInt8(ascii: "="), state == .name || state == .behindName { return .behindEquals }
    if state == .tagName || state == .name, length > 1 { return state }
    return state != .nonsense && startsName(byte) ? .name : .nonsense
  }

  /// By libxml2's `IS_BLANK_CH`, which lacks the form feed that is blank elsewhere.
  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0A).contains(byte) || byte == 0x0D }

  private static func startsName(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
  }

  private static func isInName(_ byte: UInt8) -> Bool { startsName(byte) || byte.isASCIIDigit || byte == UInt8(ascii: "-") }
}
