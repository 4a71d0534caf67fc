import Foundation
import Testing

/// The lanes of meson-helpers/test.
@Suite struct LaneTests {
  /// A machine on which nothing is missing, and whose swift writes down what it is asked. So does the program with the tests, which it builds.
  /// - Parameters:
  ///   - tests: what `swift test list` says.
  ///   - run: what that program does.
  private func machine(
    tests: [String] = ["CrashTests.CrashMatrixTests/one()", "CrashTests.CrashMatrixTests/two()", "OtherTests.A/three()"],
    run: String = "printf '%s\\n' '✔ Test one() passed after 0.1 seconds.' '| a table' '✔ Test two() passed after 0.1 seconds.'"
  ) throws -> Shell {
    let shell = try Shell()
    try shell.keep(
      "awk", "mawk", "gawk", "cat", "grep", "sed", "mkdir", "mktemp", "rm", "timeout", "sort", "uniq", "tr", "head", "env", "cut", "tee",
      "tail", "sleep", "chmod", "mv")
    let common = shell.folder.appending(path: "meson-helpers/common.sh")
    let text = try String(contentsOf: common, encoding: .utf8)
    try Data((text + "\npackages() { :; }\n").utf8).write(to: common)
    try shell.stand(in: "python3", "exit 0")
    let note = """
      echo "$*: $MATINEE_CRASH_SEEDS, headless $MATINEE_HEADLESS" >>\(shell.folder.path)/calls
      echo "$1: undefined $MATINEE_UNDEFINED, random $MATINEE_RANDOM_MINUTES, starts $MATINEE_STARTS, walks $MATINEE_WALKS" \
        >>\(shell.folder.path)/settings
      """
    try shell.stand(in: "tests", "\(note)\n\(run)")
    try shell.stand(
      in: "swift",
      """
      [[ $1 != --version ]] || { echo 'Swift version 6.3.1'; exit; }
      \(note)
      case $* in
        *list*) printf '%s\\n' \(tests.map { "'\($0)'" }.joined(separator: " ")) ;;
        build*)
          [[ $* =~ --scratch-path\\ ([^ ]+) ]] && folder=${BASH_REMATCH[1]} || folder=.build
          mkdir -p "$folder/debug"
          cat \(shell.bin.path)/tests >"$folder/debug/matineePackageTests.xctest"
          chmod +x "$folder/debug/matineePackageTests.xctest"
          ;;
      esac
      """)
    return shell
  }

  @Test func theCrashLanePlaysAHundredSeedsAndShowsTheTable() throws {
    let shell = try machine()
    defer { shell.remove() }
    let answer = try shell.run("test", "--headless", "--lane", "crash")
    #expect(answer.status == 0, "\(answer.output)")
    let lines = answer.output.split(separator: "\n")
    #expect(lines.contains("  | a table"))
    #expect(lines.last == "2 passed, 0 failed, 0 skipped")
    let calls = try String(contentsOf: shell.folder.appending(path: "calls"), encoding: .utf8).split(separator: "\n")
    #expect(calls.last == "--testing-library swift-testing --filter ^CrashTests\\.: 100, headless 1")
    #expect(calls.filter { $0.contains("--filter") }.count == 1)
  }

  /// How much a lane plays when nobody says so.
  @Test func theOtherLanesPlayAllOfTheirs() throws {
    let shell = try machine(tests: ["WalkTests.AppWalkTests/one"])
    defer { shell.remove() }
    _ = try shell.run("test", "--headless", "--lane", "walks")
    let requested = try String(contentsOf: shell.folder.appending(path: "settings"), encoding: .utf8).split(separator: "\n")
    #expect(requested.last == "WalkTests.AppWalkTests/one: undefined , random , starts , walks 20x10000")
    // That one needs a window.
    let script = try String(contentsOf: Shell.root.appending(path: "meson-helpers/test"), encoding: .utf8)
    #expect(script.contains("MATINEE_STARTS:-$(($3 > 0 ? $3 : 40))}") && script.contains("MATINEE_RANDOM_MINUTES:-$(($3 > 0 ? 4 : 10))}"))
  }

  @Test func fewerSeedsCanBeAskedFor() throws {
    let shell = try machine()
    defer { shell.remove() }
    let answer = try shell.run("test", "--lane", "crash", "--headless", environment: ["MATINEE_CRASH_SEEDS": "7"])
    #expect(answer.status == 0, "\(answer.output)")
    #expect(try String(contentsOf: shell.folder.appending(path: "calls"), encoding: .utf8).hasSuffix(": 7, headless 1\n"))
  }

