import FeatureKit
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
    /// Whether the publication is being asked for its records: because the page was opened, or because the reader wants it again.
    public var isRefreshing = false
    /// A note that the list may be incomplete, and why; `nil` where the publication has answered.
    public var note: String?
    /// Whether purchases from elsewhere are being restored.
    public var isRestoring = false
    /// The result of that.
    public var restored: String?

    /// What the page shows in place of purchases; `nil` while there are some.
    public var statusPage: StatusPage? {
      switch phase {
      case .ready: nil
      case .loading: .loading("Reading what you bought…")
      case .empty:
        if let note {
          .message(.empty, heading: "Nothing is listed yet", sentence: note)
        } else {
          .message(.empty, heading: "Nothing bought yet", sentence: "What you buy here is listed with where it stands.")
        }
      case .failed(let sentence): .failed(sentence, heading: "This cannot be read")
      }
    }

    /// Whether the ``note`` belongs on the page; where nothing is listed, ``statusPage`` says it.
    public var showsNote: Bool { note != nil && phase == .ready }

    /// The state before anything is loaded.
    public init() {}
  }
}
