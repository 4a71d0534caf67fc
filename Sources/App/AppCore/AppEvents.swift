import Foundation
import NavigationCore
import PublicationAPI
import PublicationCommerce
import PurchaseService
import Runtime

/// Something that happened in the app, for those who count. It never names an entity, and a reader only where a purchase is counted.
public struct AppEvent: Equatable, Sendable {
  /// What an event may be read for.
  public enum Use: String, CaseIterable, Sendable {
    /// Counts by the session's side of a roll-out or an experiment.
    case rollouts
    /// How the app is used, of readers who agreed to that.
    case analytics
  }

  /// What happened, by its name in the analytics.
  public let name: AnalyticsEvent.Name
  /// When, by the reader's clock.
  public let date: Date
  /// Which of its kind; `nil` where the name says all.
  public let detail: String?
  /// The purchase that a payment is about, by whose identifier it is counted once.
  public let transaction: Transaction?

  fileprivate var line: String {
    let uses = Use.allCases.filter(name.uses.contains).map(\.rawValue).joined(separator: ", ")
    return "\(date.formatted(.iso8601)) \(name.rawValue)\(detail.map { " \($0)" } ?? "") (\(uses))"
  }
}

extension AnalyticsEvent.Name {
  /// What an event of this name may be read for.
  public var uses: Set<AppEvent.Use> {
    switch self {
    case .paywallSeen, .paymentTokenFailed, .paymentCharged, .paymentDeclined: [.rollouts, .analytics]
    case .signedIn, .signedOut, .screenSeen, .paymentStarted, .paymentAuthorized, .paymentCancelled, .paymentPending: [.analytics]
    }
  }
}

/// The only source of ``AppEvent``s: what the coordinator tracks, and what becomes of purchases. Isolated to the main actor.
@MainActor public final class AppEvents {
  /// Counts what the signed-in reader does, if they agreed; `nil` while nobody is signed in.
  var analytics: Analytics?

  private let clock: any AppClock
  private var observers: [@MainActor (AppEvent) -> Void] = []
  /// The screen of the last ``AnalyticsEvent/Name/screenSeen``.
  private var seen: NavigationTree<Destination>.Node.ID?

  /// - Parameter clock: the reader's.
  package init(clock: any AppClock) { self.clock = clock }

  /// Calls the observer with each event from here on, for as long as this object lives.
  package func observe(_ observer: @escaping @MainActor (AppEvent) -> Void) { observers.append(observer) }

  func send(_ name: AnalyticsEvent.Name, _ detail: String? = nil, of transaction: Transaction? = nil) {
    let event = AppEvent(name: name, date: clock.now, detail: detail, transaction: transaction)
    analytics?.record(event)
    for observer in observers { observer(event) }
  }

  /// Derives the events of a step of the app.
  func send(_ track: AppCoordinator.Track) {
    // A question in between does not make the screen another one.
    if let visible = track.tree.visible, !visible.destination.isQuestion, visible.id != seen {
      seen = visible.id
      send(.screenSeen, visible.destination.name)
    }
    switch track.step {
    case .signedIn: send(.signedIn)
    case .signedOut: send(.signedOut)
    case .started, .navigation: break
    }
  }

  /// The last events from here on, oldest first, a line each: for testers.
  public func log() -> LastValue<[String]> {
    let lines = LastValue<[String]>([])
    observe { lines.value = lines.value.suffix(Self.logged - 1) + [$0.line] }
    return lines
  }

  private static let logged = 12

  /// Derives the event of a purchase's step.
  package func send(_ event: PurchaseEvent<PurchasableProduct>, of transaction: Transaction) {
    switch event {
    case .started: send(.paymentStarted, of: transaction)
    case .authorized: send(.paymentAuthorized, of: transaction)
    case .pending: send(.paymentPending, of: transaction)
    case .ended(.purchased): send(.paymentCharged, of: transaction)
    case .ended(.failed(let failure)):
      let isToken = if case .authorization = failure { true } else { false }
      send(isToken ? .paymentTokenFailed : .paymentDeclined, failure.code, of: transaction)
    case .ended(.cancelled): send(.paymentCancelled, of: transaction)
    case .ended(.pending): break
    }
  }
}
