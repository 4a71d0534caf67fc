import Foundation
import PurchaseService
import Synchronization

/// Where in a test something went wrong, in the form that both test libraries take.
public struct TestLocation: Sendable {
  /// The module and the file, as `#fileID` has them.
  public let fileID: StaticString
  /// The file's whole path.
  public let file: StaticString
  /// The line in the file, from 1.
  public let line: UInt
  /// The column in the line, from 1.
  public let column: UInt
}

/// A queue whose every function fails the test, unless the test overrides it. Safe from any thread.
///
/// A closure of the test decides how a test fails. With Swift Testing:
///
///     let queue = MockQueueProcessor { message, at in
///       let place = SourceLocation(fileID: "\(at.fileID)", filePath: "\(at.file)", line: Int(at.line), column: Int(at.column))
///       Issue.record("\(message)", sourceLocation: place)
///     }
///
/// With XCTest:
///
///     let queue = MockQueueProcessor { XCTFail($0, file: $1.file, line: $1.line) }
///
/// Then override what the test expects to be called, and nothing else:
///
///     queue.onObserve { AsyncStream { $0.finish() } }
///     queue.onAdd { issuer.accepted($0) }
public final class MockQueueProcessor: QueueProcessor {
  /// Fails the test: what was called, and where the mock was made.
  public typealias Failure = @Sendable (_ message: String, _ location: TestLocation) -> Void

  private struct Overrides {
    var canMakePayments: (@Sendable () -> Bool)?
    var add: (@Sendable (Transaction) async -> SubmissionOutcome)?
    var finish: (@Sendable (Transaction) async throws -> Void)?
    var restore: (@Sendable (String) async throws -> [String])?
    var cancel: (@Sendable (UUID, _ user: String) async throws -> Void)?
    var observe: (@Sendable () -> AsyncStream<QueueUpdate>)?
  }

  /// What a function that was not overridden throws, where it can.
  public struct Unexpected: Error, Equatable, Sendable {
    /// The name of the function that was called.
    public let function: String
  }

  private let overrides = Mutex(Overrides())
  private let failure: Failure
  private let location: TestLocation

  /// - Parameters:
  ///   - fileID: the caller's place, for the failure.
  ///   - file: the same.
  ///   - line: the same.
  ///   - column: the same.
  ///   - failure: fails the test; called on any thread.
  public init(
    fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    failure: @escaping Failure
  ) {
    self.failure = failure
    location = TestLocation(fileID: fileID, file: file, line: line, column: column)
  }

  /// Overrides `canMakePayments`.
  public func onCanMakePayments(_ answer: @escaping @Sendable () -> Bool) { overrides.withLock { $0.canMakePayments = answer } }
  /// Overrides `add(_:)`.
  public func onAdd(_ answer: @escaping @Sendable (Transaction) async -> SubmissionOutcome) { overrides.withLock { $0.add = answer } }
  /// Overrides `finish(_:)`.
  public func onFinish(_ answer: @escaping @Sendable (Transaction) async throws -> Void) { overrides.withLock { $0.finish = answer } }
  /// Overrides `restore(user:)`.
  public func onRestore(_ answer: @escaping @Sendable (String) async throws -> [String]) { overrides.withLock { $0.restore = answer } }
  /// Overrides `cancel(_:user:)`.
  public func onCancel(_ answer: @escaping @Sendable (UUID, _ user: String) async throws -> Void) {
    overrides.withLock { $0.cancel = answer }
  }
  /// Overrides `observe()`.
  public func onObserve(_ answer: @escaping @Sendable () -> AsyncStream<QueueUpdate>) { overrides.withLock { $0.observe = answer } }

  private func fail(_ function: String) {
    failure("MockQueueProcessor.\(function) was called, and this test does not override it.", location)
  }

  // MARK: QueueProcessor

  /// See `QueueProcessor`; `false` unless overridden.
  public var canMakePayments: Bool {
    if let answer = overrides.withLock({ $0.canMakePayments }) { return answer() }
    fail("canMakePayments")
    return false
  }

  /// See `QueueProcessor`; refused unless overridden, so that nothing asks again.
  public func add(_ transaction: Transaction) async -> SubmissionOutcome {
    if let answer = overrides.withLock({ $0.add }) { return await answer(transaction) }
    fail("add(_:)")
    return .refused(code: "unexpected_call", sentence: "This test expects no submission.")
  }

  /// See `QueueProcessor`.
  /// - Throws: ``Unexpected`` unless overridden.
  public func finish(_ transaction: Transaction) async throws {
    if let answer = overrides.withLock({ $0.finish }) { return try await answer(transaction) }
    fail("finish(_:)")
    throw Unexpected(function: "finish(_:)")
  }

  /// See `QueueProcessor`.
  /// - Throws: ``Unexpected`` unless overridden.
  public func restore(user: String) async throws -> [String] {
    if let answer = overrides.withLock({ $0.restore }) { return try await answer(user) }
    fail("restore(user:)")
    throw Unexpected(function: "restore(user:)")
  }

  /// See `QueueProcessor`.
  /// - Throws: ``Unexpected`` unless overridden.
  public func cancel(_ transaction: UUID, user: String) async throws {
    if let answer = overrides.withLock({ $0.cancel }) { return try await answer(transaction, user) }
    fail("cancel(_:user:)")
    throw Unexpected(function: "cancel(_:user:)")
  }

  /// See `QueueProcessor`; nothing comes unless overridden.
  public func observe() -> AsyncStream<QueueUpdate> {
    if let answer = overrides.withLock({ $0.observe }) { return answer() }
    fail("observe()")
    return AsyncStream { $0.finish() }
  }
}
