import CurlTransport
import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import TestSupport
import Testing

/// `matinee-server user`, whether the publication is being served or nobody has it open.
@Suite struct UserCommandTests: ServerRig {
  let folder: Folder
  init() throws { folder = try Folder() }

  @Test func readersAreAddedOnce() async throws {
    try await addUser()
    let twice = try await Server.run(["user", "add", "--data", data, "ada@example.org", "Ada"], input: "x marks the spot\n")
    #expect(twice.status == 1)
    #expect(twice.errors == "matinee-server: There is a reader with the address ada@example.org already.\n")
    let silent = try await Server.run(["user", "add", "--data", data, "bo@example.org", "Bo"])
    #expect(silent.errors == "matinee-server: There is no password on the standard input.\n")
    #expect(silent.status == 1)
    let server = try await RunningServer(folder: data)
    #expect(try await signIn(NetworkTransport(origin: server.origin)).isEmpty == false)
    #expect(try await server.end(SIGTERM) == 0)
  }

  @Test func whatIsNoTextIsRefused() async throws {
    try await makeOwn()
    for (bytes, sentence) in [
      (
        Data([0x70, 0xFF, 0x77, 0x0A]),
        "The password on the standard input is not UTF-8, so nobody could type it elsewhere; nothing was changed."
      ),
      (
        Data(repeating: 0x78, count: 60_000),
        "A password has at most 1024 bytes, and there are more on the standard input; nothing was changed."
      ),
      (
        Data(String(repeating: "é", count: 513).utf8) + [0x0A],
        "A password has at most 1024 bytes, and there are more on the standard input; nothing was changed."
      ),
      (Data("p\u{0}w\n".utf8), "A password has no NUL character."), (Data("\r\n".utf8), "There is no password on the standard input."),
    ] {
      let refused = try await Server.run(["user", "add", "--data", data, "ada@example.org", "Ada"], bytes: bytes)
      #expect(refused == Server.Outcome(status: 1, output: "", errors: "matinee-server: \(sentence)\n"))
    }
    // A word of the command, which only a shell can write.
    let shell = try await Program([
      "sh", "-c", "printf 'pw' | '\(Server.program)' user add --data '\(data)' ada@example.org \"$(printf 'A\\377')\"",
    ]).run()
    #expect(shell.status == 2)
    #expect(shell.output == "matinee-server: A word of the command is not UTF-8. See matinee-server --help.\n")
    try await addUser()
  }

