import Foundation
import SQLiteStorage
import TestSupport
import Testing

@testable import MatineeServer

/// How a command reaches the server that has the folder: by the file that the server wrote.
@Suite struct OperatorAccessTests: ServerRig {
  let folder: Folder
  init() throws { folder = try Folder() }

  private func list(_ environment: [String: String] = [:]) async throws -> Server.Outcome {
    try await Server.run(["order", "list", "--data", data], environment: environment)
  }

  private func point(at origin: String, token: String = "secret") throws {
    try Data("{\"origin\":\"\(origin)\",\"token\":\"\(token)\"}".utf8).write(to: URL(fileURLWithPath: data + "/operator.json"))
  }

  /// Where it does not listen on this machine only, either. All traffic of the test stays on this machine, but 0.0.0.0 is not called so.
  @Test func noProxyGetsTheToken() async throws {
    try await Server.makeSample(data)
    let owner = try DataFolder(path: data)
    let server = try LoopbackServer { _ in .text("[]") }
    let proxy = try LoopbackServer { _ in .text("[]") }
    try point(at: "http://0.0.0.0:\(server.port)")
    let names = ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]
    let listed = try await list(Dictionary(uniqueKeysWithValues: names.map { ($0, proxy.origin) }))
    #expect(listed == Server.Outcome(status: 0, output: "", errors: ""))
    #expect(proxy.received.isEmpty)
    #expect(server.received.map { $0.field("Authorization") } == ["Bearer secret"])
    withExtendedLifetime(owner) {}
  }

  @Test func aServerThatIsNotThereIsSaidSo() async throws {
    try await Server.makeSample(data)
    let owner = try DataFolder(path: data)
    let file = data + "/operator.json"
    func refused(_ sentence: String) async throws {
      #expect(try await list() == Server.Outcome(status: 1, output: "", errors: "matinee-server: \(sentence)\n"))
    }
    let unknown =
      "\(data) is in use by another running program, and \(file) does not say how to reach it: it takes no commands, as an import "
      + "does, or is just starting or stopping. Try again in a moment."
    try await refused(unknown)
    try Data("{".utf8).write(to: URL(fileURLWithPath: file))
    try await refused(unknown)

    let silent = try LoopbackServer { _ in .reset() }
    try point(at: silent.origin)
    let outcome = try await list()
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.hasPrefix("matinee-server: The server at \(silent.origin), which \(file) names, does not answer: "),
      "\(outcome.errors)")
    #expect(outcome.errors.count { $0 == "\n" } == 1)

    // Another program, which listens there by now.
    for reply in [LoopbackServer.Reply.text("Hello"), .answer(404, body: Data("<html>".utf8))] {
      let other = try LoopbackServer { _ in reply }
      try point(at: other.origin)
      try await refused("\(other.origin) does not answer as the server that wrote \(file). Start the server again: it writes a new one.")
    }
    withExtendedLifetime(owner) {}
  }

  @Test func onlyAFileOfItsNameIsRemoved() throws {
    let inside = try folder.write("kept", "kept")
    let operatorFolder = folder.file("data/operator.json")
    try FileManager.default.createDirectory(atPath: operatorFolder, withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: inside, toPath: operatorFolder + "/kept")
    OperatorAccess.close(folder: data)
    #expect(FileManager.default.contents(atPath: operatorFolder + "/kept") == Data("kept".utf8))
    try FileManager.default.removeItem(atPath: operatorFolder)
    try point(at: "http://127.0.0.1:1")
    OperatorAccess.close(folder: data)
    #expect(!FileManager.default.fileExists(atPath: operatorFolder))
  }

  @Test func aTokenOfAnotherRunIsSaidSo() async throws {
    try await Server.makeSample(data)
    let server = try await RunningServer(folder: data)
    try point(at: server.origin, token: "of yesterday")
    #expect(
      try await list()
        == Server.Outcome(
          status: 1, output: "",
          errors:
            "matinee-server: \(server.origin) does not answer as the server that wrote \(data)/operator.json. Start the server again: "
            + "it writes a new one.\n"))
    #expect(try await server.end(SIGTERM) == 0)
  }
}
