import Foundation
import Runtime
import Synchronization

/// Writes lines to a descriptor on a thread of its own. Callers do not wait for the reader of a pipe, which may be closed or stuck, and no
/// error of a write ends the process.
///
/// What waits is bounded. Lines that do not fit are counted, and the count is written in their place.
final class LineWriter: Sendable {
  private struct Waiting {
    var bytes = 0
    var dropped = 0
  }

  private let descriptor: Int32
  private let room: Int
  private let thread = ThreadExecutor(name: "lines")
  private let waiting = Mutex(Waiting())

  /// - Parameter room: how many bytes of lines may wait.
  init(_ descriptor: Int32, room: Int = 1 << 20) {
    self.descriptor = descriptor
    self.room = room
  }

  /// Has a line written, without its end, unless too much waits already. Returns at once.
  func write(_ line: String) {
    let text = line + "\n"
    let count = text.utf8.count
    let (fits, isFirstDropped) = waiting.withLock { waiting in
      let fits = waiting.bytes + count <= room
      if fits { waiting.bytes += count } else { waiting.dropped += 1 }
      return (fits, waiting.dropped == 1)
    }
    if fits {
      thread.post { [self] in
        Self.write(text, to: descriptor)
        waiting.withLock { $0.bytes -= count }
      }
    } else if isFirstDropped {
      // Behind the lines that wait, which is where the others are missing.
      thread.post { [self] in
        let dropped = waiting.withLock { waiting in
          defer { waiting.dropped = 0 }
          return waiting.dropped
        }
        Self.write("\(dropped) line\(dropped == 1 ? " was" : "s were") left out here, since nobody read them in time.\n", to: descriptor)
      }
    }
  }

  /// Waits until the lines so far are written, for a limited time. For the end of the process.
  func finish(within time: DispatchTimeInterval = .seconds(1)) {
    let isWritten = DispatchSemaphore(value: 0)
    thread.post { isWritten.signal() }
    _ = isWritten.wait(timeout: .now() + time)
  }

  /// Writes at once, as long as the descriptor takes it; an error is dropped, since there is nowhere to report it. `FileHandle` would end
  /// the process.
  static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard written >= 0 || errno == EINTR else { return }
      rest = rest.dropFirst(max(written, 0))
    }
  }
}
