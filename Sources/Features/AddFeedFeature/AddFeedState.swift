import FeatureKit
import PublicationAPI

extension AddFeedViewModel {
  /// Everything the dialog shows.
  public struct State: Equatable, Sendable {
    /// What the dialog is for at the moment.
    public enum Phase: Equatable, Sendable {
      /// The reader says what to add.
      case asking
      /// It is being added.
      case adding(Progress)
      /// It was added; the sentence gives the result.
      case added(String)
      /// The posts of what was added are being fetched.
      case fetching(Progress)
    }

    /// What has to be chosen.
    public struct Question: Equatable, Sendable {
      /// What has to be chosen, in a sentence for the reader.
      public var sentence: String
      /// What there is to choose from, in the page's order.
      public var choices: [Import.Choice]

      public init(_ sentence: String, _ choices: [Import.Choice]) {
        self.sentence = sentence
        self.choices = choices
      }
    }

    /// How far it is.
    public struct Progress: Equatable, Sendable {
      /// What is being done: "Fetching…", "Reading 12 of 340".
      public var words: String
      /// From 0 to 1; `nil` while it is not known, when a bar only moves.
      public var fraction: Double?
      /// What the feed calls itself; empty until that was read.
      public var title: String
      /// Whether it is being cancelled; nothing can be pressed then.
      public var isCancelling: Bool

      public init(_ words: String, fraction: Double? = nil, title: String = "", isCancelling: Bool = false) {
        self.words = words
        self.fraction = fraction
        self.title = title
        self.isCancelling = isCancelling
      }
    }

    /// What the dialog is for at the moment.
    public var phase = Phase.asking
    /// The address, or the path of a file, as it was typed.
    public var url = ""
    /// The name of the file that was chosen instead; `nil` for none.
    public var file: String?
    /// Whether "Add" can be pressed.
    public var canAdd = false
    /// Why nothing was added: one sentence, with the file or address and the place in it; `nil` when nothing went wrong.
    public var problem: String?
    /// Counts how often a typed address was refused: the reader then goes on in its field.
    public var refusals = 0
    /// The feeds of the web page at the address, when the reader has to say which is meant; `nil` otherwise.
    public var question: Question?
    /// What was added can be opened: "Show the fan clubs"; `nil` for nothing.
    public var openLabel: String?
    /// The button that fetches the posts of the added feeds: "Fetch all", "Fetch the rest"; `nil` when there are none to fetch.
    public var fetchLabel: String?
    /// The fan clubs whose posts could not be fetched.
    public var failures: [FanClubsFetch.Failure] = []

    /// An empty dialog, or one with an address.
    public init(url: String = "") { self.url = url }
  }

  /// What the coordinator shall do.
  public enum Output: Equatable, Sendable {
    /// Close the dialog.
    case close
    /// A feed was added: close the dialog and open its fan club.
    case openFanClub(FanClub.ID)
    /// A list of feeds was added: close the dialog and show the fan clubs.
    case openFanClubs
  }
}
