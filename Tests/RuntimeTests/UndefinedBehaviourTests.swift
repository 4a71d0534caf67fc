import CTrapProbe
import Foundation
import Testing

/// Undefined behaviour in C, and a null where a header allows none, end the process where `MATINEE_UNDEFINED` says so: in the sanitizers'
/// lanes. Elsewhere the same calls return.
@Suite struct UndefinedBehaviourTests {
  #if arch(x86_64)
    private static let trap = SIGILL
  #else
    private static let trap = SIGTRAP
  #endif
  private static let isLookedFor = ProcessInfo.processInfo.environment["MATINEE_UNDEFINED"] == "trap"
  private static let end: ExitTest.Condition = isLookedFor ? .signal(trap) : .success

  @Test func cIsCompiledAsTheEnvironmentSays() { #expect((matinee_probe_is_armed() != 0) == Self.isLookedFor) }

  @Test func inAFileOfC() async { await #expect(processExitsWith: Self.end) { _ = matinee_probe_overflow(.max) } }

  @Test func inAFunctionOfAHeader() async { await #expect(processExitsWith: Self.end) { _ = matinee_probe_overflow_in_header(.max) } }

  @Test func aNullWhereAHeaderAllowsNone() async { await #expect(processExitsWith: Self.end) { _ = matinee_probe_null() } }
}
