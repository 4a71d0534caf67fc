import Runtime
import Synchronization

/// Reads documents on two threads of its own, one document at a time on each. The largest take seconds, in which neither the publication nor
/// the shared pool may wait. Short documents have one thread to themselves, so that no small feed waits for a large one of another reader.
struct FeedReader: Sendable {
  /// One thread.
  private actor Worker {
    private nonisolated let executor = ThreadExecutor(name: "feeds")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func run<Value: Sendable>(_ work: @Sendable () throws -> Value) throws -> Value {
      try Task.checkCancellation()
      do { return try work() } catch {
        // Parsers end early then, with an error of their own.
        try Task.checkCancellation()
        throw error
      }
    }
  }

  /// What is read, and waits to be.
  private final class Load: Sendable { let bytes = Mutex(0) }

  /// Why a long document is not read: waiting ones are in memory, and reading takes a multiple of their length.
  struct Busy: Error, CustomStringConvertible {
    let description = "The publication is reading other large feeds just now. Try again in a few minutes."
  }

  /// In bytes: how much of long documents is read or waits at a time.
  static let most = 160 << 20
  /// In bytes: a document of this length is read within a quarter of a second.
  static let longestShort = 1 << 20

  private let short = Worker()
  private let long = Worker()
  private let load = Load()

  /// Runs `work`, unless the task was cancelled while it waited for its turn. `work` may stop early when it is cancelled later.
  /// - Parameter bytes: the length of the document.
  /// - Throws: ``Busy``; `CancellationError`; what `work` throws.
  func run<Value: Sendable>(_ bytes: Int, _ work: @Sendable () throws -> Value) async throws -> Value {
    guard bytes > Self.longestShort else { return try await short.run(work) }
    let isRoom = load.bytes.withLock { load in
      guard load == 0 || load + bytes <= Self.most else { return false }
      load += bytes
      return true
    }
    guard isRoom else { throw Busy() }
    defer { load.bytes.withLock { $0 -= bytes } }
    return try await long.run(work)
  }
}
