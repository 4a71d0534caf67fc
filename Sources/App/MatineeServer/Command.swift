import Foundation

/// What the command line asks for.
enum Command: Equatable {
  case serve(data: String?, address: String, port: Int)
  case importFeeds(data: String?, json: Bool, sources: [String])
  case addUser(data: String?, email: String, name: String)
  case help
  case version

  /// What is wrong with a command line, in one sentence.
  struct Mistake: Error, Equatable { let sentence: String }

  static let usage = """
    usage: matinee-server serve [--port N] [--listen ADDRESS] [--data FOLDER]
           matinee-server import [--json] [--data FOLDER] SOURCE…
           matinee-server user add [--data FOLDER] EMAIL NAME
           matinee-server --help | --version

    serve      answers a publication's readers until it is told to stop (SIGTERM, SIGINT). An empty folder gets the sample publication.
    import     makes RSS and Atom feeds, files or URLs, fan clubs of the publication; importing again adds nothing twice.
    user add   adds a reader; the password is one line on the standard input.

      --data FOLDER      where the publication is kept (default: $XDG_DATA_HOME/matinee/server)
      --listen ADDRESS   the IP address to listen on (default: 127.0.0.1, this machine alone)
      --port N           the port; 0 for any that is free (default: 8080)
      --json             one line of JSON for each source
    """

  /// Reads a command line, without the program's name.
  /// - Throws: ``Mistake``.
  init(_ arguments: [String]) throws(Mistake) {
    var words = Words(arguments)
    switch try words.next() {
    case "serve": self = try Self.serve(&words)
    case "import": self = try Self.importFeeds(&words)
    case "user": self = try Self.user(&words)
    case "--help", "-h", "help": self = .help
    case "--version": self = .version
    case nil: throw Mistake(sentence: "There is nothing to do: serve, import or user add.")
    case let other?: throw Mistake(sentence: "“\(other)” is no command; there are serve, import and user add.")
    }
  }

  private static func serve(_ words: inout Words) throws(Mistake) -> Command {
    var (data, address, port) = (String?.none, "127.0.0.1", 8080)
    while let word = try words.next() {
      switch word {
      case "--help", "-h": return .help
      case "--data": data = try words.value(of: word)
      case "--listen": address = try words.value(of: word)
      case "--port":
        let text = try words.value(of: word)
        guard let number = Int(text), (0...65535).contains(number) else {
          throw Mistake(sentence: "“\(text)” is no port: it is a number from 0 to 65535.")
        }
        port = number
      default: throw Mistake(sentence: "serve does not know “\(word)”.")
      }
    }
    return .serve(data: data, address: address, port: port)
  }

  private static func importFeeds(_ words: inout Words) throws(Mistake) -> Command {
    var (data, json, sources) = (String?.none, false, [String]())
    while let word = try words.next() {
      switch word {
      case "--help", "-h": return .help
      case "--data": data = try words.value(of: word)
      case "--json": json = true
      case _ where words.isOption(word): throw Mistake(sentence: "import does not know “\(word)”.")
      default: sources.append(word)
      }
    }
    guard !sources.isEmpty else { throw Mistake(sentence: "import takes at least one file or URL.") }
    return .importFeeds(data: data, json: json, sources: sources)
  }

  private static func user(_ words: inout Words) throws(Mistake) -> Command {
    var (data, rest) = (String?.none, [String]())
    while let word = try words.next() {
      switch word {
      case "--help", "-h": return .help
      case "--data": data = try words.value(of: word)
      case _ where words.isOption(word): throw Mistake(sentence: "user add does not know “\(word)”.")
      default: rest.append(word)
      }
    }
    guard rest.first == "add" else { throw Mistake(sentence: "Of users there is one command: user add EMAIL NAME.") }
    guard rest.count == 3 else { throw Mistake(sentence: "user add takes an address and a name; put a name with spaces in quotes.") }
    return .addUser(data: data, email: rest[1], name: rest[2])
  }
}

/// Walks over a command line: `--name value` and `--name=value` are the same, and `--` ends the options.
struct Words {
  private var rest: ArraySlice<String>
  private var attached: String?
  private var optionsEnded = false

  init(_ words: [String]) { rest = words[...] }

  /// The next word; of `--name=value` the name.
  mutating func next() throws(Command.Mistake) -> String? {
    if let attached { throw Command.Mistake(sentence: "There is an option that takes no value, and got “\(attached)”.") }
    guard let word = rest.popFirst() else { return nil }
    if !optionsEnded, word == "--" {
      optionsEnded = true
      return rest.popFirst()
    }
    guard !optionsEnded, word.hasPrefix("--"), let cut = word.firstIndex(of: "=") else { return word }
    attached = String(word[word.index(after: cut)...])
    return String(word[..<cut])
  }

  /// The value of the option that came last.
  mutating func value(of option: String) throws(Command.Mistake) -> String {
    let value = attached ?? rest.popFirst()
    attached = nil
    guard let value, !value.isEmpty else { throw Command.Mistake(sentence: "\(option) takes a value.") }
    return value
  }

  /// Whether a word is an option, where files may be called anything behind `--`.
  func isOption(_ word: String) -> Bool { !optionsEnded && word.hasPrefix("-") && word != "-" }
}
