import Foundation
import Runtime
import TestSupport

/// Debian's nginx in front of a listener on this machine, with a configuration and a folder of its own. Ends with the object.
final class Nginx: Sendable {
  struct Failure: Error { let reason: String }

  /// The program; `nil` where there is none.
  static let program = (["/usr/sbin"] + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init))
    .map { $0 + "/nginx" }.first { FileManager.default.isExecutableFile(atPath: $0) }

  let port: Int
  private let folder: String
  private let child: ChildProcess

  /// - Parameter passesAll: whether fields reach the listener whose names nginx calls invalid; otherwise it leaves them out.
  convenience init(before backend: Int, passesAll: Bool) throws {
    try self.init(
      http: """
        client_max_body_size 0; large_client_header_buffers 4 256k; ignore_invalid_headers \(passesAll ? "off" : "on"); underscores_in_headers on;
        upstream publication { server 127.0.0.1:\(backend); keepalive 4; }
        """,
      server: """
        location / { proxy_pass http://publication; proxy_http_version 1.1; proxy_set_header Connection ""; }
        """)
  }

  /// As the manual for publishers has it.
  convenience init(ofTheManualBefore backend: Int) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let manual = try String(contentsOf: root.appending(path: "docs/publishers.md"), encoding: .utf8)
    guard let block = manual.components(separatedBy: "```nginx\n").dropFirst().first?.components(separatedBy: "```").first else {
      throw Failure(reason: "the manual has no configuration")
    }
    try self.init(http: "", server: block.replacing("127.0.0.1:8080", with: "127.0.0.1:\(backend)"))
  }

  private init(http: String, server: String) throws {
    guard let program = Self.program else { throw Failure(reason: "no nginx") }
    port = try Self.freePort()
    let folder = NSTemporaryDirectory() + "matinee-nginx-\(UUID().uuidString)"
    self.folder = folder
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder)/\($0);" }
    let configuration = """
      daemon off; master_process off; pid \(folder)/pid; error_log \(folder)/errors;
      events {}
      http {
        \(paths.joined(separator: " "))
        access_log off;
        \(http)
        server {
          listen 127.0.0.1:\(port);
          \(server)
        }
      }
      """
    try Data(configuration.utf8).write(to: URL(fileURLWithPath: folder + "/conf"))
    child = try ChildProcess(program, ["-e", folder + "/errors", "-p", folder, "-c", folder + "/conf"])
  }

  deinit {
    child.signal(SIGKILL)
    _ = child.wait()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Returns once it takes connections.
  func listens() async throws {
    while (try? RawClient(port: port)) == nil {
      guard !child.hasEnded else {
        throw Failure(reason: (try? String(contentsOfFile: folder + "/errors", encoding: .utf8)) ?? "it ended")
      }
      await Task.yield()
    }
  }

  /// One that nobody has at the moment.
  private static func freePort() throws -> Int {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0 }
    }
    guard isBound else { throw Failure(reason: String(cString: strerror(errno))) }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}
