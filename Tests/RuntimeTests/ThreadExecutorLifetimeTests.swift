import Foundation
import Runtime
import Testing

/// An actor's last job is its own `isolated deinit`, which releases the executor that runs it.
@Suite struct ThreadExecutorLifetimeTests {
  private actor Inner {
    private nonisolated let executor = ThreadExecutor(name: "inner")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let ended: AsyncStream<Void>.Continuation

    init(_ ended: AsyncStream<Void>.Continuation) { self.ended = ended }
    isolated deinit { ended.finish() }
  }

  private actor Outer {
    private nonisolated let executor = ThreadExecutor(name: "outer")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    // Released after the executor, while the executor still counts as the current one.
    private nonisolated let inner: Inner
    private var count = 0

    init(_ ended: AsyncStream<Void>.Continuation) { inner = Inner(ended) }
    func work() { count += 1 }
    isolated deinit { count = 0 }
  }

  @Test func aThreadShowsItsName() async throws {
    let executor = ThreadExecutor(name: "a-name-that-is-too-long")
    let name = { @Sendable in try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8) }
    // What it was made for comes first, and whatever else is there by then.
    for _ in 0..<1000 where try await executor.run(name) != "a-name-that-is-\n" { await Task.yield() }
    #expect(try await executor.run(name) == "a-name-that-is-\n")
  }

  @Test func anActorThatOwnsAnotherEndsOnItsOwnThread() async {
    for _ in 0..<200 {
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      var outer: Outer? = Outer(continuation)
      await outer?.work()
      outer = nil
      for await _ in stream {}
    }
  }
}
