import Foundation
import Testing

/// Declarations that no other line of the sources names. A count of words: a name that two declarations share is not found, and none is
/// found in vain.
@Suite struct UnusedDeclarationTests {
  /// Found by the compiler or by a toolkit, and by no name: members of result builders and property wrappers, programs, requirements of the standard library.
  private static let found: Set<String> = [
    "buildArray", "buildBlock", "buildOptional", "BuildInfoPlugin", "ConfigPlugin", "enqueue", "projectedValue",
  ]

  @Test func everyDeclarationIsNamedSomewhereElse() throws {
    let declaration = /\b(?:func|var|let|struct|class|enum|actor|protocol|typealias|case(?=\s+[a-z]))\s+(?<name>[A-Za-z_][A-Za-z0-9_]*)/
    let package = try PackageDescription.current.get()
    var counts: [Substring: Int] = [:]
    var places: [(name: Substring, place: String, isForOthers: Bool)] = []
    for target in package.targets where target.path.hasPrefix("Sources/") {
      for file in try target.swiftFiles() {
        for line in file.lines {
          for word in line.text.matches(of: /[A-Za-z_][A-Za-z0-9_]*/) { counts[word.output, default: 0] += 1 }
          for match in line.text.matches(of: declaration) {
            // What a library offers is for apps outside of this package; what only tests use says so.
            let isLibrary = file.path.hasPrefix("Sources/Cores/") && line.text.contains("public ")
            let isDriver = file.path.hasPrefix("Sources/Tools/Driver/")
            let comment = file.lines[..<(line.number - 1)].reversed().prefix { $0.whole.drop(while: \.isWhitespace).hasPrefix("///") }
            let isForTests = comment.contains { $0.whole.contains(/for tests/.ignoresCase()) }
            places.append((match.output.name, "\(file.path):\(line.number): \(match.output.name)", isLibrary || isDriver || isForTests))
          }
        }
      }
    }
    let unused = places.filter { counts[$0.name] == 1 && !$0.isForOthers && !Self.found.contains(String($0.name)) }
    #expect(unused.map(\.place) == [])
    #expect(places.count > 4000, "the sources are not where this test looks for them")
  }
}
