import Testing

@testable import MatineeServer

@Suite struct CommandTests {
  private func read(_ line: String) throws -> Command { try Command(line.split(separator: " ").map(String.init)) }

  @Test func serve() throws {
    #expect(try read("serve") == .serve(data: nil, address: "127.0.0.1", port: 8080))
    #expect(try read("serve --port 0 --data /d --listen ::1") == .serve(data: "/d", address: "::1", port: 0))
    #expect(try read("serve --port=81 --data=/a=b") == .serve(data: "/a=b", address: "127.0.0.1", port: 81))
  }

  @Test func importFeeds() throws {
    #expect(try read("import a b --json") == .importFeeds(data: nil, json: true, sources: ["a", "b"]))
    #expect(try read("import --data d -- --json -x") == .importFeeds(data: "d", json: false, sources: ["--json", "-x"]))
  }

  @Test func user() throws {
    #expect(try Command(["user", "add", "a@b", "Ada L."]) == .addUser(data: nil, email: "a@b", name: "Ada L."))
    #expect(try Command(["user", "--data", "d", "add", "a@b", "A"]) == .addUser(data: "d", email: "a@b", name: "A"))
  }

  @Test func helpAndVersion() throws {
    for line in ["--help", "-h", "help", "serve --help", "import -h", "user add --help"] { #expect(try read(line) == .help) }
    #expect(try read("--version") == .version)
  }

  @Test(arguments: [
    ("", "There is nothing to do: serve, import or user add."),
    ("start", "“start” is no command; there are serve, import and user add."), ("serve x", "serve does not know “x”."),
    ("serve --port", "--port takes a value."), ("serve --port=", "--port takes a value."),
    ("serve --port x", "“x” is no port: it is a number from 0 to 65535."),
    ("serve --port 65536", "“65536” is no port: it is a number from 0 to 65535."),
    ("import", "import takes at least one file or URL."), ("import --json", "import takes at least one file or URL."),
    ("import --fast a", "import does not know “--fast”."),
    ("import --json=yes a", "There is an option that takes no value, and got “yes”."),
    ("user", "Of users there is one command: user add EMAIL NAME."),
    ("user remove a", "Of users there is one command: user add EMAIL NAME."),
    ("user add a@b", "user add takes an address and a name; put a name with spaces in quotes."),
    ("user add a@b Ada L.", "user add takes an address and a name; put a name with spaces in quotes."),
  ])
  func mistakes(line: String, sentence: String) {
    #expect(throws: Command.Mistake(sentence: sentence)) { try read(line) }
  }
}
