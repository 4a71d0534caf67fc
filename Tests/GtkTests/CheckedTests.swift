import Testing

@testable import Gtk

/// A constructor whose object is none.
@Suite struct CheckedTests {
  @Test func theProcessEndsInASentence() async throws {
    let process = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = checked(UnsafeMutableRawPointer?.none)
    }
    let errors = String(decoding: process.standardErrorContent, as: UTF8.self)
    #expect(errors.contains("the toolkit made no object: call Toolkit.start() first"))
  }
}
