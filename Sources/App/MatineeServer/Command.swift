import Foundation
import HTTPTransport

/// A command line, read.
enum Command: Equatable {
  /// Makes a publication in an empty folder: the sample, unless other content is named.
  case initialise(data: String?, InitAnswers?)
  case serve(
    data: String?, address: String, port: Int, publicURL: String?, readersAddFeeds: Bool, trustedProxies: Set<String> = [],
    mail: MailRoute? = nil, identityProviders: String? = nil)
  case importFeeds(data: String?, json: Bool, sources: [String])
  case addUser(data: String?, email: String, name: String)
  case setPassword(data: String?, email: String)
  case operate(data: String?, OperatorTask)
  case help
  case version

  /// What is wrong with a command line, in one sentence.
  struct Mistake: Error, Equatable { let sentence: String }

  static let usage = """
    usage: matinee-server init --name NAME --contact ADDRESS --currency CODE [--monthly PRICE] [--yearly PRICE] [--lifetime PRICE]
                          [--passes PRICE] [--tax NAME-AND-PERCENT] [--tagline LINE] [--data FOLDER]
           matinee-server init --sample [--data FOLDER]
           matinee-server serve [--port N] [--listen ADDRESS] [--public-url URL] [--readers-add-feeds] [--trusted-proxy ADDRESS]…
                                [--data FOLDER]
                                [--smtp URL --mail-from ADDRESS | --mail-folder FOLDER] [--identity-providers FILE]
           matinee-server import [--json] [--data FOLDER] SOURCE…
           matinee-server user list [--json] [--data FOLDER]
           matinee-server user add [--data FOLDER] EMAIL NAME
           matinee-server user password|sign-out|remove [--data FOLDER] EMAIL
           matinee-server order list [--state STATE] [--json] [--data FOLDER]
           matinee-server order approve|decline [--data FOLDER] ORDER
           matinee-server order refund [--reason SENTENCE] [--trust-clock] [--data FOLDER] ORDER
           matinee-server flag set --percent N [--min-version V] [--feature F]… [--data FOLDER] NAME
           matinee-server flag list [--data FOLDER]
           matinee-server flag report [--data FOLDER] NAME
           matinee-server analytics [--days N] [--json] [--data FOLDER]
           matinee-server minimum-version [--data FOLDER] VERSION|none
           matinee-server maintenance begin [--minutes N] [--data FOLDER]
           matinee-server maintenance end [--data FOLDER]
           matinee-server key rotate [--algorithm es256|eddsa] [--data FOLDER]
           matinee-server --help | --version

    init           makes a publication of your own, where there is none yet. On a terminal it asks for what its options do not say. With
                   --sample it makes the publication that the app brings along.
    serve          answers a publication's readers until it is told to stop (SIGTERM, SIGINT).
                   Feeds from the web are asked for new posts about once an hour.
    import         makes feeds and lists of feeds, files or URLs, fan clubs of the publication. Importing again adds what is new, and changes
                   what changed. Formats: RSS, Atom, RDF, JSON Feed, RSS-in-JSON, OPML. The clubs of a list are fetched when a reader asks
                   for it.
    user list      one line for each reader, by address: address, name, and each product that gives access, with its end; tabs between.
    user add       adds a reader; the password is one line on the standard input.
    user password  sets another password, read in the same way, and signs the reader out everywhere.
    user sign-out  ends all sessions of a reader. One that is not used for 90 days ends by itself.
    user remove    forgets a reader, with comments, marks and access; the orders stay, without a name.
    order list     one line for each order, newest first: number, identifier, state, product, total in minor units, time, and the reader's
                   address; tabs between.
    order approve  says yes for the bank that a deferred payment waits for; decline says no, and cancels one that its reader is to
                   confirm.
    order refund   gives a payment back. Access ends, and the reader is shown the reason. While a payment is ahead of the clock nothing is
                   sold or given back, since the clock must be wrong; --trust-clock says that it is right.
    flag set       turns a flag on for N of a hundred readers, always the same ones: 0 is off for everybody, from their next session on.
                   Without --min-version and --feature for every client.
    flag list      one line for each flag.
    flag report    what was counted on each side of a flag, with rates: paywalls seen, bought, failed by code, crashes.
    analytics      one line for each thing that was counted on a day, of readers who agreed: day, what happened, which of its kind, how often;
                   tabs between. Of the last 30 days, or of --days.
    minimum-version
                   tells readers of older apps to update, and what they can still do.
    maintenance    begin tells every reader that the publication is being maintained, and for how long, probably; end opens it again.
    key rotate     signs receipts with a new key from now on; the ones before stay known as long as a receipt may need them.

    user, order, flag, analytics, minimum-version, maintenance and key also work while the publication is being served.
    ORDER is an order's number (K7Q2-9XDM) or its identifier.
    An option is given once; --feature and --trusted-proxy may be given several times.

      --data FOLDER      where the publication is kept (default: $XDG_DATA_HOME/matinee/server)
      --json             one line of JSON for each source, reader, order or count

    init:
      --name NAME        what the publication is called
      --tagline LINE     one line below the name
      --contact ADDRESS  where readers cancel a subscription: an email address or a page on the web
      --currency CODE    the currency of the prices, such as EUR
      --monthly PRICE    what a month costs, such as 4.90; --yearly the same of a year, --lifetime of access for good, and --passes of five
                         passes for an article each. At least one of the four is needed.
      --tax NAME-AND-PERCENT
                         a tax that the prices include, such as "VAT 19"

    serve:
      --listen ADDRESS   the IP address to listen on (default: 127.0.0.1, this machine alone)
      --port N           the port; 0 for any that is free (default: 8080)
      --public-url URL   where browsers find the checkout page, behind a proxy (default: http and the host that the client asked)
      --readers-add-feeds
                         lets readers add feeds from any address that this machine reaches
      --trusted-proxy ADDRESS
                         a proxy before this server, whose X-Forwarded-For says who asks: limits are for each client then;
                         clients behind a proxy on this machine that is not named are not limited
      --smtp URL         a mail server, such as smtps://USER@mail.example.org:465, or smtp: with STARTTLS: readers can sign in, and set
                         another password, by a code that is mailed. The password is taken from MATINEE_SMTP_PASSWORD.
      --mail-from ADDRESS
                         the address that these mails come from
      --mail-folder FOLDER
                         writes mails into files instead of sending them, for development
      --identity-providers FILE
                         lets readers sign in at OpenID providers: a JSON list with issuer, name and clientID of each, and, where needed,
                         clientSecret, ports of http://127.0.0.1:PORT/callback, and addsReaders: false
    """

