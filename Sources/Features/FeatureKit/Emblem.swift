import Runtime

/// The stand-in for a fan club's missing picture: its initials, on a color of its own.
public struct Emblem: Equatable, Sendable {
  /// How many colors there are.
  public static let tints = 8
  /// One or two characters.
  public var initials: String
  /// Which color, from 0; the same for a club wherever and whenever it is shown.
  public var tint: Int

  /// - Parameters:
  ///   - name: the club's, whose first and last words begin with the initials. One without letters and digits begins with its sign.
  ///   - id: the club's, which decides the color, so that it stays when the name changes.
  public init(name: String, id: String) {
    let words = name.split { !$0.isLetter && !$0.isNumber }
    let characters = [words.first?.first ?? name.first { !$0.isWhitespace }, words.count > 1 ? words.last?.first : nil]
    // Some letters are several in upper case.
    initials = characters.compactMap { $0.map { String($0.uppercased().prefix(1)) } }.joined()
    var hash = FNV1a()
    hash.add(id.utf8)
    tint = Int(hash.value % UInt64(Self.tints))
  }
}
