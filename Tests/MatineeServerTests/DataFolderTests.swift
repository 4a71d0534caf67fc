import Foundation
import Testing

/// The folder that the server keeps everything in: whose it is, and what is done about one that is not as it should be.
@Suite struct DataFolderTests: ServerRig {
  let folder: Folder
  init() throws { folder = try Folder() }

  @Test func oneProcessOwnsAFolder() async throws {
    try await Server.makeSample(data)
    let server = try await RunningServer(folder: data)
    for arguments in [["serve", "--port", "0"], ["import", "x"], ["init", "--sample"]] {
      let second = try await Server.run([arguments[0]] + ["--data", data] + arguments.dropFirst(), input: "pw\n")
      #expect(
        second == Server.Outcome(status: 1, output: "", errors: "matinee-server: \(data) is in use by another running program.\n"))
    }
    #expect(try await server.end(SIGINT) == 0)
    let again = try await RunningServer(folder: data)
    #expect(try await again.end(SIGTERM) == 0)
  }

  /// Whoever tidies up may take the file for one that was left behind.
  @Test func aFolderIsOwnedWithoutTheFileThatIsLocked() async throws {
    try await Server.makeSample(data)
    let server = try await RunningServer(folder: data)
    try FileManager.default.removeItem(atPath: data + "/lock")
    let second = try await Server.run(["serve", "--port", "0", "--data", data])
    #expect(second == Server.Outcome(status: 1, output: "", errors: "matinee-server: \(data) is in use by another running program.\n"))
    #expect(FileManager.default.fileExists(atPath: data + "/operator.json"))
    #expect(try await server.end(SIGINT) == 0)
  }

  @Test func aDamagedDatabaseIsNamed() async throws {
    try await Server.makeSample(data)
    let file = data + "/publication.sqlite"
    let handle = try #require(FileHandle(forWritingAtPath: file))
    // All but the first page, by which it is known.
    let size = try handle.seekToEnd()
    try handle.seek(toOffset: 4096)
    try handle.write(contentsOf: Data(repeating: 0x78, count: Int(size) - 4096))
    try handle.close()
    let refused = try await Server.run(["serve", "--port", "0", "--data", data])
    #expect(
      refused
        == Server.Outcome(
          status: 1, output: "",
          errors: "matinee-server: \(file) is damaged (database disk image is malformed). Put a backup of the publication in its place.\n"))
  }

  @Test func aCopyThatEndedTooEarlyIsNamed() async throws {
    try await Server.makeSample(data)
    let file = data + "/publication.sqlite"
    let whole = try #require(FileManager.default.contents(atPath: file)).count
    #expect(truncate(file, whole / 2) == 0)
    let refused = try await Server.run(["serve", "--port", "0", "--data", data])
    let reason = "it ends after \(whole / 2) of \(whole) bytes"
    #expect(
      refused
        == Server.Outcome(
          status: 1, output: "", errors: "matinee-server: \(file) is damaged (\(reason)). Put a backup of the publication in its place.\n"))
  }

  @Test func aMissingKeyEndsServeWithOneSentence() async throws {
    try await makeOwn()
    let key = data + "/receipts.pem"
    try FileManager.default.removeItem(atPath: key)
    let refused = try await Server.run(["serve", "--port", "0", "--data", data])
    #expect(
      refused
        == Server.Outcome(
          status: 1, output: "",
          errors:
            "matinee-server: The key that receipts are signed with is missing: put \(key) back, or sign with a new one from now on by "
            + "“matinee-server key rotate --data \(data)”.\n"))
    #expect(!FileManager.default.fileExists(atPath: key))
    #expect(try await Server.run(["key", "rotate", "--data", data]).status == 0)
    let server = try await RunningServer(folder: data)
    #expect(try await server.end(SIGTERM) == 0)
  }

  @Test func aFolderThatCannotBeUsedIsNotCalledEmpty() async throws {
    let file = try folder.write("file", "")
    let refused = try await Server.run(["order", "list", "--data", file + "/data"])
    #expect(
      refused
        == Server.Outcome(
          status: 1, output: "", errors: "matinee-server: \(file)/data cannot be used: \(file) is a file, not a folder.\n"))
    for command in [["init", "--sample"], ["serve"], ["import", "x"], ["user", "list"], ["user", "add", "a@b.example", "A"]] {
      let refused = try await Server.run(command + ["--data", file])
      #expect(
        refused == Server.Outcome(status: 1, output: "", errors: "matinee-server: \(file) cannot be used: it is a file, not a folder.\n"))
    }
  }

  /// A server that was killed leaves it behind, with the address of whoever listens there by now.
  @Test func anEarlierServersAddressIsForgotten() async throws {
    try await makeOwn()
    let server = try await RunningServer(folder: data)
    #expect(try await server.end(SIGKILL) == -SIGKILL)
    #expect(FileManager.default.fileExists(atPath: data + "/operator.json"))
    #expect(try await Server.run(["order", "list", "--data", data]) == Server.Outcome(status: 0, output: "", errors: ""))
    #expect(!FileManager.default.fileExists(atPath: data + "/operator.json"))
  }

  @Test func anEmptyDatabaseIsRefusedByEveryCommand() async throws {
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    #expect(FileManager.default.createFile(atPath: data + "/publication.sqlite", contents: Data()))
    for arguments in [["serve", "--port", "0"], ["init", "--sample"], ["order", "list"]] {
      let refused = try await Server.run(arguments + ["--data", data])
      #expect(
        refused
          == Server.Outcome(
            status: 1, output: "",
            errors: "matinee-server: \(data)/publication.sqlite is empty and was left as it is: put a backup of the publication in its "
              + "place, or use another folder.\n"))
    }
    #expect(FileManager.default.contents(atPath: data + "/publication.sqlite") == Data())
  }

  @Test func aFolderThatIsOpenToOthersIsNoMore() async throws {
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    func permissions() throws -> Int? { try FileManager.default.attributesOfItem(atPath: data)[.posixPermissions] as? Int }
    #expect(chmod(data, 0o777) == 0)
    try await makeOwn()
    #expect(try permissions() == 0o700)
    #expect(chmod(data, 0o777) == 0)
    let server = try await RunningServer(folder: data)
    #expect(try permissions() == 0o700)
    #expect(try await server.end(SIGTERM) == 0)
  }

  @Test func anOwnDataFolderIsUsedWhenNoneIsGiven() async throws {
    let outcome = try await Server.run(["init", "--sample"], environment: ["XDG_DATA_HOME": folder.file("xdg"), "HOME": folder.path])
    #expect(outcome.status == 0)
    #expect(FileManager.default.fileExists(atPath: folder.file("xdg/matinee/server/publication.sqlite")))
  }
}