  /// All commands but the last.
  private static let others = "init, serve, import, user, order, flag, analytics, minimum-version, maintenance"

  /// Reads a command line, without the program's name.
  /// - Throws: ``Mistake``.
  init(_ arguments: [String]) throws(Mistake) {
    var words = Words(arguments)
    switch try words.next() {
    case .argument("init"): self = try Self.initialise(&words)
    case .argument("serve"): self = try Self.serve(&words)
    case .argument("import"): self = try Self.importFeeds(&words)
    case .argument("user"): self = try Self.user(&words)
    case .argument("order"): self = try Self.order(&words)
    case .argument("flag"): self = try Self.flag(&words)
    case .argument("analytics"): self = try Self.analytics(&words)
    case .argument("minimum-version"): self = try Self.minimumVersion(&words)
    case .argument("maintenance"): self = try Self.maintenance(&words)
    case .argument("key"): self = try Self.key(&words)
    case .option("--help"), .argument("help"): self = .help
    case .option("--version"): self = .version
    case nil: throw Mistake(sentence: "There is nothing to do: \(Self.others) or key.")
    case .argument(let other): throw Mistake(sentence: "“\(other)” is no command; there are \(Self.others) and key.")
    case .option(let other):
      throw Mistake(sentence: "The command comes before its options such as “\(other)”: \(Self.others) or key.")
    }
  }

  private static func serve(_ words: inout Words) throws(Mistake) -> Command {
    var (data, address, port, publicURL, readersAddFeeds) = (String?.none, "127.0.0.1", 8080, String?.none, false)
    var trustedProxies: Set<String> = []
    var (smtp, sender, folder, identityProviders) = (String?.none, String?.none, String?.none, String?.none)
    while let word = try words.next() {
      switch word {
      case .option("--help"): return .help
      case .option("--data"): data = try words.value(of: word)
      case .option("--listen"): address = try words.value(of: word)
      case .option("--port"): port = try words.number(of: word, in: 0...65535)
      case .option("--readers-add-feeds"): readersAddFeeds = true
      case .option("--trusted-proxy"):
        let text = try words.value(of: word)
        guard isIPAddress(text) else { throw Mistake(sentence: "--trusted-proxy takes an IP address such as 192.0.2.7, not “\(text)”.") }
        trustedProxies.insert(text)
      case .option("--public-url"):
        publicURL = try origin(words.value(of: word))
      case .option("--smtp"): smtp = try words.value(of: word)
      case .option("--mail-from"): sender = try words.value(of: word)
      case .option("--mail-folder"): folder = try words.value(of: word)
      case .option("--identity-providers"): identityProviders = try words.value(of: word)
      case .option(let other), .argument(let other): throw Mistake(sentence: "serve does not know “\(other)”.")
      }
    }
    if identityProviders != nil, publicURL == nil, !["127.0.0.1", "::1"].contains(address) {
      throw Mistake(sentence: "--identity-providers takes --public-url: what a reader signs in with is for that address alone.")
    }
    return .serve(
      data: data, address: address, port: port, publicURL: publicURL, readersAddFeeds: readersAddFeeds, trustedProxies: trustedProxies,
      mail: try mail(smtp, from: sender, folder), identityProviders: identityProviders)
  }

