import Foundation

/// Standard error, for the person who runs a program. Safe from any thread.
public enum StandardError {
  /// Writes a line. Output to a closed or a full pipe is lost: no program waits for its log, or ends because of it. The program has to
  /// ignore SIGPIPE.
  /// - Parameters:
  ///   - line: without its end.
  ///   - terminator: what ends it: a prompt has no line of its own.
  public static func write(_ line: String, terminator: String = "\n") { write(line + terminator, to: STDERR_FILENO) }

  static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      // A pipe that is ready takes so much without blocking.
      var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard poll(&ready, 1, 0) == 1, ready.revents & Int16(POLLOUT) != 0 else { return }
      let written = rest.prefix(Int(PIPE_BUF)).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard written > 0 else { return }
      rest = rest.dropFirst(written)
    }
  }
}