  @Test func readersAreAddedWhileItServes() async throws {
    try await makeOwn()
    let server = try await RunningServer(folder: data)
    try await addUser()
    #expect(try await signIn(NetworkTransport(origin: server.origin)).isEmpty == false)
    let twice = try await Server.run(["user", "add", "--data", data, "ada@example.org", "Ada"], input: "x marks the spot\n")
    #expect(
      twice
        == Server.Outcome(
          status: 1, output: "", errors: "matinee-server: There is a reader with the address ada@example.org already.\n"))
    #expect(try await server.end(SIGTERM) == 0)
  }

  @Test(arguments: [true, false]) func readersAreLookedAfter(whileItServes: Bool) async throws {
    try await makeOwn()
    try await addUser()
    let first = try await RunningServer(folder: data)
    var headers: Headers = ["Authorization": "Bearer \(try await signIn(NetworkTransport(origin: first.origin)))"]
    var server: RunningServer? = first
    func stopped() async throws {
      if !whileItServes, let running = server { #expect(try await running.end(SIGTERM) == 0) }
    }
    func status() async throws -> Int {
      if !whileItServes { server = try await RunningServer(folder: data) }
      let transport = try NetworkTransport(origin: try #require(server).origin)
      return try await transport.send(Request(.get, "/v1/session", headers: headers)).status
    }
    func user(_ words: String..., input: String = "") async throws -> Server.Outcome {
      try await Server.run(["user", "--data", data] + words, input: input)
    }
    try await stopped()
    #expect(
      try await user("sign-out", "Ada@example.org")
        == Server.Outcome(status: 0, output: "Ada@example.org is signed out everywhere (1 session).\n", errors: ""))
    #expect(try await status() == 401)
    headers = ["Authorization": "Bearer \(try await signIn(NetworkTransport(origin: try #require(server).origin)))"]
    try await stopped()
    #expect(
      try await user("password", "ada@example.org", input: "another one\n")
        == Server.Outcome(status: 0, output: "ada@example.org has a new password, and is signed out everywhere.\n", errors: ""))
    #expect(try await status() == 401)
    try await stopped()
    #expect(try await user("remove", "ada@example.org") == Server.Outcome(status: 0, output: "Removed ada@example.org.\n", errors: ""))
    for words in [["remove"], ["sign-out"], ["password"]] {
      let unknown = try await Server.run(["user", "--data", data] + words + ["ada@example.org"], input: "x marks the spot\n")
      #expect(
        unknown
          == Server.Outcome(status: 1, output: "", errors: "matinee-server: There is no reader with the address ada@example.org.\n"))
    }
    if whileItServes { #expect(try await first.end(SIGTERM) == 0) }
  }

  @Test func theLongestPasswordIsTaken() async throws {
    try await makeOwn()
    for (name, end) in [("ada", ""), ("bo", "\n"), ("cy", "\r\n")] {
      let added = try await Server.run(
        ["user", "add", "--data", data, "\(name)@example.org", name], input: "ab" + String(repeating: "é", count: 511) + end)
      #expect(added == Server.Outcome(status: 0, output: "Added \(name)@example.org.\n", errors: ""))
    }
  }

  /// Without a publication nobody is asked for a password: there is none to read.
  @Test(arguments: [["add", "a@b.example", "A"], ["password", "a@b.example"]]) func aFolderComesBeforeAPassword(words: [String])
    async throws
  {
    let refused = try await Server.run(["user"] + words + ["--data", data])
    #expect(refused.errors.hasPrefix("matinee-server: There is no publication in \(data) yet: "))
  }

  /// Nobody types a password for what cannot be added.
  @Test func anAddressAndANameComeBeforeAPassword() async throws {
    try await addUser()
    let address = try await Server.run(["user", "add", "--data", data, "nobody", "A"])
    #expect(address == Server.Outcome(status: 1, output: "", errors: "matinee-server: “nobody” is no email address.\n"))
    let name = try await Server.run(["user", "add", "--data", data, "a@b.example", "\u{200B}"])
    #expect(name.errors == "matinee-server: A reader’s name has 1 to 200 characters.\n")
  }

  @Test(arguments: [true, false]) func readersAreListed(whileItServes: Bool) async throws {
    try await addUser()
    let server = try await RunningServer(folder: data)
    let transport = try NetworkTransport(origin: server.origin)
    let headers = try await authorization(transport)
    let id = UUID()
    _ = try await transport.send(
      Request(.put, "/v1/orders/\(id)", headers: headers, body: try Wire.encode(OrderRequest(productID: "premium.monthly"))))
    let charged = try await transport.send(
      Request(.post, "/v1/orders/\(id)/charge", headers: headers, body: try Wire.encode(ChargeRequest(paymentToken: "tok_approved"))))
    #expect(charged.status == 200)
    let added = try await Server.run(["user", "add", "--data", data, "bo@example.org", "Bo"], input: "open sesame\n")
    #expect(added.status == 0)
    if !whileItServes { #expect(try await server.end(SIGTERM) == 0) }

    let json = try await Server.run(["user", "list", "--json", "--data", data])
    #expect((json.status, json.errors) == (0, ""))
    let readers = try json.output.split(separator: "\n").map { try Wire.decode(ListedReader.self, from: Data($0.utf8)) }
    #expect(readers.map(\.email) == ["ada@example.org", "bo@example.org"])
    #expect(readers.map(\.name) == ["Ada", "Bo"])
    #expect(readers.map { $0.access.map(\.productID) } == [["premium.monthly"], []])
    let end = try #require(readers.first?.access.first?.until)
    let list = try await Server.run(["user", "list", "--data", data])
    #expect(
      list
        == Server.Outcome(
          status: 0, output: "ada@example.org\tAda\tpremium.monthly until \(end.formatted(.iso8601))\nbo@example.org\tBo\n", errors: ""))
    if whileItServes { #expect(try await server.end(SIGTERM) == 0) }
  }
}
