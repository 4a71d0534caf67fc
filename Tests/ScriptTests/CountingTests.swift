import Foundation
import Testing

/// The closing line of meson-helpers/test says what happened, also when a test process dies.
@Suite struct CountingTests {
  /// Runs the counting part of the script on `log`.
  private func count(_ log: String) throws -> String {
    let shell = try Shell()
    defer { shell.remove() }
    try shell.keep("awk", "mawk", "gawk", "cat")
    let file = shell.folder.appending(path: "log")
    try Data(log.utf8).write(to: file)
    let line = "passed=0 failed=0 skipped=0; count_results '\(file.path)'; echo $passed $failed $skipped"
    return try shell.evaluate(line).output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test func resultsOfXCTest() throws {
    let log = """
      Test Case 'A.one' started at 2026-01-01 00:00:00.000
      Test Case 'A.one' passed (0.001 seconds)
      words of the test itselfTest Case 'A.two' failed (1.5 seconds)
      Test Case 'A.three' skipped (0.0 seconds)
      Test Suite 'A' failed at 2026-01-01 00:00:00.000
      \t Executed 3 tests, with 1 test skipped and 1 failure (0 unexpected) in 0.1 (0.1) seconds
      """
    #expect(try count(log) == "1 1 1")
  }

  @Test func resultsOfSwiftTesting() throws {
    let log = """
      ◇ Test one() started.
      ✔ Test one() passed after 0.006 seconds.
      ✔ Test many(text:) with 3 test cases passed after 0.009 seconds.
      ✔ Test "reads in words" passed after 0.009 seconds.
      ✘ Test bad(x:) recorded an issue with 1 argument x → 2 at Tmp.swift:11:45: Expectation failed
      ✘ Test bad(x:) with 2 test cases failed after 0.001 seconds with 1 issue.
      ➜ Test left() skipped: "nope"
      ➜ Test out() skipped.
      ✔ Suite S passed after 0.011 seconds.
      ✘ Test run with 6 tests in 1 suite failed after 0.001 seconds with 1 issue.
      """
    #expect(try count(log) == "3 1 2")
  }

  @Test func linesThatGotLostAreCountedWhereAllPassed() throws {
    let log = """
      ✔ Test one() passed after 0.006 seconds.
      ➜ Test left() skipped: "nope"
      ━ Test run with 4 tests in 1 suite passed after 0.001 seconds with 1 known issue.
      """
    #expect(try count(log) == "3 0 1")
  }

  @Test func nothingRan() throws {
    #expect(try count("Segmentation fault") == "0 0 0")
  }
}
