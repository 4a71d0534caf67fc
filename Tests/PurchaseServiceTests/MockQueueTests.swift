import Foundation
import PurchaseService
import PurchaseServiceTesting
import Runtime
import Synchronization
import Testing
import XCTest

/// How the mock fails a test of Swift Testing.
private let issue: MockQueueProcessor.Failure = { message, at in
  let place = SourceLocation(fileID: "\(at.fileID)", filePath: "\(at.file)", line: Int(at.line), column: Int(at.column))
  Issue.record("\(message)", sourceLocation: place)
}

@MainActor @Suite(.timeLimit(.minutes(1))) struct MockQueueTests {
  private struct NoVerifier: ReceiptVerifier {
    func verify(_ receipt: String) async throws -> ReceiptContents<String> { throw VerificationError.unavailable("none") }
  }

  private func purchases(_ queue: MockQueueProcessor) async throws -> Purchases<String> {
    let clock = ManualClock()
    return Purchases(
      seller: "store",
      purchasePath: PurchasePath(name: "mock", fetcher: ScriptedProducts([monthly]), queue: queue, verifier: NoVerifier()),
      journal: try await Journal(path: ":memory:", clock: clock),
      environment: PurchaseEnvironment(clock: clock, effects: Effects(), retry: RetryPolicy(triesInForeground: 1)))
  }

  @Test func whereNobodyIsSignedInTheQueueIsNotReached() async throws {
    let purchases = try await purchases(MockQueueProcessor(failure: issue))
    let authorizer = ScriptedAuthorizer()
    #expect(await purchases.purchase(monthly, authorizer: authorizer) == .failed(.notSignedIn))
    #expect(authorizer.orders.isEmpty)
  }

  @Test func wherePaymentsAreNotAllowedTheQueueIsNotReached() async throws {
    let queue = MockQueueProcessor(failure: issue)
    queue.onCanMakePayments { false }
    let purchases = try await purchases(queue)
    purchases.setUser("ada")
    let authorizer = ScriptedAuthorizer()
    #expect(await purchases.purchase(monthly, authorizer: authorizer) == .failed(.notAllowed))
    #expect(authorizer.orders.isEmpty, "and nobody is asked for money")
    #expect(try await purchases.history().isEmpty, "and nothing was begun")
    #expect(PurchaseError.notAllowed.code == "not_allowed")
  }

  @Test func productsAreLoadedWithoutTheQueue() async throws {
    let purchases = try await purchases(MockQueueProcessor(failure: issue))
    #expect(try await purchases.products(["premium.monthly"]).products == [monthly])
  }

  @Test func everyFunctionFailsTheTestUnlessItIsOverridden() async throws {
    let told = Mutex<[String]>([])
    let queue = MockQueueProcessor { message, location in
      told.withLock { $0.append(message) }
      #expect("\(location.fileID)".hasSuffix("MockQueueTests.swift"))
    }
    let transaction = Transaction(
      id: id(1), seller: "s", user: "ada", productID: "p", isOneTime: false, price: monthly.price, purchasePath: "mock",
      begun: Date(timeIntervalSince1970: 0))
    #expect(!queue.canMakePayments)
    #expect(await queue.add(transaction) == .refused(code: "unexpected_call", sentence: "This test expects no submission."))
    await #expect(throws: MockQueueProcessor.Unexpected.self) { try await queue.finish(transaction) }
    await #expect(throws: MockQueueProcessor.Unexpected.self) { try await queue.restore(user: "ada") }
    await #expect(throws: MockQueueProcessor.Unexpected.self) { try await queue.cancel(id(1), user: "ada") }
    for await _ in queue.observe() {}
    #expect(told.withLock { $0.count } == 6)
    #expect(told.withLock { $0.first } == "MockQueueProcessor.canMakePayments was called, and this test does not override it.")

    queue.onCanMakePayments { true }
    queue.onAdd { _ in .unauthorized }
    queue.onFinish { _ in }
    queue.onRestore { [$0] }
    queue.onCancel { _, _ in }
    queue.onObserve { AsyncStream { $0.finish() } }
    #expect(queue.canMakePayments)
    #expect(await queue.add(transaction) == .unauthorized)
    try await queue.finish(transaction)
    #expect(try await queue.restore(user: "ada") == ["ada"])
    try await queue.cancel(id(1), user: "ada")
    for await _ in queue.observe() {}
    #expect(told.withLock { $0.count } == 6)
  }

  @Test func itFailsATestOfSwiftTestingWhereTheMockWasMade() async throws {
    let queue = MockQueueProcessor(failure: issue)
    let line = #line - 1
    await withKnownIssue {
      _ = await queue.restoreIgnoringErrors()
    } matching: {
      $0.sourceLocation?.line == line && $0.comments.contains { "\($0)".contains("restore(user:)") }
    }
  }
}

extension MockQueueProcessor {
  fileprivate func restoreIgnoringErrors() async -> [String] { (try? await restore(user: "ada")) ?? [] }
}

final class MockQueueXCTests: XCTestCase {
  private var caught: [(description: String, line: Int)]?

  // What XCTest does with a failure, kept here where one is expected.
  override func recordFailure(withDescription description: String, inFile filePath: String, atLine lineNumber: Int, expected: Bool) {
    guard caught != nil else {
      return super.recordFailure(withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
    }
    caught?.append((description, lineNumber))
  }

  func testItFailsATestOfXCTestWhereTheMockWasMade() {
    let queue = MockQueueProcessor { XCTFail($0, file: $1.file, line: $1.line) }
    let line = #line - 1
    caught = []
    XCTAssertFalse(queue.canMakePayments)
    XCTAssertEqual(caught?.map(\.line), [line])
    XCTAssertTrue(caught?.first?.description.contains("canMakePayments") == true)
    caught = nil
    queue.onCanMakePayments { true }
    XCTAssertTrue(queue.canMakePayments)
  }
}
