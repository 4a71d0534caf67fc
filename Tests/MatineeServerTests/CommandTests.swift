import PublicationAPI
import Testing

@testable import MatineeServer

@Suite struct CommandTests {
  private static let others = "init, serve, import, user, order, flag, analytics, minimum-version, maintenance"

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
    #expect(try read("user list") == .operate(data: nil, .readers(json: false)))
    #expect(try read("user list --json --data d") == .operate(data: "d", .readers(json: true)))
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

  @Test(arguments: [
    ("read", "not “read”."), ("ftp://read.example", "not “ftp://read.example”."), ("https:///", "not “https:///”."),
    ("https://read.example:0", "not “https://read.example:0”."), ("https://read.example:65536", "not “https://read.example:65536”."),
    ("https://a@read.example/", "and “https://a@read.example/” has a user name."),
    ("https://:b@read.example", "and “https://:b@read.example” has a user name."),
    ("https://read.example/reel", "and “https://read.example/reel” has a path."),
    ("https://read.example?", "and “https://read.example?” has a query."),
    ("https://read.example/?a", "and “https://read.example/?a” has a query."),
    ("https://read.example/#", "and “https://read.example/#” has a fragment."),
  ])
  func whatIsNoPublicAddress(text: String, reason: String) {
    #expect(throws: Command.Mistake(sentence: "--public-url takes an address such as https://read.example.org, \(reason)")) {
      try read("serve --public-url \(text)")
    }
  }

  /// A shell makes one of a variable that is not set.
  @Test(arguments: [["import", ""], ["order", "approve", ""], ["user", "remove", "--data", "d", ""], ["import", "a", "--", ""], [""]])
  func emptyWords(words: [String]) {
    #expect(throws: Command.Mistake(sentence: "Word \(words.count) of the command is empty, as that of a variable without a value is.")) {
      try Command(words)
    }
  }

  @Test func orders() throws {
    #expect(try read("order list --json") == .operate(data: nil, .orders(state: nil, json: true)))
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

  @Test func mails() throws {
    #expect(
      try read("serve --smtp smtps://a@mail.example.org --mail-from post@example.org")
        == .serve(
          data: nil, address: "127.0.0.1", port: 8080, publicURL: nil, readersAddFeeds: false,
          mail: .server("smtps://a@mail.example.org", from: "post@example.org")))
    #expect(
      try read("serve --mail-folder m")
        == .serve(data: nil, address: "127.0.0.1", port: 8080, publicURL: nil, readersAddFeeds: false, mail: .folder("m")))
  }

  @Test func theServiceAsAWhole() throws {
    #expect(try read("minimum-version 1.2.0 --data d") == .operate(data: "d", .minimumVersion("1.2.0")))
    #expect(try read("minimum-version none") == .operate(data: nil, .minimumVersion(nil)))
    #expect(try read("maintenance begin --minutes 30") == .operate(data: nil, .beginMaintenance(minutes: 30)))
    #expect(try read("maintenance begin") == .operate(data: nil, .beginMaintenance(minutes: nil)))
    #expect(try read("maintenance end") == .operate(data: nil, .endMaintenance))
  }

  @Test func analytics() throws {
    #expect(try read("analytics") == .operate(data: nil, .analytics(days: 30, json: false)))
    #expect(try read("analytics --days 7 --json --data d") == .operate(data: "d", .analytics(days: 7, json: true)))
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
    ("", "There is nothing to do: \(Self.others) or key."),
    ("start", "“start” is no command; there are \(Self.others) and key."),
    ("serve x", "serve does not know “x”."),
    ("serve --port", "--port takes a value."), ("serve --port=", "--port takes a value."),
    ("serve --port x", "--port takes a number from 0 to 65535, not “x”."),
    ("serve --port 65536", "--port takes a number from 0 to 65535, not “65536”."),
    ("serve --port -1", "--port takes a number from 0 to 65535, not “-1”."), ("serve --port 80 --port=81", "--port is there twice."),
    ("import --json --json a", "--json is there twice."), ("order list --state paid --state open", "--state is there twice."),
    ("--data d serve", "The command comes before its options such as “--data”: \(Self.others) or key."),
    ("serve --trusted-proxy", "--trusted-proxy takes a value."),
    ("serve --trusted-proxy proxy.example", "--trusted-proxy takes an IP address such as 192.0.2.7, not “proxy.example”."),
    ("serve --trusted-proxy 192.0.2", "--trusted-proxy takes an IP address such as 192.0.2.7, not “192.0.2”."),
    ("import", "import takes at least one file or URL."), ("import --json", "import takes at least one file or URL."),
    ("import --fast a", "import does not know “--fast”."),
    ("import --json=yes a", "--json takes no value, and got “yes”."),
    ("order", "With orders one can do four things: list, approve, decline and refund."),
    ("order pay x", "With orders one can do four things: list, approve, decline and refund."),
    ("order list x", "order list takes no order."),
    ("order approve", "order approve takes one order, by its number or its identifier."),
    ("order refund a b", "order refund takes one order, by its number or its identifier."),
    ("order approve --reason r x", "--reason is for order refund."), ("order refund --state paid x", "--state is for order list."),
    ("order list --state late", "--state takes open, deferred, interrupted, paid, declined or refunded, not “late”."),
    ("order list --fast", "order does not know “--fast”."), ("key", "Of keys there is one command: key rotate."),
    ("flag", "With flags one can do three things: set NAME --percent N, list, and report NAME."),
    ("flag set --percent 5", "With flags one can do three things: set NAME --percent N, list, and report NAME."),
    ("flag list a", "With flags one can do three things: set NAME --percent N, list, and report NAME."),
    ("flag report a --percent 5", "With flags one can do three things: set NAME --percent N, list, and report NAME."),
    ("flag set a", "flag set takes --percent: 0 turns the flag off for everybody."),
    ("flag set a --percent 101", "--percent takes a number from 0 to 100, not “101”."),
    ("flag set a --percent half", "--percent takes a number from 0 to 100, not “half”."),
    ("serve --smtp smtps://a", "--smtp takes --mail-from: the address that the mails come from."),
    ("serve --mail-from a@b", "--mail-from is for --smtp."), ("serve --mail-from a@b --mail-folder m", "--mail-from is for --smtp."),
    ("serve --smtp a --mail-from a@b --mail-folder m", "Mails are sent by --smtp or written by --mail-folder, and not both."),
    ("serve --smtp smtps://a --mail-from post", "--mail-from takes an address such as post@example.org, not “post”."),
    ("minimum-version", "minimum-version takes a version such as 1.2.0, or none."),
    ("maintenance", "Of maintenance there are two commands: begin [--minutes N], and end."),
    ("maintenance end --minutes 5", "Of maintenance there are two commands: begin [--minutes N], and end."),
    ("maintenance begin --minutes 0", "--minutes takes a number from 1 to 100000, not “0”."),
    ("analytics --days 0", "--days takes a number from 1 to 366, not “0”."), ("analytics x", "analytics takes options only, not “x”."),
    ("analytics --fast", "analytics does not know “--fast”."),
    ("flag list --fast", "flag does not know “--fast”."),
    ("key rotate --algorithm rs256", "--algorithm takes es256 or eddsa, not “rs256”."),
    ("user", "With users one can do five things: list, add EMAIL NAME, password EMAIL, sign-out EMAIL and remove EMAIL."),
    ("user count", "With users one can do five things: list, add EMAIL NAME, password EMAIL, sign-out EMAIL and remove EMAIL."),
    ("user list a@b", "user list takes no address."), ("user remove --json a@b", "--json is for user list."),
    ("order approve --json x", "--json is for order list."),
    ("user remove", "user remove takes one address."), ("user password a@b pw", "user password takes one address."),
    ("user sign-out --all a@b", "user does not know “--all”."), ("order list --trust-clock", "--trust-clock is for order refund."),
    ("user add a@b", "user add takes an address and a name; put a name with spaces in quotes."),
    ("user add a@b Ada L.", "user add takes an address and a name; put a name with spaces in quotes."),
  ])
  func mistakes(line: String, sentence: String) {
    #expect(throws: Command.Mistake(sentence: sentence)) { try read(line) }
  }
}
