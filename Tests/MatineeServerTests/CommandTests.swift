import PublicationAPI
import Testing

@testable import MatineeServer

@Suite struct CommandTests {
  private func read(_ line: String) throws -> Command { try Command(line.split(separator: " ").map(String.init)) }

  @Test func serve() throws {
    #expect(try read("serve") == .serve(data: nil, address: "127.0.0.1", port: 8080, publicURL: nil, readersAddFeeds: false))
    #expect(
      try read("serve --port 0 --data /d --listen ::1 --readers-add-feeds")
        == .serve(data: "/d", address: "::1", port: 0, publicURL: nil, readersAddFeeds: true))
    #expect(
      try read("serve --trusted-proxy 192.0.2.7 --trusted-proxy=2001:db8::7")
        == .serve(
          data: nil, address: "127.0.0.1", port: 8080, publicURL: nil, readersAddFeeds: false,
          trustedProxies: ["192.0.2.7", "2001:db8::7"]))
    #expect(
      try read("serve --port=81 --data=/a=b")
        == .serve(data: "/a=b", address: "127.0.0.1", port: 81, publicURL: nil, readersAddFeeds: false))
  }

  @Test func importFeeds() throws {
    #expect(try read("import a b --json") == .importFeeds(data: nil, json: true, sources: ["a", "b"]))
    #expect(try read("import --data d -- --json -x") == .importFeeds(data: "d", json: false, sources: ["--json", "-x"]))
  }

  @Test func user() throws {
    #expect(try Command(["user", "add", "a@b", "Ada L."]) == .addUser(data: nil, email: "a@b", name: "Ada L."))
    #expect(try Command(["user", "--data", "d", "add", "a@b", "A"]) == .addUser(data: "d", email: "a@b", name: "A"))
    #expect(try read("user password --data d a@b") == .setPassword(data: "d", email: "a@b"))
    #expect(try read("user sign-out a@b") == .operate(data: nil, .signOut(email: "a@b")))
    #expect(try read("user remove a@b --data d") == .operate(data: "d", .removeReader(email: "a@b")))
  }

  @Test func publicAddress() throws {
    #expect(
      try read("serve --public-url https://read.example.org/")
        == .serve(data: nil, address: "127.0.0.1", port: 8080, publicURL: "https://read.example.org", readersAddFeeds: false))
  }

  @Test func orders() throws {
    #expect(try read("order list") == .operate(data: nil, .orders(state: nil)))
    #expect(try read("order list --state deferred --data d") == .operate(data: "d", .orders(state: "deferred")))
    #expect(try read("order approve K7Q2-9XDM") == .operate(data: nil, .settle(order: "K7Q2-9XDM", approved: true)))
    #expect(try read("order --data d decline x") == .operate(data: "d", .settle(order: "x", approved: false)))
    #expect(
      try read("order refund --trust-clock x")
        == .operate(data: nil, .refund(order: "x", reason: "The payment was given back.", trustsClock: true)))
    #expect(try read("order refund x") == .operate(data: nil, .refund(order: "x", reason: "The payment was given back.")))
    #expect(
      try Command(["order", "refund", "--reason", "So sorry.", "x"]) == .operate(data: nil, .refund(order: "x", reason: "So sorry.")))
  }

  @Test func flags() throws {
    #expect(
      try read("flag set a.b --percent 50 --min-version 1.2 --feature x --feature y --data d")
        == .operate(data: "d", .setFlag(FlagRecord(name: "a.b", percent: 50, minVersion: "1.2", features: ["x", "y"]))))
    #expect(try read("flag set --percent=0 a") == .operate(data: nil, .setFlag(FlagRecord(name: "a", percent: 0, features: []))))
    #expect(try read("flag list") == .operate(data: nil, .listFlags))
    #expect(try read("flag report a") == .operate(data: nil, .reportFlag("a")))
  }

  @Test func keys() throws {
    #expect(try read("key rotate") == .operate(data: nil, .rotateKey(algorithm: "es256")))
    #expect(try read("key rotate --algorithm eddsa --data d") == .operate(data: "d", .rotateKey(algorithm: "eddsa")))
  }

  @Test func helpAndVersion() throws {
    for line in ["--help", "-h", "help", "init -h", "serve --help", "import -h", "user add --help", "order -h", "key rotate -h"] {
      #expect(try read(line) == .help)
    }
    #expect(try read("--version") == .version)
  }

  @Test(arguments: [
    ("", "There is nothing to do: init, serve, import, user, order, flag or key."),
    ("start", "“start” is no command; there are init, serve, import, user, order, flag and key."), ("serve x", "serve does not know “x”."),
    ("serve --port", "--port takes a value."), ("serve --port=", "--port takes a value."),
    ("serve --port x", "“x” is no port: it is a number from 0 to 65535."),
    ("serve --port 65536", "“65536” is no port: it is a number from 0 to 65535."),
    ("serve --trusted-proxy", "--trusted-proxy takes a value."),
    ("serve --trusted-proxy proxy.example", "“proxy.example” is no IP address of a proxy; one looks like 192.0.2.7."),
    ("serve --trusted-proxy 192.0.2", "“192.0.2” is no IP address of a proxy; one looks like 192.0.2.7."),
    ("import", "import takes at least one file or URL."), ("import --json", "import takes at least one file or URL."),
    ("import --fast a", "import does not know “--fast”."),
    ("import --json=yes a", "There is an option that takes no value, and got “yes”."),
    ("serve --public-url read", "“read” is no address; it looks like https://read.example.org."),
    ("order", "With orders one can do four things: list, approve, decline and refund."),
    ("order pay x", "With orders one can do four things: list, approve, decline and refund."),
    ("order list x", "order list takes no order."),
    ("order approve", "order approve takes one order, by its number or its identifier."),
    ("order refund a b", "order refund takes one order, by its number or its identifier."),
    ("order approve --reason r x", "--reason is for order refund."), ("order refund --state paid x", "--state is for order list."),
    ("order list --fast", "order does not know “--fast”."), ("key", "Of keys there is one command: key rotate."),
    ("flag", "With flags one can do three things: set NAME --percent N, list, and report NAME."),
    ("flag set --percent 5", "With flags one can do three things: set NAME --percent N, list, and report NAME."),
    ("flag list a", "With flags one can do three things: set NAME --percent N, list, and report NAME."),
    ("flag report a --percent 5", "With flags one can do three things: set NAME --percent N, list, and report NAME."),
    ("flag set a", "flag set takes --percent: 0 turns the flag off for everybody."),
    ("flag set a --percent 101", "“101” is no percentage: it is a number from 0 to 100."),
    ("flag set a --percent half", "“half” is no percentage: it is a number from 0 to 100."),
    ("flag list --fast", "flag does not know “--fast”."),
    ("key rotate --algorithm rs256", "“rs256” is no algorithm; es256 and eddsa are."),
    ("user", "With users one can do four things: add EMAIL NAME, password EMAIL, sign-out EMAIL and remove EMAIL."),
    ("user list", "With users one can do four things: add EMAIL NAME, password EMAIL, sign-out EMAIL and remove EMAIL."),
    ("user remove", "user remove takes one address."), ("user password a@b pw", "user password takes one address."),
    ("user sign-out --all a@b", "user does not know “--all”."), ("order list --trust-clock", "--trust-clock is for order refund."),
    ("user add a@b", "user add takes an address and a name; put a name with spaces in quotes."),
    ("user add a@b Ada L.", "user add takes an address and a name; put a name with spaces in quotes."),
  ])
  func mistakes(line: String, sentence: String) {
    #expect(throws: Command.Mistake(sentence: sentence)) { try read(line) }
  }
}
