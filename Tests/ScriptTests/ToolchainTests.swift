import Foundation
import Testing

/// A missing or old toolchain gets one sentence before anything else happens.
@Suite struct ToolchainTests {
  static let page = "https://www.swift.org/install/linux/"

  @Test(arguments: ["run", "test"]) func noSwift(script: String) throws {
    let shell = try Shell()
    defer { shell.remove() }
    let answer = try shell.run(script)
    #expect(answer.status == 1)
    #expect(answer.output == "Matinee needs Swift 6.3 or newer, and there is no swift on the PATH; get it from \(Self.page)\n")
  }

  @Test(arguments: [("5.10", 5), ("6.2.4", 6), ("6.3", 0), ("6.3.1", 0), ("6.10-dev", 0), ("7.0", 0)])
  func version(told: String, refusedMajor: Int) throws {
    let shell = try Shell()
    defer { shell.remove() }
    try shell.stand(in: "swift", "echo 'Swift version \(told) (swift-RELEASE)'; echo 'Target: x86_64-unknown-linux-gnu'")
    let answer = try shell.evaluate("require_swift; echo fine")
    if refusedMajor == 0 {
      #expect(answer.output == "fine\n")
    } else {
      #expect(answer.status == 1)
      #expect(answer.output.hasPrefix("Matinee needs Swift 6.3 or newer, and this is Swift \(refusedMajor)."))
      #expect(answer.output.hasSuffix("; get it from \(Self.page)\n"))
    }
  }

  /// The toolchain is there and its libraries are not: those are what has to be installed first.
  @Test func swiftThatLacksItsLibraries() throws {
    let shell = try Shell()
    defer { shell.remove() }
    try shell.stand(in: "swift", "[[ -e \(shell.folder.path)/installed ]] && echo 'Swift version 6.3.1'")
    let answer = try shell.evaluate("install_packages() { : >\(shell.folder.path)/installed; }; require_swift; echo fine")
    #expect(answer.output == "fine\n")
  }

  @Test func swiftThatNeverStarts() throws {
    let shell = try Shell()
    defer { shell.remove() }
    try shell.stand(in: "swift", "exit 127")
    let answer = try shell.evaluate("install_packages() { :; }; require_swift")
    #expect(answer.status == 1)
    #expect(answer.output.hasPrefix("Matinee needs Swift 6.3 or newer, and the swift on the PATH does not start"))
  }
}
