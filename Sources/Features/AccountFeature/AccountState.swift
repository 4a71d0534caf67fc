import FeatureKit
import Foundation
import PurchaseService

/// What the reader's purchases give access to, by what is known here.
public enum PremiumStatus: Equatable, Sendable {
  /// Nothing is known yet.
  case unknown
  /// The reader has no premium access.
  case none
  /// Premium access, until when; `nil` for without an end.
  case active(until: Date?)
}

/// How many of the reader's payments wait, and for whom.
public struct WaitingPayments: Equatable, Sendable {
  /// How many wait for the approval of a bank or another person.
  public var forBank = 0
  /// How many wait for the reader, whose bank asks them to confirm.
  public var forReader = 0
  /// How many wait for the publication, which has not confirmed them.
  public var forPublication = 0

  /// No payment waits.
  public init() {}

  /// From what the reader bought.
  public init(_ history: [Transaction]) {
    for transaction in history where transaction.step.isUnderWay {
      switch transaction.state {
      case .deferred: forBank += 1
      case .interrupted: forReader += 1
      case .purchasing: forPublication += 1
      case .purchased, .failed, .restored, .revoked: break
      }
    }
  }

  /// Whether there are any.
  public var areAny: Bool { count > 0 }
  /// How many there are.
  public var count: Int { forBank + forReader + forPublication }

  /// What signing out means to them, in a sentence; `nil` without any.
  public var costOfLeaving: String? {
    switch count {
    case 0: nil
    case 1: "1 payment is not confirmed yet. You hear what becomes of it when you sign in again."
    case let count: "\(count) payments are not confirmed yet. You hear what becomes of them when you sign in again."
    }
  }

  /// One line for each party that they wait for; `nil` for none. Those that the reader can act on come first.
  func sentence(_ formatting: Formatting) -> String? {
    let lines = [
      (forReader, "waits for you to confirm it", "wait for you to confirm them"), (forBank, "waits for your bank", "wait for your bank"),
      (forPublication, "waits to be confirmed", "wait to be confirmed"),
    ].compactMap { count, one, several in
      count == 0 ? nil : "\(formatting.count(count, "payment", "payments")) \(count == 1 ? one : several)"
    }
    return lines.isEmpty ? nil : lines.joined(separator: "\n")
  }
}

extension AccountViewModel {
  /// Everything the account screen shows.
  public struct State: Equatable, Sendable {
    /// What to call the reader.
    public var name = ""
    /// The address that the reader signs in with; empty for one who came by an identity provider that told none.
    public var email = ""
    /// Whether the reader can have a password.
    public var canChangePassword = true
    /// The publication that the account belongs to.
    public var publication = ""
    /// What the reader has, in a sentence.
    public var premium = ""
    /// Which of the reader's payments wait, a line for each party that they wait for: "1 payment waits for your bank"; `nil` without any.
    public var payments: String?
    /// How many article passes the reader has, in a sentence; `nil` for none.
    public var passes: String?
    /// Whether "Unlock" is offered.
    public var canUnlock = false
    /// What the reader should know of the session: how long it lasts, whether it could be checked. `nil` when all is as expected.
    public var notice: String?
    /// Whether the reader's purchases are being loaded again.
    public var isRefreshing = false
    /// Whether it is being found out what signing out costs, or the token is being removed; pressing anything does nothing then.
    public var isSigningOut = false

    /// The state before anything is loaded.
    public init() {}
  }
}
