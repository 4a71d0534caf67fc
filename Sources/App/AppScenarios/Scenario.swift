import AppCore
import Foundation
import HTTPTransport
import Runtime
import StubStore

/// What a reader, the store, the network and the clock do one after the other, and what is to be seen after it: one file.
///
///     {"name": "A reader buys a month", "steps": [
///       {"signIn": "sample"},
///       {"link": "matinee://posts/the-colour-of-rain"},
///       {"input": "unlockTapped"},
///       {"expect": {"screen": "paywall", "state": {"phase": "ready"}}},
///       {"input": "buyTapped", "with": "premium.monthly"},
///       {"input": "payTapped"},
///       {"expect": {"screen": "article", "entitlements": ["premium.monthly"]}}
///     ]}
public struct Scenario: Sendable {
  /// One line that says what happens.
  public let name: String
  /// What the wall clock shows at the start; noon of 1 June 2026, UTC, unless given.
  public let clock: Date
  /// Where the publication is, such as `https://example.org`, with a page for each post; unless given it is inside the app, without any.
  public let origin: String
  /// The test store that sells; `nil` for the publication itself.
  public let store: StubStoreFile?
  /// What is done, in order.
  public let steps: [Step]
  /// The line that each step begins in, from 1.
  public let lines: [Int]

  /// How the app ends before it starts again on the same data.
  public enum Restart: String, Decodable, Sendable, CaseIterable {
    /// The reader quits: accepted writes are waited for.
    case quit
    /// The process is killed at this point.
    case kill
    /// The machine goes down with it: the new clock counts from its own start.
    case reboot
    /// The scenario continues at another computer: without this one's data, and signed out.
    case newMachine
  }

  /// Which reader signs in.
  public enum Account: String, Decodable, Sendable, CaseIterable {
    /// The sample account, by its button.
    case sample
    /// ``Scenario/otherAccount``, by its address and password.
    case other
  }

  /// How the computer's keyring behaves.
  public enum Keyring: String, Decodable, Sendable, CaseIterable {
    /// It stores a session, and has what it stored.
    case works
    /// The desktop has none.
    case absent
    /// Its owner does not type the password.
    case locked
    /// It does not answer, until it behaves otherwise.
    case silent
    /// It says that it stores, and does not: it has what it stored before, like a disk that a backup came back to.
    case forgetful
  }

  /// What the reader answers on the page in the browser.
  public enum PageAnswer: String, Decodable, Sendable, CaseIterable {
    /// Agrees to pay, or confirms, or signs in.
    case approve
    /// Refuses to pay, to confirm or to sign in.
    case decline
  }

  /// What the publication's operator does about its newest order.
  public enum OperatorAct: String, Decodable, Sendable, CaseIterable {
    /// Says for the bank that a payment is approved.
    case approve
    /// Says for the bank that it is not.
    case decline
    /// Gives the money back.
    case refund
    /// Publishes a post in the fan club that new posts come from.
    case publish
    /// Begins maintenance, of half an hour.
    case maintain
    /// Ends the maintenance, and serves every version again.
    case reopen
    /// Serves only versions of the app that are not there yet.
    case outdate
    /// Ends all sessions of the sample reader.
    case signOut
  }

  /// What a reader does with the newest notification on the desktop.
  public enum NotificationAct: String, Decodable, Sendable, CaseIterable {
    /// Clicks the notification, which opens what it is about.
    case open
  }

  /// What a reader does with the app's window.
  public enum WindowAct: String, Decodable, Sendable, CaseIterable {
    /// Hides it; the app continues without a window.
    case hide
    /// Shows the window again.
    case show
    /// Closes it, by which the app ends; it may ask first.
    case close
  }

  /// A second reader of the publication.
  public static let otherAccount = (email: "other@example.org", password: "second row", name: "Other reader")

