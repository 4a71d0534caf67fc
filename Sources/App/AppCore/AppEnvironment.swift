import FeatureKit
import FeedFormats
import MenuFeature
import PublicationCommerce
import Runtime

/// What differs between a live app, a test and a scenario, for screens and the coordinator. `Assembly` is given what everything else is
/// built of.
public struct AppEnvironment {
  /// The publication's origin (`https://example.org`), or `embedded`. Links, secrets and folders of different origins are kept apart.
  public var origin: String
  /// Where the publication is, for people; `nil` for the one inside the app.
  package var address: String? { origin == "embedded" ? nil : origin }
  /// The reader's time, by which requests wait, are repeated and time out.
  public var clock: any AppClock
  /// The store's time, by which things are bought, renewed and end: ``clock``, or that of a tester's store, which may run fast or stand
  /// still. No request is timed by it.
  public var storeClock: any AppClock
  /// Chance, which spreads waits.
  public var random: any RandomSource = SystemRandom()
  /// Gives new identifiers, such as those of actions and orders.
  public var identifiers: any IdentifierSource
  /// The door that state-holding code leaves the main actor by.
  public var effects: Effects
  /// The reader's language and time zone.
  public var formatting: Formatting
  /// The same on pages about purchases, where "now" is the store's.
  public var storeFormatting: Formatting {
    var formatting = formatting
    formatting.clock = storeClock
    return formatting
  }
  /// Opens a page in the system's browser.
  public var openWeb: @MainActor (String) -> Void
  /// Puts a text where the reader can paste it from.
  public var copy: @MainActor (String) -> Void
  /// Shows the reader a message with a text of theirs that has no place any more, which they may copy, until they have answered it; `nil` where
  /// nothing can be copied.
  public var offerText: (@MainActor (_ message: String, _ text: String, _ answered: @escaping @MainActor () -> Void) -> Void)?
  /// Opens a new mail, with a subject and a text, in the desktop's mail program.
  public var composeMail: @MainActor (_ subject: String, _ text: String) -> Void = { _, _ in }
  /// Opens a folder, by its path, in the desktop's file manager.
  public var openFolder: @MainActor (String) -> Void = { _ in }
  /// Closes the window and ends the app; nothing asks any more.
  public var quit: @MainActor () -> Void = {}
  /// What the app is made of. Called when a person opens that page: a library may have to be loaded for it.
  public var about: @MainActor () -> AboutViewModel.State = { AboutViewModel.State(version: "0") }
  /// What is set on this computer.
  public var preferences = Preferences()
  /// The pictures on the disk; `nil` where none are kept.
  public var pictureCache: DiskUse?
  /// The files that a person chooses.
  public var documents = Documents.onDisk
  /// Whether this build has the tester panel.
  public var hasTesterPanel = false
  /// The app's version, which decides which of the publication's flags apply.
  public var version: String
  /// What this computer is called, for the reader's list of sessions; `nil` where it has no name.
  public var device: String?
  /// Called with a sentence for the person who runs the app when a flag, a file or an answer is wrong; never with problems that a reader
  /// could solve.
  public var report: @MainActor (String) -> Void
  /// Shows notifications on the desktop, which are raised for new posts; `nil` where that is not possible.
  public var notifier: (any Notifier)?
  /// What is special about the store, shown on every screen with its products: "Test store: nothing is charged". `nil` for nothing.
  public var storeBadge: String?
  /// The ways to pay at a store that stands in for the publication's, such as a tester's; `nil` for the publication's own.
  public var paymentMethods: [PaymentMethod]?

  /// The store's time is the reader's until it is changed. ``openWeb`` refuses an address that does not lead to the web, and reports it.
  /// The pages of posts are below `origin`; the publication inside the app, `embedded`, has none.
  public init(
    origin: String, clock: any AppClock, identifiers: any IdentifierSource, effects: Effects, formatting: Formatting, version: String = "0",
    report: @escaping @MainActor (String) -> Void = { _ in }, openWeb: @escaping @MainActor (String) -> Void,
    copy: @escaping @MainActor (String) -> Void = { _ in }
  ) {
    self.origin = origin
    self.clock = clock
    storeClock = clock
    self.identifiers = identifiers
    self.effects = effects
    self.formatting = formatting
    self.formatting.pages = origin == "embedded" ? nil : origin
    self.version = version
    self.report = report
    // An address that leads elsewhere than to the web may be a program or a file, and comes from strangers.
    self.openWeb = { url in
      guard WebLinks.isOpenable(url) else { return report("This link is not opened, as it does not lead to the web: \(url.prefix(200))") }
      openWeb(url)
    }
    self.copy = copy
  }
}

extension AppEnvironment {
  /// Carries out a navigation that leads to another program of the desktop, or ends this one.
  /// - Returns: a sentence for the reader; `nil` where the desktop shows by itself what happens.
  @MainActor func leave(by navigation: Navigation) -> String? {
    switch navigation {
    case .quit: quit()
    case .web(let url):
      openWeb(url)
      if !WebLinks.isOpenable(url) { return "This link is not opened: it does not lead to the web." }
    case .folder(let path): openFolder(path)
    case .copyLink(let url):
      copy(url)
      return "Link copied."
    case .mail(let subject, let text): composeMail(subject, text)
    default: break
    }
    return nil
  }
}
