import Foundation

/// How many times longer than usual a test may wait, from `MATINEE_PATIENCE`: a sanitized program is slow, and says nothing else by that.
public let patience = ProcessInfo.processInfo.environment["MATINEE_PATIENCE"].flatMap(Double.init) ?? 1

/// Lets other tasks run until the condition holds.
///
/// It returns, too, once the test is cancelled, as by its time limit. A test that waited for ever would end with the whole process, and with it
/// the report of which one it was.
public nonisolated(nonsending) func until(_ condition: () async throws -> Bool) async rethrows {
  while try await !condition(), !Task.isCancelled { await Task.yield() }
}