  /// What must be so once everything under way has come to rest. What is not named may be anything.
  public struct Expectation: Decodable, Equatable, Sendable {
    /// The visible place's name, such as `paywall`; `curtain` while that is up, `closed` when the app has ended with its window.
    public var screen: String?
    /// What the visible screen's state holds: see ``StateValue/objection(to:at:)``.
    public var state: StateValue?
    /// The last short message; `*` stands for any characters.
    public var said: String?
    /// The identifiers of all that the reader has.
    public var entitlements: Set<String>?
    /// The state of each of the reader's purchases, newest first.
    public var purchases: [String]?
    /// The web page that was opened last; `*` stands for any characters.
    public var opened: String?
    /// The address that was copied last; `*` stands for any characters.
    public var copied: String?
    /// The mail that was begun last, as `subject: text`; `*` stands for any characters.
    public var mailed: String?
    /// What the bar says about what waits to be sent; empty for no bar.
    public var waiting: String?
    /// The notifications on the desktop, the oldest first, each as `title: body`; `*` stands for any characters.
    public var notified: [String]?
  }

  /// One thing that is done or expected.
  public enum Step: Equatable, Sendable {
    /// Signs in, through the login.
    case signIn(Account)
    /// Opens a link from outside.
    case link(String)
    /// Calls an input of the visible screen's view model, with what it takes.
    case input(String, with: String)
    /// Calls an input of the visible screen's view model with the code of the newest mail.
    case mailedCode(String)
    /// Chooses a tab.
    case tab(Tab)
    /// Goes back, or closes the sheet on top.
    case back
    /// Moves all clocks forwards by an ISO 8601 duration: `P1M`, `P3D`, `PT30S`.
    case advance(TimeSpan)
    /// Sets the wall clock alone, as a person would.
    case wallClock(Date)
    /// From here on these requests go wrong; an empty list mends the network.
    case faults([FaultPlan.FaultRule])
    /// Ends the app and starts it again.
    case restart(Restart)
    /// Answers the page that was opened last: a checkout, or an identity provider's.
    case page(PageAnswer)
    /// How the keyring behaves from here on.
    case keyring(Keyring)
    /// What the publication's operator does: about the order that was made last, or a new post.
    case publication(OperatorAct)
    /// Does something with the newest notification.
    case notification(NotificationAct)
    /// Does something with the window.
    case window(WindowAct)
    /// Presses "Try now" on the bar that says what waits.
    case tryNow
    /// What a tester does to the test store.
    case store(TestStore.Command)
    /// What must be so.
    case expect(Expectation)
  }

  /// The origin of a publication inside the app.
  package static let embedded = "embedded"

  /// Noon of 1 June 2026, UTC.
  public static let usualClock = Date(timeIntervalSince1970: 1_780_315_200)

  private struct Written: Decodable {
    /// Editors find the schema by it.
    let schema: String?
    let name: String
    let clock: Date?
    let origin: LocatedJSON.Placed<String>?
    let stubProducts: LocatedJSON.Placed<String>?
    let steps: [LocatedJSON.Placed<Step>]

    enum CodingKeys: String, CodingKey {
      case schema = "$schema"
      case name, clock, origin, stubProducts, steps
    }
  }

  /// Reads a scenario.
  /// - Parameters:
  ///   - file: what errors name the file; what the scenario names is looked for beside it.
  ///   - read: reads a file.
  /// - Throws: `LocatedJSON.Failure`, with line, column and what was expected; at the name of a file that cannot be read.
  public init(json: Data, file: String, read: (String) throws -> Data) throws(LocatedJSON.Failure) {
    let written = try LocatedJSON.decode(Written.self, from: json, file: file)
    name = written.name
    clock = written.clock ?? Self.usualClock
    steps = written.steps.map(\.value)
    origin = written.origin?.value ?? Self.embedded
    if let named = written.origin, (try? Origin(named.value))?.text != named.value {
      let problem = "expected an origin such as https://example.org, found “\(named.value)”"
      throw LocatedJSON.Failure(file: file, line: named.line, column: named.column, problem: problem)
    }
    if let name = written.stubProducts {
      let path = URL(fileURLWithPath: file).deletingLastPathComponent().appendingPathComponent(name.value).path
      let data: Data
      do { data = try read(path) } catch {
        let problem = "“\(name.value)” \(LocatedJSON.Failure(file: path, unreadable: error).problem)"
        throw LocatedJSON.Failure(file: file, line: name.line, column: name.column, problem: problem)
      }
      store = try StubStoreFile(json: data, name: path)
    } else {
      store = nil
    }
    lines = written.steps.map(\.line)
  }
}

