/// Words that people mistype.
enum Spelling {
  /// The word that `word` was probably meant to be; `nil` when none is close.
  static func nearest(to word: String, among words: [String]) -> String? {
    let ranked = words.sorted().map { (word: $0, distance: distance(word.lowercased(), $0.lowercased())) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, min(3, word.count / 3)) ? best.word : nil
  }

  static func list(_ words: [String]) -> String { words.map { "“\($0)”" }.joined(separator: ", ") }

  static func expected(_ words: [String], found node: JSONNode) -> String {
    var hint = ""
    if case .string(let text) = node.value, let near = nearest(to: text, among: words) { hint = "; did you mean “\(near)”?" }
    return "expected one of \(list(words)), found \(node.found)\(hint)"
  }

  /// The words that an enumeration allows; `nil` when its raw values are not text.
  static func words<Words: CaseIterable & RawRepresentable>(_ type: Words.Type) -> [String]? {
    let words = type.allCases.compactMap { $0.rawValue as? String }
    return words.isEmpty ? nil : words
  }

  /// The edit distance: how many letters have to be added, removed, replaced or swapped with their neighbor.
  static func distance(_ one: String, _ other: String) -> Int {
    let a = Array(one.prefix(64))
    let b = Array(other.prefix(64))
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    var rows = [[Int]](repeating: Array(0...b.count), count: a.count + 1)
    for i in 1...a.count {
      rows[i][0] = i
      for j in 1...b.count {
        rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1) }
      }
    }
    return rows[a.count][b.count]
  }
}
