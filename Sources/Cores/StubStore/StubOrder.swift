import Foundation
import PurchaseService

/// How a purchase in a test store stands.
public enum StubStanding: String, Codable, Sendable, CaseIterable {
  /// A bank or another person has to approve.
  case deferred
  /// The person has to do something first.
  case interrupted
  /// Not charged yet: the store answers as if it were broken.
  case unsettled
  /// Charged, and in force while it lasts.
  case paid
  /// A renewal could not be charged; access continues for some days.
  case grace
  /// A renewal could not be charged; access has ended, and the store keeps trying.
  case billingRetry = "billing_retry"
  /// It is over: its last period has ended.
  case expired
  /// Over: another subscription of its group took its place.
  case replaced
  /// Over: the money went back.
  case refunded
  /// It was refused, and never charged.
  case declined
}

/// One purchase, as a test store has it.
public struct StubOrder: Codable, Equatable, Sendable, Identifiable {
  /// The identifier of the transaction that it was submitted as.
  public let id: UUID
  /// The user who bought it.
  public let user: String
  /// The product that was bought.
  public let product: Product.ID
  /// The product's group, of which a person has one subscription at a time.
  public let group: String?
  /// When it was requested.
  public let began: Date
  /// Whether it was made on another device, or before.
  public let isElsewhere: Bool
  /// Its outcome, by the script.
  public let outcome: StubOutcome
  /// Where the purchase stands now.
  public internal(set) var standing: StubStanding
  /// How often it was charged.
  public internal(set) var payments = 0
  /// What was charged last, in minor units.
  public internal(set) var charged = 0
  /// Until when it is paid; `nil` for what does not end.
  public internal(set) var paidUntil: Date?
  /// Until when access continues while a renewal cannot be charged, or until when the store keeps trying.
  public internal(set) var patienceEnds: Date?
  /// Whether it is to be renewed.
  public internal(set) var renews = false
  /// Whether the next renewal will fail, and with how many days of grace.
  public internal(set) var failsWithGrace: Int?
  /// Whether a higher price waits for the person's consent.
  public internal(set) var needsConsent = false
  /// How many periods of the introductory offer are left.
  public internal(set) var offerCycles = 0
  /// How many answers that were not good were given.
  public internal(set) var badAnswers = 0
  /// When its receipt was signed last: with each change.
  public internal(set) var issued: Date

  init(
    id: UUID, user: String, product: Product, at now: Date, isElsewhere: Bool = false, outcome: StubOutcome = .success,
    standing: StubStanding = .unsettled
  ) {
    self.id = id
    self.user = user
    self.product = product.id
    group = product.group
    began = now
    self.isElsewhere = isElsewhere
    self.outcome = outcome
    self.standing = standing
    issued = now
  }

  /// When access ends; `nil` for never.
  public var expires: Date? { standing == .grace ? patienceEnds : paidUntil }

  /// Whether it gives access at a time.
  public func isInForce(at now: Date) -> Bool { [.paid, .grace].contains(standing) && expires.map { now < $0 } ?? true }

  /// Whether it waits for a command, or for enough requests.
  public var isPending: Bool { [.deferred, .interrupted, .unsettled].contains(standing) || (standing == .paid && givesBadReceipt) }

  /// Whether it is a subscription that is not over.
  public var isSubscription: Bool { paidUntil != nil && [.paid, .grace, .billingRetry].contains(standing) }

  /// Whether the next answer has a receipt that grants nothing, or does not list the product.
  var givesBadReceipt: Bool {
    [.receiptRejected, .badSignature, .notListed].contains(outcome.result) && outcome.times.map { badAnswers < $0 } ?? !isResolved
  }

  /// Whether a command ended its troubles.
  var isResolved = false

  /// When something happens to it by itself.
  func due(lead: TimeInterval) -> Date? {
    switch standing {
    case .paid:
      guard let paidUntil else { return nil }
      // A renewal comes early enough that no moment is without a receipt.
      return renews && !needsConsent && failsWithGrace != 0 ? paidUntil - lead : paidUntil
    case .grace, .billingRetry: return patienceEnds
    case .deferred, .interrupted, .unsettled, .expired, .replaced, .refunded, .declined: return nil
    }
  }
}

extension Product {
  /// What a person has one subscription of at a time.
  var group: String? { if case .subscription(let group, _) = kind { group } else { nil } }
}

extension SubscriptionPeriod {
  /// How long before its end a period is renewed, in seconds: a day, or a tenth of a short one.
  var lead: TimeInterval { min(86_400, Double(30 * months + days) * 8640) }
}
