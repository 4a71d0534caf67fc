import Foundation
import PublicationServer
import Runtime

@testable import CrashProbe

/// The programs that are killed, as they were built.
enum Programs {
  static func path(_ name: String) -> String {
    URL(fileURLWithPath: LedgerGateway.besideThisProgram).deletingLastPathComponent().appendingPathComponent(name).path
  }
}

/// `matinee-server serve` on a folder. Blocks its caller while it starts and while it ends.
final class ServerProcess {
  struct NoStart: Error, CustomStringConvertible { let description: String }

  let port: UInt16
  var identifier: pid_t { child.identifier }
  private let child: ChildProcess
  private let output: FileHandle

  /// - Parameter log: the descriptor that becomes its standard error.
  init(folder: String, log: Int32) throws {
    let output = Pipe()
    child = try ChildProcess(
      Programs.path("matinee-server"), ["serve", "--port", "0", "--data", folder], output: output.fileHandleForWriting.fileDescriptor,
      errors: log)
    try output.fileHandleForWriting.close()
    self.output = output.fileHandleForReading
    var line = Data()
    while line.last != UInt8(ascii: "\n") {
      let byte = output.fileHandleForReading.readData(ofLength: 1)
      if byte.isEmpty { break }
      line += byte
    }
    let text = String(decoding: line, as: UTF8.self)
    guard let port = text.split(separator: ":").last.flatMap({ UInt16($0.trimmingCharacters(in: .newlines)) }) else {
      child.signal(SIGKILL)
      _ = child.wait()
      throw NoStart(description: "matinee-server did not start: “\(text)”")
    }
    self.port = port
  }

  deinit { kill() }

  func kill() {
    child.signal(SIGKILL)
    _ = child.wait()
  }
}

/// `CrashProbe` on an errand: what it says becomes events.
final class ClientProcess: Sendable {
  /// A socket that is open as long as somebody may write to it.
  private final class Line: Sendable {
    let socket: Int32
    init(_ socket: Int32) { self.socket = socket }
    deinit { close(socket) }
    /// That nobody is there any more is no error.
    func letGo() { _ = Socket.write(Data([10]), socket) }
  }

  let number: Int
  private let child: ChildProcess
  private let line: Line

  init(_ errand: Errand, number: Int, tell: @escaping @Sendable (Event) -> Void) throws {
    self.number = number
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw POSIXError(.init(rawValue: errno) ?? .EIO)
    }
    defer { close(ends[1]) }
    let line = Line(ends[0])
    self.line = line
    let words = String(decoding: try JSONEncoder().encode(errand), as: UTF8.self)
    child = try ChildProcess(Programs.path("CrashProbe"), [words], input: ends[1], output: ends[1])
    let thread = Thread {
      Self.read(line.socket) { said in
        switch said {
        case .stands(let label): tell(.stands(Standstill(label: label, client: number) { _ in line.letGo() }))
        case .done(let report): tell(.done(report, client: number))
        }
      }
      tell(.gone(client: number))
    }
    thread.stackSize = 1 << 19
    thread.start()
  }

  deinit { kill() }

  /// Lets it leave after its report, and waits for that.
  func leave() {
    line.letGo()
    _ = child.wait()
  }

  func kill() {
    child.signal(SIGKILL)
    _ = child.wait()
  }

  private static func read(_ socket: Int32, _ hear: (CrashProbe.Line) -> Void) {
    var data = Data()
    while Socket.more(socket, &data) {
      while let end = data.firstIndex(of: UInt8(ascii: "\n")) {
        if let line = try? JSONDecoder().decode(CrashProbe.Line.self, from: data[..<end]) { hear(line) }
        data = Data(data[data.index(after: end)...])
      }
    }
  }
}
