import Foundation
import Runtime

extension Purchases {
  /// What the user who is signed in has now.
  public var entitlements: Set<Purchasable> { entitled.value }

  /// What the user has, and each change of it. A new stream for each caller; it starts with the last value and skips to the newest one.
  public func entitlementStream() -> AsyncStream<Set<Purchasable>> { entitled.stream() }

  /// Whether the user has this very product, and it is in force.
  public func owns(_ productID: Product.ID) -> Bool {
    receipts.values.contains { $0.productID == productID && $0.isInForce(at: environment.clock.now) }
  }

  /// When the user's access by this product ends; `nil` when it does not, or when there is none.
  public func expiry(of productID: Product.ID) -> Date? {
    receipts.values.filter { $0.productID == productID && $0.isInForce(at: environment.clock.now) }.compactMap(\.expires).max()
  }

  /// Asks the store for every receipt that is in force: on a new machine, after signing in, when something was bought elsewhere. Stored
  /// receipts that the store no longer lists are dropped.
  /// - Returns: what the user has after that.
  /// - Throws: ``StoreFailure``; nothing is changed then.
  @discardableResult
  public func restore() async throws(StoreFailure) -> Set<Purchasable> {
    guard let user else { throw StoreFailure(.unauthorized, code: "not_signed_in", sentence: "Sign in to restore what you bought.") }
    let generation = generation
    let mark = arrivals.count
    let (tokens, last): ([String], Int?)
    do {
      (tokens, last) = try await environment.effects.run("purchase.restore") { [queue = path.queue, journal] in
        let last = try? await journal.lastReceipt()
        return (try await queue.restore(user: user), last)
      }
    } catch { throw StoreFailure(error) }
    var found: [UUID: (token: String, contents: ReceiptContents<Purchasable>)] = [:]
    for token in tokens {
      do throws(VerificationFailure) {
        let contents = try await verified(token)
        try contents.check(user: user)
        found[contents.transaction] = (token, contents)
      } catch .unavailable(let reason) {
        throw StoreFailure(.unavailable, code: reason, sentence: "What you bought could not be verified. Try again in a moment.")
      } catch {
        // Genuine receipts of others and forged ones grant nothing, and say nothing about the rest.
        continue
      }
    }
    guard generation == self.generation else { return entitlements }
    let stored = found.mapValues(\.token)
    if let last {
      // What is not stored now is asked for again at the next start.
      try? await environment.effects.run("purchase.receipts") { [journal, seller, path = path.name] in
        try await journal.replaceReceipts(seller: seller, path: path, user: user, with: stored, upTo: last)
      }
      guard generation == self.generation else { return entitlements }
    }
    // After the file, so that a load which read what was there before is either undone here or sees the count.
    restorations += 1
    // A receipt that arrived since the store was asked is newer than its answer, and stays.
    let newer = Set(arrivals[mark...])
    receipts = receipts.filter { newer.contains($0.key) }
    for receipt in found.values { keepNewest(receipt.contents) }
    recomputeEntitlements()
    return entitlements
  }

  /// Reads the stored receipts of the user and verifies each anew.
  func loadReceipts(_ generation: Int) async throws {
    guard let user else { return }
    let restorations = restorations
    let tokens = try await environment.effects.run("purchase.stored") { [journal, seller, path = path.name] in
      try await journal.receipts(seller: seller, path: path, user: user)
    }
    for token in tokens {
      guard let contents = try? await verified(token), (try? contents.check(user: user)) != nil else { continue }
      // What the store said meanwhile is newer than what was stored.
      guard generation == self.generation, restorations == self.restorations else { return }
      keepNewest(contents)
    }
    guard generation == self.generation else { return }
    recomputeEntitlements()
  }

  /// Takes a verified receipt into what its user has, if that user is still the one.
  func hold(_ contents: ReceiptContents<Purchasable>) {
    guard contents.user == user else { return }
    keepNewest(contents)
    recomputeEntitlements()
  }

  private func keepNewest(_ contents: ReceiptContents<Purchasable>) {
    if let known = receipts[contents.transaction], known.issued > contents.issued { return }
    receipts[contents.transaction] = contents
  }

  /// The one place where receipts and the clock become entitlements.
  func recomputeEntitlements() {
    let now = environment.clock.now
    let inForce = receipts.values.filter { $0.isInForce(at: now) }
    entitled.value = Set(inForce.map(\.purchasable))
    expiryTimer?.cancel()
    expiryTimer = nil
    guard let next = inForce.compactMap(\.expires).min() else { return }
    // The wall clock may be set while this waits, so it looks again at least every hour.
    let wait = Duration.seconds(min(max(next.timeIntervalSince(now), 0), 3600))
    expiryTimer = Task { [weak self, environment] in
      do { try await environment.effects.sleep("purchase.expiry", for: wait, on: environment.clock) } catch { return }
      self?.recomputeEntitlements()
    }
  }
}
