import Foundation
import Testing

/// Every public declaration says what it is. The formatter's rule demands that of each initializer too, also where there is nothing to say:
/// a memberwise one, whose parameters are documented as properties.
@Suite struct DocumentedDeclarationTests {
  /// The public declarations of a file that nothing is said about, as `path:line: text`, and how many public declarations it has.
  private func undocumented(_ file: SourceText) -> (places: [String], all: Int) {
    let declaration =
      /^\s*(?:@\S+\s+)*(?:nonisolated\s+)?(?:public\s+(?!import\b|extension\b)|open\s+(?=class\b|func\b|var\b|subscript\b))/
    var isText = false
    var places: [String] = []
    var all = 0
    for (index, line) in file.lines.enumerated() {
      // Source that a program writes stands in texts of several lines.
      if line.text.matches(of: /"{3}/).count % 2 == 1 { isText.toggle() }
      guard !isText, line.text.contains(declaration), !line.text.contains(" override ") else { continue }
      all += 1
      if !isDocumented(file.lines, index) && !isMemberwise(file.lines, index) {
        places.append("\(file.path):\(line.number): \(line.text.trimmingCharacters(in: .whitespaces))")
      }
    }
    return (places, all)
  }

  /// Whether documentation stands above a line, or above its attributes.
  private func isDocumented(_ lines: [SourceText.Line], _ index: Int) -> Bool {
    let above = lines[..<index].last { line in
      let text = line.whole.drop(while: \.isWhitespace)
      return !text.hasPrefix("@") && (!text.hasPrefix("//") || text.hasPrefix("///"))
    }
    return above?.whole.drop(while: \.isWhitespace).hasPrefix("///") == true
  }

  /// Whether a line begins an initializer that sets documented properties from parameters of the same name, and does nothing else.
  private func isMemberwise(_ lines: [SourceText.Line], _ start: Int) -> Bool {
    guard lines[start].code.contains(/\binit\(/) else { return false }
    let depth = lines[start].indentation
    guard let end = (start..<lines.count).first(where: { lines[$0].indentation == depth && lines[$0].code.hasSuffix("}") }) else {
      return false
    }
    let text = lines[start...end].map(\.code).joined(separator: "\n")
    guard let opening = text.firstMatch(of: /\binit\(/)?.range else { return false }
    var rest = text[opening.upperBound...]
    let names = parameters(&rest)
    guard !names.isEmpty, let body = rest.firstIndex(of: "{") else { return false }
    let statements = rest[rest.index(after: body)...].dropLast().split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    guard statements.sorted() == names.map({ "self.\($0) = \($0)" }).sorted() else { return false }
    return Set(names).isSubset(of: documentedProperties(lines, around: start...end))
  }

  /// The names of an initializer's parameters. Takes all up to the closing parenthesis from the text, which begins behind the opening one.
  private func parameters(_ text: inout Substring) -> [String] {
    var depth = 1
    var parameters = [""]
    while depth > 0, let character = text.popFirst() {
      if "([{".contains(character) { depth += 1 }
      if ")]}".contains(character) { depth -= 1 }
      if depth == 1 && character == "," { parameters.append("") } else { parameters[parameters.count - 1].append(character) }
    }
    // `label name: Type`.
    return parameters.filter { $0.contains(":") }.compactMap { parameter in
      parameter.split(separator: ":").first?.split(whereSeparator: \.isWhitespace).last.map { String($0) }
    }
  }

  /// The documented properties of the type that some lines belong to.
  private func documentedProperties(_ lines: [SourceText.Line], around place: ClosedRange<Int>) -> Set<String> {
    let depth = lines[place.lowerBound].indentation
    let outside = lines.indices.filter { !lines[$0].code.isEmpty && lines[$0].indentation < depth }
    let first = outside.last { $0 < place.lowerBound } ?? 0
    let last = outside.first { $0 > place.upperBound } ?? lines.count
    var names: Set<String> = []
    for index in first..<last where lines[index].indentation == depth && isDocumented(lines, index) {
      let property = /^\s*(?:@\S+\s+)*public\s+(?!static\b)(?:[a-z]+(?:\(set\))?\s+)*(?:let|var)\s+(\w+)/
      if let match = lines[index].text.firstMatch(of: property) { names.insert(String(match.output.1)) }
    }
    return names
  }

  @Test func everyPublicDeclarationIsDocumented() throws {
    let files = try PackageDescription.current.get().targets.flatMap { try $0.swiftFiles() }
    let found = files.map(undocumented)
    #expect(found.flatMap(\.places) == [])
    #expect(found.map(\.all).reduce(0, +) > 3000, "the sources are not where this test looks for them")
  }

  /// The reader sees that it is one. What has to hold of the arguments, or nothing, stands there.
  @Test func noInitializerIsDocumentedAsMemberwise() throws {
    let files = try PackageDescription.current.get().targets.filter { $0.path.hasPrefix("Sources/") }.flatMap { try $0.swiftFiles() }
    let places = files.flatMap { file in
      file.lines.filter { $0.whole.lowercased().contains("memberwise initializer") }.map { "\(file.path):\($0.number)" }
    }
    #expect(places == [])
  }

  @Test func onlyMemberwiseInitializersNeedNoDocumentation() {
    let head = """
      /// A range.
      public struct Range {
        /// Where it begins.
        public let from: Int
        /// Which it is for.
        public var names: [String: Int]
        public let length: Int

      """
    func places(_ initializer: String) -> [String] { undocumented(SourceText(path: "x", text: head + initializer + "\n}")).places }
    let missing = "x:7: public let length: Int"
    #expect(
      places("  public init(_ from: Int, of names: [String: Int] = [:]) {\n    self.from = from\n    self.names = names\n  }") == [missing])
    #expect(places("  public init(\n    from: Int\n  ) {\n    self.from = from\n  }") == [missing])
    #expect(places("  public init(from: Int) { self.from = from }") == [missing])
    #expect(places("  public init(from: Int) {\n    self.from = max(from, 0)\n  }").count == 2)
    #expect(places("  public init(from: Int) {\n    precondition(from > 0)\n    self.from = from\n  }").count == 2)
    #expect(places("  public init(length: Int) {\n    self.length = length\n  }").count == 2)
    #expect(places("  /// Reads one.\n  @discardableResult\n  public init(length: Int) {\n    self.length = length\n  }") == [missing])
    #expect(places("  public func half() -> Int { from / 2 }") == [missing, "x:8: public func half() -> Int { from / 2 }"])
    #expect(places("  func half() -> Int { from / 2 }") == [missing])
  }
}

extension SourceText.Line {
  /// How many spaces stand before it.
  fileprivate var indentation: Int { text.prefix { $0 == " " }.count }
  /// Without the white space around it.
  fileprivate var code: String { text.trimmingCharacters(in: .whitespaces) }
}