extension Scenario.Step: Decodable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case signIn, link, input, with, mailedCode, tab, back, advance, wallClock, faults, restart, page, keyring, publication, notification,
      window, tryNow, store, expect
  }

  /// From JSON: an object with one verb.
  /// - Throws: `DecodingError`, for anything but one known verb with what it takes.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let verbs = container.allKeys.filter { $0 != .with }
    guard let verb = verbs.first, verbs.count == 1, verb == .input || !container.contains(.with) else {
      let all = CodingKeys.allCases.filter { $0 != .with }.map(\.rawValue).joined(separator: ", ")
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "expected a step with one of \(all); only “input” takes “with”"))
    }
    switch verb {
    case .signIn, .with: self = .signIn(try container.decode(Scenario.Account.self, forKey: .signIn))
    case .link: self = .link(try container.decode(String.self, forKey: .link))
    case .input:
      self = .input(
        try container.decode(String.self, forKey: .input), with: try container.decodeIfPresent(String.self, forKey: .with) ?? "")
    case .mailedCode: self = .mailedCode(try container.decode(String.self, forKey: .mailedCode))
    case .tab: self = .tab(try container.decode(Tab.self, forKey: .tab))
    case .back:
      _ = try container.decode(Bool.self, forKey: .back)
      self = .back
    case .advance: self = .advance(try container.decode(TimeSpan.self, forKey: .advance))
    case .wallClock: self = .wallClock(try container.decode(Date.self, forKey: .wallClock))
    case .faults: self = .faults(try container.decode([FaultPlan.FaultRule].self, forKey: .faults))
    case .store: self = .store(try container.decode(TestStore.Command.self, forKey: .store))
    case .restart: self = .restart(try container.decode(Scenario.Restart.self, forKey: .restart))
    case .page: self = .page(try container.decode(Scenario.PageAnswer.self, forKey: .page))
    case .keyring: self = .keyring(try container.decode(Scenario.Keyring.self, forKey: .keyring))
    case .publication: self = .publication(try container.decode(Scenario.OperatorAct.self, forKey: .publication))
    case .notification: self = .notification(try container.decode(Scenario.NotificationAct.self, forKey: .notification))
    case .window: self = .window(try container.decode(Scenario.WindowAct.self, forKey: .window))
    case .tryNow:
      _ = try container.decode(Bool.self, forKey: .tryNow)
      self = .tryNow
    case .expect: self = .expect(try container.decode(Scenario.Expectation.self, forKey: .expect))
    }
  }
}

/// A length of time as ISO 8601 writes it, with months that are as long as the calendar says.
public struct TimeSpan: Equatable, Sendable, Decodable {
  /// The calendar months of the time, twelve for a year.
  public let months: Int
  /// Everything shorter, in seconds.
  public let seconds: Double

  /// Reads `P1Y2M3W4DT5H6M7.5S`, with any of its parts.
  /// - Returns: `nil` for any other text.
  public init?(_ text: String) {
    guard
      let match = text.wholeMatch(
        of: /P(?:(\d{1,3})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9}(?:\.\d+)?)S)?)?/)
    else { return nil }
    let parts = [match.1, match.2, match.3, match.4, match.5, match.6, match.7].map { $0.flatMap { Double($0) } }
    guard parts.contains(where: { $0 != nil }) else { return nil }
    let value = { (index: Int) in parts[index] ?? 0 }
    months = Int(value(0) * 12 + value(1))
    seconds = value(2) * 604_800 + value(3) * 86_400 + value(4) * 3600 + value(5) * 60 + value(6)
  }

  /// Reads a text such as `P1M`.
  /// - Throws: `DecodingError`, for anything but an ISO 8601 duration.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let span = TimeSpan(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected an ISO 8601 duration such as P1M, P3D or PT30S")
    }
    self = span
  }

  /// How long that is from a moment on, by the Gregorian calendar in UTC.
  public func duration(from start: Date) -> Duration {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let end = calendar.date(byAdding: .month, value: months, to: start) ?? start
    return .seconds(end.timeIntervalSince(start) + seconds)
  }
}
