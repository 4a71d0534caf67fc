import Foundation
import Runtime

/// A process that answers each line on its input with a line on its output. Belongs to one thread; ends with the object.
final class LedgerProcess {
  /// Why there is no answer.
  enum Failure: Error, Equatable, CustomStringConvertible {
    case cannotStart(String)
    case ended
    case tooSlow

    var description: String {
      switch self {
      case .cannotStart(let reason): reason
      case .ended: "ended without an answer"
      case .tooSlow: "did not answer in time"
      }
    }
  }

  let process: ChildProcess
  /// Its input and its output. A pair of sockets: a write to a process that ended is then an error, and not a signal.
  private let socket: Int32

  /// - Throws: ``Failure/cannotStart(_:)``.
  init(_ program: String, _ arguments: [String]) throws(Failure) {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw .cannotStart(String(cString: strerror(errno)))
    }
    defer { close(ends[1]) }
    do {
      process = try ChildProcess(program, arguments, input: ends[1], output: ends[1])
    } catch {
      close(ends[0])
      throw .cannotStart(error.description)
    }
    socket = ends[0]
  }

  deinit {
    close(socket)
    process.signal(SIGTERM)
    guard !process.hasEnded(within: Self.patience) else { return }
    // One that hangs, or was stopped, takes no notice of that.
    process.signal(SIGKILL)
    guard !process.hasEnded(within: Self.patience) else { return }
    // A disk that does not answer may block the process even then, which this does not wait for.
    Thread.detachNewThread { [process] in _ = process.wait() }
  }

  /// How long it may take to end, each time.
  private static let patience = Duration.milliseconds(500)

  /// Whether the process is no more.
  var hasEnded: Bool { process.hasEnded }

  /// - Returns: the answer, without its line end.
  /// - Throws: ``Failure``.
  func exchange(_ line: Data, until deadline: ContinuousClock.Instant) throws(Failure) -> Data {
    var rest = line + [UInt8(ascii: "\n")]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .ended }
      rest = rest.dropFirst(count)
    }
    var answer = Data()
    while true {
      try waitForOutput(until: deadline)
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(socket, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .ended }
      answer.append(contentsOf: bytes.prefix(count))
      if answer.last == UInt8(ascii: "\n") { return answer.dropLast() }
    }
  }

  private func waitForOutput(until deadline: ContinuousClock.Instant) throws(Failure) {
    while true {
      let left = max(0, (deadline - ContinuousClock.now).seconds)
      var wanted = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      switch poll(&wanted, 1, Int32((left * 1000).rounded(.up))) {
      case 1: return
      case 0: throw .tooSlow
      default: if errno != EINTR { throw .ended }
      }
    }
  }
}
