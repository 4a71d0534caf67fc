import Patience
import Runtime
import Testing

/// Work that is requested again while it runs.
@MainActor @Suite(.timeLimit(.minutes(1))) struct CoalescedTaskTests {
  /// Work that waits until it is let go.
  @MainActor private final class Work {
    private(set) var runs = 0
    private(set) var cancelled = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func run() async {
      runs += 1
      await withCheckedContinuation { waiting.append($0) }
      if Task.isCancelled { cancelled += 1 }
    }

    /// Lets one go, once it has begun.
    func release() async {
      await until { !waiting.isEmpty }
      waiting.removeFirst().resume()
    }
  }

  @Test func requestsDuringARunAreOneMore() async {
    let work = Work()
    let task = CoalescedTask { await work.run() }
    for _ in 0..<3 { task.run() }
    await until { work.runs == 1 }
    for _ in 0..<3 { task.run() }
    await work.release()
    await until { work.runs == 2 }
    await work.release()
    for _ in 0..<100 { await Task.yield() }
    #expect(work.runs == 2)
    task.run()
    await until { work.runs == 3 }
    await work.release()
    #expect(work.cancelled == 0)
  }

  @Test func whatIsCancelledRunsNoMoreAndALaterRequestDoes() async {
    let work = Work()
    let task = CoalescedTask { await work.run() }
    task.run()
    await until { work.runs == 1 }
    task.run()
    task.cancel()
    task.run()
    await until { work.runs == 2 }
    await work.release()
    await work.release()
    await until { work.cancelled == 1 }
    for _ in 0..<100 { await Task.yield() }
    #expect(work.runs == 2)
    // The cancelled run has not ended the later one.
    task.run()
    await until { work.runs == 3 }
    await work.release()
  }

  @Test func aReleasedOneIsCancelled() async {
    let work = Work()
    weak var released: CoalescedTask?
    do {
      let task = CoalescedTask { await work.run() }
      released = task
      task.run()
      await until { work.runs == 1 }
    }
    #expect(released == nil)
    await work.release()
    await until { work.cancelled == 1 }
  }
}