  @Test func theSanitizersBuildApartAndRunAPart() throws {
    let shell = try machine()
    defer { shell.remove() }
    let answer = try shell.run("test", "--headless", "--lane", "address", "--part", "2/2")
    #expect(answer.status == 0, "\(answer.output)")
    let calls = try String(contentsOf: shell.folder.appending(path: "calls"), encoding: .utf8).split(separator: "\n")
    let folder = shell.folder.appending(path: ".build/address").path
    #expect(calls.contains { $0.hasPrefix("build --manifest-cache none --build-tests --sanitize address --scratch-path \(folder)") })
    #expect(calls.filter { $0.hasPrefix("build ") }.count == 1)
    let tests = calls.filter { $0.contains("--filter") }
    #expect(tests.count == 1)
    #expect(tests.first?.hasPrefix("--testing-library swift-testing --filter ^OtherTests") == true)
  }

  /// Without the variable nothing of C is looked at, and no test would miss it.
  @Test(arguments: ["address", "thread"]) func theSanitizersLookForUndefinedBehaviourInC(lane: String) throws {
    let shell = try machine()
    defer { shell.remove() }
    _ = try shell.run("test", "--headless", "--lane", lane)
    let settings = try String(contentsOf: shell.folder.appending(path: "settings"), encoding: .utf8).split(separator: "\n")
    for command in ["build", "test", "--testing-library"] {
      let own = settings.filter { $0.hasPrefix("\(command): ") }
      #expect(!own.isEmpty)
      #expect(own.allSatisfy { $0.hasPrefix("\(command): undefined trap,") }, "\(settings)")
    }
  }

  /// What is slow does not gather in one part, wherever its name stands in the alphabet.
  @Test(arguments: [("1/2", ["CrashTests", "GtkTests"]), ("2/2", ["ScreensTests", "ATests"])])
  func theSlowTargetsAreDealtOutFirst(part: String, targets: [String]) throws {
    let shell = try machine(tests: [
      "ATests.A/one()", "CrashTests.A/one()", "CrashTests.A/two()", "GtkTests.A/one()", "ScreensTests.A/one()",
    ])
    defer { shell.remove() }
    _ = try shell.run("test", "--headless", "--lane", "thread", "--part", part)
    let calls = try String(contentsOf: shell.folder.appending(path: "calls"), encoding: .utf8).split(separator: "\n")
    let filters = calls.compactMap { $0.firstMatch(of: /--filter \^([A-Za-z]+).*: 1, headless 1/)?.1 }
    #expect(filters.map(String.init) == targets, "\(calls)")
  }

  @Test func aPartOfAnotherLaneFollowsInItsTurn() throws {
    let shell = try machine()
    defer { shell.remove() }
    let answer = try shell.run("test", "--headless", "--rotate", "7")
    let lines = answer.output.split(separator: "\n")
    #expect(lines.contains("Lane crash, part 1/1"), "\(answer.output)")
    let calls = try String(contentsOf: shell.folder.appending(path: "calls"), encoding: .utf8).split(separator: "\n")
    #expect(calls.last == "--testing-library swift-testing --filter ^CrashTests\\.: 6, headless 1")
  }

