import Foundation
import PublicationAPI
import PublicationClient
import PurchaseService
import Runtime
import Synchronization

/// Asks on the publication's checkout page in the system browser: begins the order and its page, opens it, and requests its state until the
/// person agreed, declined or let it expire. For a publication with ``PublicationInfo/hostedCheckout``.
///
/// The page never charges. If the app ends between the person's agreement and the token, the order stays open: nothing was or will be
/// charged for it, and buying again begins another one.
public struct HostedCheckoutAuthorizer: PaymentAuthorizer {
  /// How long it waits between two questions.
  static let pace = Duration.seconds(2)
  /// The longest wait, while the publication is unreachable.
  static let longestWait = Duration.seconds(30)
  /// When it gives up, if the publication does not report that its page expired.
  static let patience = Duration.seconds(3600)

  private let client: APIClient
  private let clock: any AppClock
  private let open: @MainActor @Sendable (_ url: String) -> Void
  private let waiting = Waiting()

  /// The page whose answer is awaited.
  private final class Waiting: Sendable {
    let page = Mutex<String?>(nil)
  }

  /// - Parameters:
  ///   - client: its signed-in reader at the payment's begin is the one who pays.
  ///   - open: shows an `http` or `https` address in the system browser.
  public init(client: APIClient, clock: any AppClock, open: @escaping @MainActor @Sendable (_ url: String) -> Void) {
    self.client = client
    self.clock = clock
    self.open = open
  }

  /// Shows the page whose answer is awaited once more; nothing while there is none.
  @MainActor public func openAgain() {
    if let url = waiting.page.withLock({ $0 }) { open(url) }
  }

  /// See `PaymentAuthorizer`.
  /// - Throws: `PaymentAuthorizationError`.
  public func authorize(_ order: OrderSummary, started: @escaping @Sendable () async -> Void) async throws -> PaymentAuthorization {
    guard let client = client.pinned() else { throw PaymentAuthorizationError(sentence: "Sign in to buy.") }
    defer { waiting.page.withLock { $0 = nil } }
    do {
      let begun = try await client.beginOrder(order.id, product: order.product.id, currency: order.total.currency)
      guard begun.totalMinorUnits == order.total.minorUnits, begun.currency == order.total.currency else {
        throw PaymentAuthorizationError(sentence: "The price has changed, so nothing was charged. Look at the new price and try again.")
      }
      let page = try await client.beginCheckout(order.id)
      guard ["http", "https"].contains(URL(string: page.url)?.scheme?.lowercased()) else {
        throw PaymentAuthorizationError(sentence: "The publication’s checkout page has no address that a browser opens.")
      }
      if page.state == .open {
        waiting.page.withLock { $0 = page.url }
        await open(page.url)
      }
      return try await answer(of: page, order: order.id, client: client, started: started)
    } catch ClientError.cancelled {
      // The reader must not agree on a page that the app no longer watches. If this request does not arrive, the page expires. It runs in a
      // task of its own, since this one is cancelled, and is awaited, since the program may be about to end.
      await Task { _ = try? await client.cancelCheckout(order.id) }.value
      return .cancelled
    } catch let error as ClientError { throw PaymentAuthorizationError(sentence: error.sentence) }
  }

  /// Asks until there is an answer.
  private func answer(
    of page: Checkout, order id: UUID, client: APIClient, started: @Sendable () async -> Void
  ) async throws -> PaymentAuthorization {
    let end = clock.uptime + Self.patience
    var (page, wait) = (page, Self.pace)
    while true {
      switch page.state {
      case .authorized:
        guard let token = page.paymentToken else {
          throw PaymentAuthorizationError(sentence: "The payment provider gave no answer. Nothing was charged; try again.")
        }
        await started()
        return .authorized(PaymentToken(token))
      // Not by this app, which would not ask any more.
      case .cancelled: throw PaymentAuthorizationError(sentence: "You declined on the page in your browser. Nothing was charged.")
      case .expired: throw PaymentAuthorizationError(sentence: "The page in your browser has expired, and nothing was charged. Try again.")
      case .open: break
      }
      guard clock.uptime < end else {
        throw PaymentAuthorizationError(sentence: "There was no answer from your browser, and nothing was charged. Try again.")
      }
      do { try await clock.sleep(for: wait) } catch { throw ClientError.cancelled }
      do throws(ClientError) {
        page = try await client.checkout(id)
        wait = Self.pace
      } catch {
        guard case .retryLater(_, let retryAfter) = error.disposition else { throw error }
        wait = max(retryAfter ?? .zero, min(wait * 2, Self.longestWait))
      }
    }
  }
}
