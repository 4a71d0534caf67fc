import Foundation
import PurchaseService

extension PurchasesViewModel {
  /// Everything the list of purchases shows.
  public struct State: Equatable, Sendable {
    /// How far the list is.
    public enum Phase: Equatable, Sendable {
      /// It is being read.
      case loading
      /// There is something in it.
      case ready
      /// Nothing was bought yet.
      case empty
      /// It cannot be read; why.
      case failed(String)
    }

    /// How far the list is.
    public var phase = Phase.loading
    /// What is special about the store, such as that nothing is charged; `nil` for nothing.
    public var badge: String?
    /// The purchases, newest first.
    public var rows: [PurchaseRow] = []
    /// The purchase that a link named.
    public var marked: PurchaseRow.ID?
    /// How many article passes are left; `nil` without any.
    public var balance: String?
    /// How a subscription is cancelled; `nil` without one.
    public var cancelling: String?
    /// Whether everything is being asked for anew.
    public var isRefreshing = false
    /// Whether the store is being asked for what was bought elsewhere.
    public var isRestoring = false
    /// What came of that.
    public var restored: String?

    /// A list that knows nothing yet.
    public init() {}
  }
}

/// One purchase as the list shows it.
public struct PurchaseRow: Equatable, Sendable, Identifiable {
  /// Where it stands, in a few words, and how that is meant.
  public struct Status: Equatable, Sendable {
    /// How it is meant.
    public enum Tone: Equatable, Sendable {
      /// Something is yet to come.
      case waiting
      /// All is well.
      case good
      /// It was not bought.
      case bad
      /// It is over.
      case past
    }

    /// How it is meant.
    public var tone: Tone
    /// Where it stands: "Waiting for the bank", "Paid".
    public var words: String
    /// A sentence more: why, until when; may be empty.
    public var detail: String

    /// Memberwise initializer.
    public init(_ tone: Tone, _ words: String, detail: String = "") {
      self.tone = tone
      self.words = words
      self.detail = detail
    }
  }

  /// The order's identifier.
  public var id: UUID
  /// What was bought.
  public var name: String
  /// What it cost; empty when that is not known here.
  public var price: String
  /// When, and the order's number.
  public var facts: String
  /// Where it stands.
  public var status: Status
  /// A page on which the reader has to do something first.
  public var page: String?
  /// Whether the store can be asked about it now.
  public var canCheck = false
  /// Whether it is being asked.
  public var isChecking = false
}
