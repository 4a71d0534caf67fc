import Dispatch
import Foundation

/// SIGTERM and SIGINT, as something to wait for. The second one ends the process at once.
enum StopSignals {
  /// A task that ends when one arrives, or has arrived.
  static func arrival() -> Task<Void, Never> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    // Both on one queue, so that they come one after the other; not in a task, since all threads of tasks may be busy.
    let queue = DispatchQueue(label: "stop-signals")
    for number in [SIGTERM, SIGINT] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        if case .terminated = continuation.yield() { _exit(1) }
        continuation.finish()
        // The signal is ignored from now on, so its source has to live as long as the process.
        _ = source
      }
      source.resume()
    }
    return Task { for await _ in stream {} }
  }
}