  /// Of the window tests a sixth is played, and every start, but not the two that take longest. In each second turn CI plays the others after that.
  @Test(arguments: [
    (["MATINEE_TURN": "2"], nil, ["EndToEndTests.RendererStartTests/a", "ScreensTests.A/b"]),
    (["MATINEE_TURN": "08"], nil, ["EndToEndTests.RendererStartTests/a", "ScreensTests.A/d"]),
    (
      ["MATINEE_TURN": "all"], nil,
      [
        "EndToEndTests.RendererStartTests/a,EndToEndTests.RandomInputTests/a",
        "ScreensTests.A/b,ScreensTests.A/c,ScreensTests.A/d,ScreensTests.A/e,ScreensTests.LookTests/testEveryTransitionInAWideWindow",
      ]
    ),
    (
      [:], "18",
      [
        "EndToEndTests.RendererStartTests/a", "ScreensTests.A/b", "EndToEndTests.RandomInputTests/a",
        "ScreensTests.A/c,ScreensTests.A/d,ScreensTests.A/e,ScreensTests.LookTests/testEveryTransitionInAWideWindow",
      ]
    ),
    ([:], "7", ["EndToEndTests.RendererStartTests/a", "ScreensTests.A/d"]),
  ]) func aSixthOfTheWindowTestsIsPlayed(environment: [String: String], rotate: String?, expected: [String]) throws {
    let longest = ["EndToEndTests.RandomInputTests/a", "ScreensTests.LookTests/testEveryTransitionInAWideWindow"]
    let shell = try machine(
      tests: ["CrashTests.A/one()", "EndToEndTests.RendererStartTests/a"] + "bcde".map { "ScreensTests.A/\($0)" } + longest,
      run: #"""
        case $* in
          *CrashTests*) echo '✔ Test one() passed after 0.1 seconds.' ;;
          *) for name in ${1//,/ }; do echo "Test Case '${name//\//.}' passed (0.1 seconds)"; done ;;
        esac
        """#)
    defer { shell.remove() }
    let answer =
      try rotate.map { try shell.run("test", "--headless", "--rotate", $0) }
      ?? shell.run("test", "--headless", environment: environment)
    let calls = try String(contentsOf: shell.folder.appending(path: "calls"), encoding: .utf8).split(separator: "\n")
    let played = calls.compactMap { $0.firstMatch(of: /^((EndToEnd|Screens)Tests.*): , headless 1/)?.1 }
    #expect(played.map(String.init) == expected, "\(calls)")
    #expect(answer.status == 0, "\(answer.output)")
  }

  /// Thousands of lines follow what failed, and of a log one often has the end alone.
  @Test func theEndSaysWhatFailedAndTheLogsOfBothLanesStay() throws {
    let shell = try machine(
      tests: ["CrashTests.A/one()", "OtherTests.A/one()"],
      run: """
        case $* in
          *OtherTests*) echo '✘ Test one() failed after 0.1 seconds.' && exit 1 ;;
          *) printf '%s\\n' '| a table' '✔ Test one() passed after 0.1 seconds.' ;;
        esac
        """)
    defer { shell.remove() }
    let answer = try shell.run("test", "--headless", "--rotate", "7")
    #expect(answer.status == 1)
    let logs = shell.folder.appending(path: ".build/test-logs").path
    #expect(
      answer.output.hasSuffix(
        """
        What failed, once more:
        OtherTests
          ✘ Test one() failed after 0.1 seconds.
        The logs are in \(logs)
        3 passed, 1 failed, 0 skipped

        """), "\(answer.output)")
    for log in ["CrashTests.log", "OtherTests.log", "crash/CrashTests.log"] {
      #expect(FileManager.default.fileExists(atPath: "\(logs)/\(log)"), "\(log)")
    }
  }

  @Test(.timeLimit(.minutes(1))) func aTestThatHangsIsNamed() throws {
    let shell = try machine(
      tests: ["OtherTests.A/one()", "OtherTests.A/two(a:)", "OtherTests.A/three(b:)"],
      run: """
        printf '%s\\n' '◇ Test one() started.' '◇ Test two(a:) started.' '✔ Test two(a:) with 3 test cases passed after 1 seconds.'
        printf '%s\\n' '◇ Test three(b:) started.' '✘ Test three(b:) recorded an issue: Time limit was exceeded'
        exec sleep 100
        """)
    defer { shell.remove() }
    let answer = try shell.run("test", "--headless", environment: ["limit": "1"])
    #expect(answer.status == 1)
    let lines = answer.output.split(separator: "\n").map(String.init)
    #expect(lines.contains("  ✘ Test three(b:) recorded an issue: Time limit was exceeded"), "\(answer.output)")
    let end = try #require(lines.first { $0.contains("did not finish (out of time); it ended in ") }, "\(answer.output)")
    #expect(end.contains("one") && end.contains("three") && !end.contains("two"), "\(end)")
  }

  /// Tests of XCTest and of Swift Testing can be in one target. Each kind runs in a process of its own.
  @Test func bothKindsOfTestsRun() throws {
    let shell = try machine(
      tests: ["OtherTests.A/one", "OtherTests.B/two()", "OtherTests.A/three", "FurtherTests.A/one"],
      run: """
        case $1 in
          --testing-library) echo '✔ Test two() passed after 0.1 seconds.' ;;
          OtherTests*) printf "Test Case '%s' passed (0.1 seconds)\\n" A.one A.three ;;
          *) echo "Test Case 'A.one' passed (0.1 seconds)" && kill -KILL $$ ;;
        esac
        """)
    defer { shell.remove() }
    let answer = try shell.run("test", "--headless")
    let calls = try String(contentsOf: shell.folder.appending(path: "calls"), encoding: .utf8).split(separator: "\n").map(String.init)
    #expect(
      calls.suffix(3)
        == ["FurtherTests.A/one", "OtherTests.A/one,OtherTests.A/three", #"--testing-library swift-testing --filter ^OtherTests\."#].map {
          $0 + ": , headless 1"
        })
    // What dies after its last test has failed as well.
    #expect(answer.output.hasSuffix("\n5 passed, 1 failed, 0 skipped\n"), "\(answer.output)")
  }

  /// A part that is in no turn would rot unseen.
  @Test func everyPartOfEveryLaneHasItsTurn() throws {
    let script = try String(contentsOf: Shell.root.appending(path: "meson-helpers/test"), encoding: .utf8)
    let lanes = try #require(script.firstMatch(of: /readonly lanes='(.*)'/)).1.split(separator: ", ").map(String.init)
    let turns = try #require(script.firstMatch(of: /readonly rotation=\(([^)]*)\)/)).1.matches(of: /'(\w+) (\d+)\/(\d+) \d+'/)
    #expect(lanes.count > 3)
    // What people get is built in each second turn.
    #expect(script.contains("run_lane flavours 1/1 0\n") && lanes.contains("flavours"))
    for lane in lanes where lane != "flavours" {
      let own = turns.filter { $0.1 == lane }
      let parts = own.compactMap { Int($0.3) }
      #expect(Set(parts).count == 1, "\(lane) is cut into equal parts")
      #expect(own.compactMap { Int($0.2) }.sorted() == Array(1...max(1, parts.first ?? 0)), "\(lane)")
    }
    #expect(Set(turns.map { String($0.1) }) == Set(lanes).subtracting(["flavours"]))
  }

  /// What asserts something from some time on has that time, and light and dark share it.
  @Test func theTurnOfRandomInputIsLongEnoughToMeasureMemory() throws {
    let script = try String(contentsOf: Shell.root.appending(path: "meson-helpers/test"), encoding: .utf8)
    let test = try String(contentsOf: Shell.root.appending(path: "Tests/EndToEndTests/RandomInputTests.swift"), encoding: .utf8)
    let turn = try #require(script.firstMatch(of: /MATINEE_RANDOM_MINUTES:-\$\(\(\$3 > 0 \? (\d+) : (\d+)\)\)/))
    let least = try #require(test.firstMatch(of: /leastToMeasure = ([\d.]+)/))
    let seconds = try #require(Double(least.1))
    for minutes in [turn.1, turn.2].compactMap({ Double($0) }) { #expect(minutes * 30 >= seconds) }
  }

  /// `.ci/run` with a git that is made up, on the day 20 000, and a test that says what it was asked.
  private func turn(git: String) throws -> Shell.Answer {
    let shell = try Shell()
    defer { shell.remove() }
    try FileManager.default.copyItem(at: Shell.root.appending(path: ".ci"), to: shell.folder.appending(path: ".ci"))
    let test = shell.folder.appending(path: "meson-helpers/test")
    try FileManager.default.removeItem(at: test)
    try shell.stand(in: "test", "echo \"$*\"")
    try FileManager.default.moveItem(at: shell.bin.appending(path: "test"), to: test)
    try shell.stand(in: "git", git)
    try shell.stand(in: "date", "echo $((20000 * 86400 + 17))")
    return try Shell.run(
      ["/bin/bash", shell.folder.appending(path: ".ci/run").path, "--headless"], environment: ["PATH": shell.bin.path])
  }

  @Test func turnsGoByTheNumberOfCommits() throws {
    let answer = try turn(git: "case $* in *shallow*) echo false ;; *count*) echo 1307 ;; esac")
    #expect(answer.status == 0)
    #expect(answer.output == "--rotate 1307 --headless\n")
  }

  /// In a clone of one commit their number is always 1, and outside of a repository there is none.
  @Test(arguments: ["case $* in *shallow*) echo true ;; *count*) echo 1 ;; esac", "echo 'fatal: not a git repository' >&2; exit 128"])
  func turnsGoByTheDayWithoutAHistory(git: String) throws {
    let answer = try turn(git: git)
    #expect(answer.status == 0, "\(answer.output)")
    #expect(answer.output.hasSuffix("\n--rotate 20000 --headless\n"))
    #expect(answer.output.hasPrefix("Without the history of the commits the day chooses"))
  }

  @Test(arguments: ["gl", "flavours"]) func theLaneWithAWindowNeedsOne(lane: String) throws {
    let shell = try machine()
    defer { shell.remove() }
    let answer = try shell.run("test", "--headless", "--lane", lane)
    #expect(answer.status == 1)
    #expect(answer.output == "The lane \(lane) needs a window: it cannot be --headless.\n")
  }

  @Test(arguments: [
    (["--lane"], "The lanes besides the usual one are flavours, crash, gl, walks, address, thread."),
    (["--lane", "slow"], "The lanes besides the usual one are flavours, crash, gl, walks, address, thread."),
    (["--headless", "--lane", "--filter"], "The lanes besides the usual one are flavours, crash, gl, walks, address, thread."),
    (["--lane", "address", "--part", "3/2"], "--part takes K/N, such as 1/3."), (["--rotate", "next"], "--rotate takes a number."),
  ])
  func whatMakesNoSenseIsRefused(arguments: [String], sentence: String) throws {
    let shell = try machine()
    defer { shell.remove() }
    let answer = try Shell.run(
      ["/bin/bash", shell.folder.appending(path: "meson-helpers/test").path] + arguments, environment: ["PATH": shell.bin.path])
    #expect(answer.status == 1)
    #expect(answer.output == sentence + "\n")
  }
}
