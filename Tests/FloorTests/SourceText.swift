import Foundation

/// One source file without its comments, so that prose about a rule does not break it.
struct SourceText {
  struct Line {
    let number: Int
    let text: String
    /// With its comment.
    let whole: Substring
  }

  let path: String
  let lines: [Line]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
      Line(number: index + 1, text: Self.code(of: String(line)), whole: line)
    }
  }

  /// The line up to a `//` that does not stand inside a string.
  private static func code(of line: String) -> String {
    var inString = false
    var previous: Character = " "
    for index in line.indices {
      let character = line[index]
      if character == "\"" && previous != "\\" { inString.toggle() }
      if character == "/" && previous == "/" && !inString { return String(line[..<line.index(before: index)]) }
      previous = character
    }
    return line
  }

  /// Where `pattern` occurs, as `path:line: text`.
  func places(of pattern: Regex<some Any>) -> [String] {
    lines.filter { $0.text.contains(pattern) }
      .map { "\(path):\($0.number): \($0.text.trimmingCharacters(in: .whitespaces))" }
  }

  /// The functions and initializers that take more than so many arguments without a label, as `path:line`.
  func declarations(withMorePositionalArgumentsThan most: Int) -> [String] {
    let text = lines.map(\.text).joined(separator: "\n")
    return text.matches(of: /\b(?:func\s+[^\s(<]+|init\??)\s*(?:<[^>]*>)?\(/).compactMap { declaration in
      var (depth, isFirst, positional) = (1, true, 0)
      var previous: Character = "("
      for (index, character) in zip(text[declaration.range.upperBound...].indices, text[declaration.range.upperBound...]) {
        switch character {
        case "(", "[", "{", "<": depth += 1
        case ")", "]", "}": depth -= 1
        case ">" where previous != "-": depth -= 1
        case "," where depth == 1: isFirst = true
        case _ where isFirst && !character.isWhitespace:
          if character == "_", text[text.index(after: index)...].first == " " { positional += 1 }
          isFirst = false
        default: break
        }
        previous = character
        if depth == 0 { break }
      }
      guard positional > most else { return nil }
      return "\(path):\(text[..<declaration.range.lowerBound].count { $0 == "\n" } + 1)"
    }
  }

  /// The modules that the file imports.
  var imports: Set<String> {
    let statement =
      /^\s*(?:@[\w()]+\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)/
    return Set(lines.compactMap { $0.text.firstMatch(of: statement).map { String($0.output.1) } })
  }
}

extension PackageDescription.Target {
  /// The Swift files of the target, comments removed.
  func swiftFiles() throws -> [SourceText] {
    try sources.filter { $0.hasSuffix(".swift") && !$0.hasPrefix("/") }.map { source in
      let relative = path + "/" + source
      let text = try String(contentsOf: PackageDescription.root.appending(path: relative), encoding: .utf8)
      return SourceText(path: relative, text: text)
    }
  }
}
