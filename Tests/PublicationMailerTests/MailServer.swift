import Foundation
import Runtime
import TestSupport

/// aiosmtpd, a mail server that is not ours, as a process of the test's own; it ends with this object.
final class MailServer: Sendable {
  /// What it took.
  struct Taken: Decodable, Equatable {
    var sender: String
    var recipients: [String]
    var message: String
    var encrypted: Bool
    var user: String?
  }

  private struct Started: Decodable { var port: Int }
  struct NotStarted: Error {}

  let port: Int
  private let child: ChildProcess
  private let input: FileHandle
  private let output: FileHandle
  private let reader = ThreadExecutor(name: "mail-server")

  /// - Parameter options: see `smtpd.py`.
  init(_ options: String..., identity: TestIdentity) async throws {
    let (input, output) = (Pipe(), Pipe())
    let script = Checkout.root.appending(path: "Tests/PublicationMailerTests/smtpd.py").path
    child = try ChildProcess(
      "/usr/bin/env", [try await identity.python(), script, identity.certificate, identity.key] + options,
      environment: ProcessInfo.processInfo.environment, input: input.fileHandleForReading.fileDescriptor,
      output: output.fileHandleForWriting.fileDescriptor, errors: FileHandle.standardError.fileDescriptor)
    try input.fileHandleForReading.close()
    try output.fileHandleForWriting.close()
    self.input = input.fileHandleForWriting
    self.output = output.fileHandleForReading
    let line = try await reader.run { output.fileHandleForReading.line() }
    guard let started = try? JSONDecoder().decode(Started.self, from: line) else { throw NotStarted() }
    port = started.port
  }

  deinit {
    child.signal(SIGKILL)
    _ = child.wait()
  }

  /// The next mail.
  func next() async throws -> Taken { try JSONDecoder().decode(Taken.self, from: try await reader.run { [output] in output.line() }) }
}

/// A certificate of this machine that nobody has signed, and its key.
struct TestIdentity {
  private let folder: String
  var certificate: String { folder + "/certificate.pem" }
  var key: String { folder + "/key.pem" }

  init() async throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "smtp-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let made = try await Program([
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", certificate,
      "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
    ]).run()
    guard made.status == 0 else { throw MailServer.NotStarted() }
  }

  func remove() { try? FileManager.default.removeItem(atPath: folder) }

  /// A python3 that has aiosmtpd: the one on the PATH, or the system's, which is where apt installs for.
  func python() async throws -> String {
    for python in ["python3", "/usr/bin/python3"] where try await Program([python, "-c", "import aiosmtpd"]).run().status == 0 {
      return python
    }
    throw MailServer.NotStarted()
  }
}
