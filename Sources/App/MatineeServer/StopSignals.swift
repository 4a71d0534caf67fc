import Dispatch
import Foundation

/// SIGTERM and SIGINT, as something to wait for. The second one ends the process at once.
struct StopSignals {
  private let stream: AsyncStream<Void>
  private let sources: [any DispatchSourceSignal]

  /// A task that ends when one arrives.
  static func arrival() -> Task<Void, Never> {
    let signals = StopSignals()
    return Task { await signals.first() }
  }

  private init() {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    self.stream = stream
    sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { continuation.yield() }
      source.resume()
      return source
    }
  }

  /// Returns when one arrives, or has arrived.
  private func first() async {
    var signals = stream.makeAsyncIterator()
    await signals.next()
    Task { [stream] in
      for await _ in stream { _exit(1) }
    }
  }
}
