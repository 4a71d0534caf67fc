import Foundation
import Testing

/// meson-helpers/mutate, with a package of one file and a swift that decides by what stands in it.
@Suite struct MutateTests {
  /// - Parameter code: the file, before anything is inverted.
  /// - Parameter build: bash that fails where the file `$code` does not compile.
  /// - Parameter test: bash that tells what the tests say.
  private func mutate(
    _ code: String, build: String = "exit 0", test: String, _ arguments: String..., check: (String, Int32) throws -> Void
  ) throws {
    let shell = try Shell()
    defer { shell.remove() }
    try shell.keep("python3", "env", "grep", "cat")
    let folder = shell.folder.appending(path: "Sources/Cores/Toy")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(code.utf8).write(to: folder.appending(path: "Toy.swift"))
    try shell.stand(
      in: "swift",
      """
      code=Sources/Cores/Toy/Toy.swift
      case $1 in
        package) echo 'a warning before it'
          echo '{'
          echo ' "targets": [{"name": "Toy", "path": "Sources/Cores/Toy", "type": "library", "sources": ["Toy.swift"]},'
          echo ' {"name": "ToyTests", "path": "Tests/ToyTests", "type": "test", "sources": [], "target_dependencies": ["Toy"]},'
          echo ' {"name": "OtherTests", "path": "Tests/OtherTests", "type": "test", "sources": [], "target_dependencies": ["Toy"]},'
          echo ' {"name": "FarTests", "path": "Tests/FarTests", "type": "test", "sources": [], "target_dependencies": []}]}' ;;
        build) \(build) ;;
        test) [[ $* != *FarTests* ]] || echo "Test Case 'FarTests.never' failed"
          \(test) ;;
      esac
      """)
    let answer = try Shell.run(
      ["/usr/bin/env", "python3", shell.folder.appending(path: "meson-helpers/mutate").path, "--seed", "1"] + arguments,
      environment: ["PATH": shell.bin.path, "HOME": shell.folder.path])
    try check(answer.output, answer.status)
    // What people work on is never touched.
    #expect(try String(contentsOf: folder.appending(path: "Toy.swift"), encoding: .utf8) == code)
    let copy = shell.folder.appending(path: ".build/mutants/sources/Sources/Cores/Toy/Toy.swift")
    #expect(try String(contentsOf: copy, encoding: .utf8) == code)
  }

  @Test func aTestThatFailsKills() throws {
    try mutate(
      "let small = a < b\n",
      test: "grep -q 'a < b' $code || [[ $* != *ToyTests* ]] || echo \"Test Case 'ToyTests.order' failed (0.1 seconds)\""
    ) { output, status in
      #expect(output.contains("1/10  Sources/Cores/Toy/Toy.swift:1: < → <=: killed by ToyTests: ToyTests.order\n"))
      #expect(output.hasSuffix("\n1 killed, 0 survived\n"))
      #expect(status == 0)
    }
  }

  @Test func soDoesATestOfAnotherTargetThatImportsIt() throws {
    try mutate(
      "let both = a && b\n",
      test: "grep -q 'a && b' $code || [[ $* != *OtherTests* ]] || echo '✘ Test both() recorded an issue at X.swift:1:1'"
    ) { output, status in
      #expect(output.contains("&& → ||: killed by OtherTests: both()\n"), "\(output)")
      #expect(status == 0)
    }
  }

  @Test func whatNoTestNoticesSurvives() throws {
    try mutate("let same = a == b // a < b\nlet text = \"a < b\"\n", test: "exit 0") { output, status in
      #expect(output.contains("| Sources/Cores/Toy/Toy.swift:1: == → != | `let same = a == b // a < b` | SURVIVED |\n"), "\(output)")
      #expect(output.contains("1 decisions; building\n"), "comments and strings decide nothing")
      #expect(output.hasSuffix("\n0 killed, 1 survived\n"))
      #expect(status == 1)
    }
  }

  @Test func anotherTakesThePlaceOfWhatDoesNotCompile() throws {
    try mutate(
      "guard ready else { return true }\n", build: "! grep -q 'return false' $code", test: "! grep -q '!(ready)' $code", "--count", "1"
    ) { output, status in
      #expect(output.contains("ready → !(ready): killed by ToyTests: it ended with status 1\n"), "\(output)")
      #expect(output.hasSuffix("\n1 killed, 0 survived\n"))
      #expect(status == 0)
    }
  }

  @Test func aTestThatFailsAnywayKillsNothing() throws {
    try mutate("let next = number + 1\n", test: "[[ $* != *OtherTests* ]] || exit 1") { output, status in
      #expect(output.contains("Left out, as it fails without a mutant: OtherTests: it ended with status 1\n"), "\(output)")
      #expect(output.contains("+ 1 → - 1: SURVIVED\n"))
      #expect(status == 1)
    }
  }

  @Test func onlyWhatIsAskedForIsInverted() throws {
    try mutate("let small = a < b\n", test: "exit 0", "--only", "Sources/Cores/To") { output, status in
      #expect(output == "Seed 1\nThere is nothing to invert there.\n")
      #expect(status == 1)
    }
  }
}
