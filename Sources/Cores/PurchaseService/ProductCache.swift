import Foundation
import Runtime

/// The fetched products of one store, by user, currency and language, and the fetches under way.
///
/// Each product is cached by itself, so that two paywalls request their common products once. On the main actor, where a change is complete
/// before other code can read.
@MainActor final class ProductCache {
  /// Whom answers may be shown to.
  struct Key: Hashable {
    let user: String?
    let storefront: Storefront
  }

  private struct Entry {
    /// `nil` when the store does not know it.
    let product: Product?
    let fetchedAt: Date
    /// When it was fetched; `nil` when it has to be fetched again.
    var uptime: Duration?
  }

  private struct Fetch {
    let ids: Set<Product.ID>
    let task: Task<Void, any Error>
  }

  private let fetcher: any ProductFetcher
  private let environment: PurchaseEnvironment
  private var entries: [Key: [Product.ID: Entry]] = [:]
  private var fetches: [Key: [Fetch]] = [:]

  init(fetcher: any ProductFetcher, environment: PurchaseEnvironment) {
    self.fetcher = fetcher
    self.environment = environment
  }

  /// Drops the entries of all other users.
  func removeAll(except user: String?) { entries = entries.filter { $0.key.user == user } }

  /// The store says that it sells these products otherwise, or a person wants to know: they are requested again. Until it answers, the
  /// earlier answer is a stale one.
  func expire(_ ids: [Product.ID]) { for key in entries.keys { for id in ids { entries[key]?[id]?.uptime = nil } } }

  /// The requested products in the order of `ids`, from the cache or from the store.
  func products(_ ids: [Product.ID], for key: Key) async throws(StoreError) -> ProductList {
    var seen: Set<Product.ID> = []
    let ids = ids.filter { seen.insert($0).inserted }
    var failure: StoreError?
    for fetch in fetchesNeeded(for: ids, key) {
      do { try await fetch.value } catch {
        // A refusal overrides that the store is unreachable.
        if failure == nil || failure?.kind == .unavailable { failure = StoreError(error) }
      }
    }
    if let failure, failure.kind != .unavailable { throw failure }
    if let list = list(ids, key, isStale: failure != nil) { return list }
    // Without a failure: another user signed in, or a fetch was refused meanwhile, and the entries are gone.
    throw failure ?? StoreError(.busy, code: "changed", sentence: "Something changed while the products were loaded. Try again.")
  }

  /// The fetches to wait for: those on their way, and a new one for products that no fetch has requested yet.
  private func fetchesNeeded(for ids: [Product.ID], _ key: Key) -> [Task<Void, any Error>] {
    let needed = ids.filter { !isFresh(entries[key]?[$0]) }
    let running = (fetches[key] ?? []).filter { !$0.ids.isDisjoint(with: needed) }
    let missing = needed.filter { id in !running.contains { $0.ids.contains(id) } }
    guard !missing.isEmpty else { return running.map(\.task) }
    return running.map(\.task) + [fetch(missing, key)]
  }

  private func fetch(_ ids: [Product.ID], _ key: Key) -> Task<Void, any Error> {
    let wanted = Set(ids)
    let request = ProductRequest(ids, user: key.user, storefront: key.storefront)
    let task = Task { [fetcher, environment] in
      defer { fetches[key]?.removeAll { $0.ids == wanted } }
      do {
        store(try await environment.effects.run("purchase.products") { try await fetcher.products(request) }, of: ids, key)
      } catch {
        // The store does not sell what it refuses: an older answer must not come back when the store is unreachable later.
        if StoreError(error).kind == .refused { for id in ids { entries[key]?[id] = nil } }
        throw error
      }
    }
    fetches[key, default: []].append(Fetch(ids: wanted, task: task))
    return task
  }

  private func store(_ products: [Product], of ids: [Product.ID], _ key: Key) {
    // A list may name a product twice; the first counts.
    let byID = Dictionary(products.map { ($0.id, $0) }) { first, _ in first }
    let (now, uptime) = (environment.clock.now, environment.clock.uptime)
    for id in ids { entries[key, default: [:]][id] = Entry(product: byID[id], fetchedAt: now, uptime: uptime) }
  }

  /// A product that the store does not know is requested each time, since it may be on sale by then.
  private func isFresh(_ entry: Entry?) -> Bool {
    guard let entry, entry.product != nil, let fetched = entry.uptime else { return false }
    return environment.clock.uptime - fetched < Config.productTimeToLive
  }

  /// - Returns: `nil` when the store has never answered about one of them.
  private func list(_ ids: [Product.ID], _ key: Key, isStale: Bool) -> ProductList? {
    let found = ids.compactMap { id in entries[key]?[id].map { (id, $0) } }
    guard found.count == ids.count else { return nil }
    return ProductList(
      found.compactMap(\.1.product), unknown: found.filter { $0.1.product == nil }.map(\.0), isStale: isStale,
      fetchedAt: found.map(\.1.fetchedAt).min() ?? environment.clock.now)
  }
}
