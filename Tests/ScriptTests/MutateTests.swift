import Foundation
import Testing

/// meson-helpers/mutate, with a package of one file, or of two targets with one each, and a swift that decides by what stands in it.
@Suite struct MutateTests {
  /// - Parameter code: the file, before anything is inverted.
  /// - Parameter small: the file of another target.
  /// - Parameter build: bash that fails where the file `$code` does not compile.
  /// - Parameter test: bash that tells what the tests say.
  private func mutate(
    _ code: String, small: String? = nil, build: String = "exit 0", test: String, _ arguments: String...,
    check: (String, Int32) throws -> Void
  ) throws {
    let shell = try Shell()
    defer { shell.remove() }
    try shell.keep("python3", "env", "grep", "cat", "bash", "setsid", "sleep")
    let folder = shell.folder.appending(path: "Sources/Cores/Toy")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(code.utf8).write(to: folder.appending(path: "Toy.swift"))
    if let small {
      let other = shell.folder.appending(path: "Sources/Cores/Small")
      try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
      try Data(small.utf8).write(to: other.appending(path: "Small.swift"))
    }
    try shell.stand(
      in: "swift",
      """
      code=Sources/Cores/Toy/Toy.swift
      case $1 in
        package) echo 'a warning before it'
          echo '{'
          echo ' "targets": [{"name": "Toy", "path": "Sources/Cores/Toy", "type": "library", "sources": ["Toy.swift"]},'
          [[ ! -e Sources/Cores/Small ]] || echo ' {"name": "Small", "path": "Sources/Cores/Small", "type": "library",'
          [[ ! -e Sources/Cores/Small ]] || echo '  "sources": ["Small.swift"]},'
          echo ' {"name": "ToyTests", "path": "Tests/ToyTests", "type": "test", "sources": [], "target_dependencies": ["Toy"]},'
          echo ' {"name": "OtherTests", "path": "Tests/OtherTests", "type": "test", "sources": [], "target_dependencies": ["Toy", "Small"]},'
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
      #expect(output.contains("1/30  Sources/Cores/Toy/Toy.swift:1: < → <=: killed by ToyTests: ToyTests.order\n"))
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

  /// Drawn from all places alike, a small target would be missed nearly always.
  @Test(arguments: ["1", "2", "3", "4"]) func targetsTakeTurns(seed: String) throws {
    let code = (1...40).map { "let less\($0) = a < b\n" }.joined()
    try mutate(code, small: "let both = a && b\nlet other = a || b\n", test: "exit 0", "--seed", seed, "--count", "4") { output, status in
      for operators in ["1: && → ||", "2: || → &&"] { #expect(output.contains("Sources/Cores/Small/Small.swift:\(operators): SURVIVED\n")) }
      #expect(output.hasSuffix("\n0 killed, 4 survived\n"), "\(output)")
      #expect(status == 1)
    }
    // When a target has no more the others go on.
    try mutate(code, small: "let both = a && b\n", test: "exit 0", "--seed", seed, "--count", "5") { output, _ in
      #expect(output.hasSuffix("\n0 killed, 5 survived\n"), "\(output)")
    }
  }

  @Test(arguments: ["1", "2", "3", "4"]) func anotherOfTheSameTargetTakesThePlaceOfWhatDoesNotCompile(seed: String) throws {
    try mutate(
      "let less = a < b\nlet more = a > b\n", small: "let both = a && b\nlet either = c || d\n",
      build: "! grep -q 'a || b' Sources/Cores/Small/Small.swift", test: "exit 0", "--seed", seed, "--count", "2"
    ) { output, _ in
      #expect(output.contains("Sources/Cores/Small/Small.swift:2: || → &&: SURVIVED\n"), "\(output)")
      #expect(output.hasSuffix("\n0 killed, 2 survived\n"), "\(output)")
    }
  }

  /// SwiftPM runs tests in a process group of their own. A mutant that hangs there would keep the processor for good.
  @Test func nothingThatATestStartedIsLeftBehind() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    try mutate(
      "let small = a < b\n",
      test: """
        grep -q 'a < b' $code && exit
        setsid bash -c 'echo $$ >\(file.path); exec sleep 1000' </dev/null >/dev/null 2>&1 &
        until [[ -s \(file.path) ]]; do :; done
        echo "Test Case 'ToyTests.order' failed (0.1 seconds)"
        """
    ) { output, status in
      #expect(status == 0, "\(output)")
      let left = try #require(Int32(String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)))
      #expect(kill(left, 0) == -1 || (try? Data(contentsOf: URL(filePath: "/proc/\(left)/environ")))?.isEmpty ?? true)
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

  /// The sources have moved on from one that is never met.
  @Test func everyEquivalentMutantIsOneThatIsMade() throws {
    let line = """
      import sys
      script = {"__name__": "mutate", "__file__": sys.argv[1]}
      exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), script)
      script["COPY"] = script["ROOT"]
      print(len(script["EQUIVALENT"]), "in the list")
      for path, line, new, reason in script["EQUIVALENT"]:
          if (line, new) not in {(mutant.line, mutant.new.strip()) for mutant in script["mutants_of"](path, "")}:
              print("never met:", path, line)
      """
    let answer = try Shell.run(
      ["/usr/bin/env", "python3", "-B", "-c", line, Shell.root.appending(path: "meson-helpers/mutate").path],
      environment: ["PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHONUTF8": "1"])
    #expect(answer.status == 0)
    #expect(answer.output.wholeMatch(of: /[1-9][0-9]* in the list\n/) != nil, "\(answer.output)")
  }
}