  private static func mail(_ smtp: String?, from sender: String?, _ folder: String?) throws(Mistake) -> MailRoute? {
    switch (smtp, sender, folder) {
    case (nil, nil, nil): return nil
    case (nil, nil, let folder?): return .folder(folder)
    case (let smtp?, let sender?, nil):
      guard sender.firstMatch(of: /^[^\s<>@]+@[^\s<>@]+$/) != nil else {
        throw Mistake(sentence: "--mail-from takes an address such as post@example.org, not “\(sender)”.")
      }
      return .server(smtp, from: sender)
    case (_?, nil, nil): throw Mistake(sentence: "--smtp takes --mail-from: the address that the mails come from.")
    case (nil, _?, _): throw Mistake(sentence: "--mail-from is for --smtp.")
    case (_?, _, _?): throw Mistake(sentence: "Mails are sent by --smtp or written by --mail-folder, and not both.")
    }
  }

  /// The address that browsers find the publication's pages at: their links start at its root.
  private static func origin(_ text: String) throws(Mistake) -> String {
    do { return try Origin(text).text } catch {
      throw Mistake(sentence: "--public-url takes an address such as https://read.example.org, \(error.reason).")
    }
  }

  private static func isIPAddress(_ text: String) -> Bool {
    var (four, six) = (in_addr(), in6_addr())
    return inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
  }

  private static func importFeeds(_ words: inout Words) throws(Mistake) -> Command {
    var (data, json, sources) = (String?.none, false, [String]())
    while let word = try words.next() {
      switch word {
      case .option("--help"): return .help
      case .option("--data"): data = try words.value(of: word)
      case .option("--json"): json = true
      case .option(let other): throw Mistake(sentence: "import does not know “\(other)”.")
      case .argument(let source): sources.append(source)
      }
    }
    guard !sources.isEmpty else { throw Mistake(sentence: "import takes at least one file or URL.") }
    return .importFeeds(data: data, json: json, sources: sources)
  }
}

/// One word of a command line.
enum Word: Equatable {
  /// A name with its dashes.
  case option(String)
  /// Anything else, and everything behind `--`.
  case argument(String)
}

/// Walks over a command line: `--name value` and `--name=value` are the same, `-h` is `--help`, and `--` ends the options. No word is empty,
/// and no option is there twice unless it may be.
struct Words {
  private static let repeated: Set<String> = ["--trusted-proxy", "--feature"]

  private var rest: ArraySlice<String>
  private var attached: String?
  /// The last option that was read.
  private var last = ""
  private var optionsEnded = false
  private var options: Set<String> = []

  init(_ words: [String]) { rest = words[...] }

  /// The next word; of `--name=value` the name.
  mutating func next() throws(Command.Mistake) -> Word? {
    if let attached { throw Command.Mistake(sentence: "\(last) takes no value, and got “\(attached)”.") }
    guard let word = rest.popFirst() else { return nil }
    guard !word.isEmpty else {
      throw Command.Mistake(sentence: "Word \(rest.startIndex) of the command is empty, as that of a variable without a value is.")
    }
    if optionsEnded || !word.hasPrefix("-") || word == "-" { return .argument(word) }
    if word == "--" {
      optionsEnded = true
      return try next()
    }
    if word == "-h" { return .option("--help") }
    guard let cut = word.firstIndex(of: "=") else { return try option(word) }
    attached = String(word[word.index(after: cut)...])
    return try option(String(word[..<cut]))
  }

  private mutating func option(_ name: String) throws(Command.Mistake) -> Word {
    last = name
    guard options.insert(name).inserted || Self.repeated.contains(name) else {
      throw Command.Mistake(sentence: "\(name) is there twice.")
    }
    return .option(name)
  }

  /// The value of the last option that was read, which is a number.
  mutating func number(of option: Word, in range: ClosedRange<Int>) throws(Command.Mistake) -> Int {
    let text = try value(of: option)
    guard let number = Int(text), range.contains(number) else {
      throw Command.Mistake(sentence: "\(last) takes a number from \(range.lowerBound) to \(range.upperBound), not “\(text)”.")
    }
    return number
  }

  /// The value of the last option that was read.
  mutating func value(of option: Word) throws(Command.Mistake) -> String {
    let value = attached ?? rest.popFirst()
    attached = nil
    guard let value, !value.isEmpty else {
      guard case .option(let name) = option else { throw Command.Mistake(sentence: "A value is missing.") }
      throw Command.Mistake(sentence: "\(name) takes a value.")
    }
    return value
  }
}
