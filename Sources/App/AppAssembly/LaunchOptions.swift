import AppCore
import FeatureKit
import Foundation
import HTTPTransport
import Runtime

/// What `matinee` was started with.
public struct LaunchOptions: Equatable, Sendable {
  /// What the process is to do.
  public enum Task: Equatable, Sendable {
    /// Open the window, at a link if there is one.
    case open(uri: String?)
    /// Import feeds into the embedded publication, without a window.
    case importFeeds([String])
    /// Draw one window into a PNG file and end: the login, or signed in to the sample account at a link.
    case screenshot(file: String, uri: String?)
    /// Print the version and end.
    case version
    /// Print ``LaunchOptions/help`` and end.
    case help
  }

  /// Why a command line was refused; one sentence for the person at the terminal.
  public struct Failure: Error, Equatable, Sendable {
    /// What is wrong, and with which argument.
    public let sentence: String

    init(sentence: String) { self.sentence = sentence }

    /// For what stands where a link does.
    /// - Parameter hasPublication: whether a publication was named too. If so, the message does not explain how to name one.
    fileprivate init(noLink text: String, hasPublication: Bool) {
      let scheme = hasPublication ? nil : ["http", "https"].first { text.lowercased().hasPrefix($0 + "://") }
      let hint = scheme.map { ". --publication \($0)://… opens a publication." } ?? "; see matinee --help."
      sentence = "“\(text)” is no link: a link begins with matinee://, or is the address of a post's page, https://…/posts/…\(hint)"
    }
  }

  /// What the program does with these options; by default it opens the app without a link.
  public var task: Task = .open(uri: nil)
  /// The origin of a publication on the network; `nil` for the embedded one.
  public var publication: String?
  /// Where data is kept; `nil` for $XDG_DATA_HOME/matinee.
  public var dataFolder: String?
  /// A file of transport faults to inject, for testers.
  public var faultsFile: String?
  /// A file of products and outcomes: the app sells from a test store, in place of the publication's products.
  public var stubProductsFile: String?
  /// A file of canned answers, which are given in the place of the publication's.
  public var stubAnswersFile: String?
  /// One line of JSON for each imported source.
  public var json = false
  /// Which colours to draw in.
  public var appearance: Appearance = .system
  /// Start without a window, as the session bus does.
  public var asService = false

  /// The text of `--help`.
  public static let help = """
    Usage: matinee [OPTION…] [LINK]
           matinee --import [--json] SOURCE…

    Reads publications that people pay for. Without a publication it opens the one that comes with it.
    A LINK begins with matinee://, or is the address of a post's page at the publication.

      --publication ORIGIN   use the publication at http://… or https://…
      --data FOLDER          keep data there instead of $XDG_DATA_HOME/matinee
      --import SOURCE…       add feeds (files or URLs) to the embedded publication and end
      --json                 with --import: one line of JSON for each source
      --faults FILE          inject the transport faults that FILE describes
      --stub-products FILE   sell from the test store that FILE describes: nothing is charged
      --stub-answers FILE    answer requests as FILE says; what it does not answer goes to the publication
      --screenshot FILE.png  draw one window into FILE.png and end: the login, or the place of a URI
      --light, --dark        draw in these colours, whatever the desktop says
      --version              print the version
      --help                 print this
    """

