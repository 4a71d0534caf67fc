/// A feed, or a list of feeds, on its way into the publication: the answer to `PUT /v1/imports/UUID` and `GET /v1/imports/ID`.
///
/// An import that failed or was cancelled leaves nothing new behind. A large one is stored in parts, between which other requests run, and
/// readers see the first posts before the rest is stored. If the publication's process ends meanwhile, the stored parts stay: importing the
/// feed again adds the missing posts, and nothing twice.
public struct Import: Codable, Equatable, Sendable, Identifiable {
  /// How far an import is.
  public enum State: String, Codable, Sendable {
    /// It is under way; request it again.
    case running
    /// All of it is there.
    case done
    /// It could not be imported: ``Import/problem`` says why.
    case failed
    /// The reader did not want it any more.
    case cancelled
  }

  /// What it is doing, or was doing last.
  public enum Step: String, Codable, Sendable {
    /// The document is being fetched, which takes an unknown time.
    case fetching
    /// Its items are being read.
    case reading
    /// They are being stored.
    case storing
  }

  /// A feed of several that a web page names.
  public struct Choice: Codable, Equatable, Sendable, Identifiable {
    /// Where it is: what to import instead.
    public var url: String
    /// What the page calls it; empty when it gives no name.
    public var title: String
    /// The same as ``url``.
    public var id: String { url }

    public init(url: String, title: String = "") {
      self.url = url
      self.title = title
    }
  }

  /// The publication's name for it, which cannot be guessed.
  public var id: String
  /// Whether the import is under way, and how it ended.
  public var state: State
  /// What the import is doing, or was doing last.
  public var step: Step
  /// How many items of the step are done.
  public var done: Int
  /// How many there are; 0 while that is unknown.
  public var total: Int
  /// The fan clubs that it made or updated; several for a list of feeds. Empty until it is done.
  public var clubs: [FanClub.ID]
  /// What the document calls itself; empty until that was read.
  public var title: String
  /// Why it failed: one sentence, with the file or URL and the place in it.
  public var problem: String?
  /// The feeds to choose from, if it failed because the web page names several.
  public var choices: [Choice]?

  /// The most bytes that a document may have, posted or fetched: 50 MB.
  public static let documentLimit = 50_000_000
  /// The most feeds that a list may have.
  public static let mostClubs = 10_000
  /// The most items that a feed may have.
  public static let mostItems = 20_000

  public init(
    id: String, state: State = .running, step: Step = .fetching, done: Int = 0, total: Int = 0, clubs: [FanClub.ID] = [],
    title: String = "", problem: String? = nil, choices: [Choice]? = nil
  ) {
    self.id = id
    self.state = state
    self.step = step
    self.done = done
    self.total = total
    self.clubs = clubs
    self.title = title
    self.problem = problem
    self.choices = choices
  }
}

/// `PUT /v1/imports/UUID`: imports the document at an address: a feed, a list of feeds, or a web page that names its feed.
public struct ImportRequest: Codable, Equatable, Sendable {
  /// An absolute `http` or `https` URL.
  public var url: String

  public init(url: String) { self.url = url }
}
