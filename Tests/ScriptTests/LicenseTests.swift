import Foundation
import Testing

/// What LICENSE says of the files.
@Suite struct LicenseTests {
  @Test func everyPathThatItNamesExists() throws {
    let license = try String(contentsOf: Shell.root.appending(path: "LICENSE"), encoding: .utf8)
    let list = try #require(license.components(separatedBy: "\nFiles and their origin\n").dropFirst().first)
    // A path, or several, stands alone in a line. Others stand in the sentences below them.
    let headings = list.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
      .flatMap { String($0).components(separatedBy: ", ") }.map { $0.trimmingCharacters(in: .whitespaces) }
    let mentioned = list.matches(of: /\b(?:Resources|Sources|Tests|data|meson-helpers)\/[\w.\/-]*\w/).map { String($0.output) }
    #expect(headings.count > 10)
    let missing = Set(headings + mentioned).filter { !FileManager.default.fileExists(atPath: Shell.root.appending(path: $0).path) }
    #expect(missing.sorted() == [], "LICENSE names these")
  }
}