  /// Reads the arguments, without the program's name.
  public init(_ arguments: [String]) throws(Failure) {
    var rest = arguments[...]
    var plain: [String] = []
    var imports = false
    var screenshot: String?
    func value(of option: String) throws(Failure) -> String {
      guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("--") else {
        throw Failure(sentence: "\(option) needs a value; see matinee --help.")
      }
      return value
    }
    var given: Set<String> = []
    while let argument = rest.popFirst() {
      guard !argument.hasPrefix("--") || given.insert(argument).inserted else {
        throw Failure(sentence: "\(argument) is there twice; see matinee --help.")
      }
      switch argument {
      case "--publication": publication = try value(of: argument)
      case "--data": dataFolder = try value(of: argument)
      case "--faults": faultsFile = try value(of: argument)
      case "--stub-products": stubProductsFile = try value(of: argument)
      case "--stub-answers": stubAnswersFile = try value(of: argument)
      case "--screenshot": screenshot = try value(of: argument)
      case "--import": imports = true
      case "--json": json = true
      case "--light": appearance = .light
      case "--dark": appearance = .dark
      case "--gapplication-service": asService = true
      case "--version":
        task = .version
        return
      case "--help", "-h":
        task = .help
        return
      case let option where option.hasPrefix("-"): throw Failure(sentence: "\(option) is not an option of matinee; see matinee --help.")
      default: plain.append(argument)
      }
    }
    if let address = publication {
      // With and without a slash it is the same publication, with the same data and the same session.
      do { publication = try Origin(address).text } catch {
        throw Failure(sentence: "--publication takes an origin such as https://example.org, \(error.reason).")
      }
    }
    if imports {
      guard !plain.isEmpty else { throw Failure(sentence: "--import needs at least one file or URL.") }
      guard publication == nil else { throw Failure(sentence: "--import adds to the embedded publication; --publication names another.") }
      task = .importFeeds(plain)
      return
    }
    guard plain.count <= 1 else { throw Failure(sentence: "Only one link can be opened at a time; “\(plain[1])” is one too many.") }
    guard !json else { throw Failure(sentence: "--json goes with --import.") }
    if let link = plain.first, !Self.isLink(link) { throw Failure(noLink: link, hasPublication: publication != nil) }
    if let screenshot {
      task = .screenshot(file: screenshot, uri: plain.first)
    } else {
      task = .open(uri: plain.first)
    }
  }

  /// Whether the app opens this text as a link. It explains a malformed `matinee:` link; of http and https it opens the page of a post.
  private static func isLink(_ text: String) -> Bool {
    text.lowercased().hasPrefix("matinee:") || (try? DeepLink(text)) != nil
  }

  /// The options that a running instance, which gets the link, does not adopt: a sentence for the person at the terminal.
  public var lostByHandingOver: String? {
    appearance == .system ? nil : "Matinee runs already, and keeps its colors: --\(appearance.rawValue) is for its own start."
  }

  /// Whether this start is an instance of its own, beside one that may be running.
  public var isOwnInstance: Bool {
    guard case .open = task else { return true }
    return distinction.contains { $0 != nil }
  }

  /// The names on the session bus, letters and digits, by which this separate instance is found: by a later start with the same options,
  /// and by a link that names its publication. Empty for the instance that all starts share, and for a task without a window.
  public var instanceNames: [String] {
    guard case .open = task, isOwnInstance else { return [] }
    // A folder is locked, so an accidental match of two hashes shares nothing.
    let own = "at" + Self.hash(distinction.map { $0 ?? "" }.joined(separator: "\0"))
    return [own] + (publication.map { [Self.instanceName(showing: $0)] } ?? [])
  }

  /// The name by which the instance with this origin's publication is found.
  public static func instanceName(showing publication: String) -> String { "showing" + hash(publication) }

  private static func hash(_ text: String) -> String {
    var hash = FNV1a()
    hash.add(text.utf8)
    return String(hash.value, radix: 16)
  }

  /// Where this start keeps what is below a base folder such as $XDG_DATA_HOME: a folder of its own for each publication, and separate ones
  /// for testers, whose data must not be mixed with a reader's.
  /// - Parameter canBuy: whether this build sells for real. The data of one that does not are a tester's, with any options.
  public func folder(below base: String, canBuy: Bool) -> String {
    if let dataFolder { return URL(fileURLWithPath: dataFolder).path }
    let home = base + (pretends(canBuy: canBuy) ? "/matinee/testing" : "/matinee")
    guard let publication else { return home }
    let name = publication.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") ? String($0) : "-" }.joined()
    return home + "/at/" + name
  }

  /// The key of this start's session in the keyring: each data folder has its own session.
  /// - Parameters:
  ///   - origin: the publication's.
  ///   - folder: where this start keeps its data.
  ///   - canBuy: as for ``folder(below:canBuy:)``.
  public func keyringName(of origin: String, in folder: String, canBuy: Bool) -> String {
    dataFolder == nil && !pretends(canBuy: canBuy) ? origin : "\(origin) in \(folder)"
  }

  private func pretends(canBuy: Bool) -> Bool { !canBuy || stubProductsFile != nil || stubAnswersFile != nil }

  /// What makes a start an instance of its own.
  private var distinction: [String?] {
    [publication, dataFolder.map { URL(fileURLWithPath: $0).path }, faultsFile, stubProductsFile, stubAnswersFile]
  }
}
