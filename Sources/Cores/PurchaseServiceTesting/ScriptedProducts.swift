import PurchaseService
import Synchronization

/// A fetcher that gives scripted answers and records what it was asked. Safe from any thread.
public final class ScriptedProducts: ProductFetcher {
  /// Answers a request; `call` counts all of them from 1.
  public typealias Answer = @Sendable (_ request: ProductRequest, _ call: Int) async throws -> [Product]

  private let state: Mutex<(answer: Answer, requests: [ProductRequest])>

  /// Answers by a closure, until it is replaced by ``answer(_:)``.
  public init(_ answer: @escaping Answer) { state = Mutex((answer, [])) }
  /// Answers with the requested ones of these products.
  public convenience init(_ products: [Product]) { self.init { request, _ in products.filter { request.ids.contains($0.id) } } }

  /// What requests get from here on.
  public func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }
  /// Every request, in order of arrival.
  public var requests: [ProductRequest] { state.withLock { $0.requests } }

  /// See `ProductFetcher`.
  /// - Throws: what the script throws.
  public func products(_ request: ProductRequest) async throws -> [Product] {
    let (answer, call) = state.withLock { state in
      state.requests.append(request)
      return (state.answer, state.requests.count)
    }
    return try await answer(request, call)
  }
}
