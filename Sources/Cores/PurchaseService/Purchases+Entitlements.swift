import Foundation
import Runtime

extension Purchases {
  /// The signed-in user's present entitlements.
  public var entitlements: Set<Purchasable> { entitled.value }

  /// See ``PurchaseLayer/observeEntitlements(_:)``.
  public func observeEntitlements(_ observer: @escaping @MainActor (Set<Purchasable>) -> Void) -> Observation { entitled.observe(observer) }

  /// See ``PurchaseLayer/entitlementStream()``.
  public func entitlementStream() -> AsyncStream<Set<Purchasable>> { entitled.stream() }

  /// Whether the user has this product itself, in force or in its grace.
  public func owns(_ productID: Product.ID) -> Bool { granting.contains { $0.productID == productID } }

  /// When the user's access by this product ends; in the past during the grace; `nil` when it does not end, or when there is none.
  public func expiry(of productID: Product.ID) -> Date? {
    let ends = granting.filter { $0.productID == productID }.map(\.expires)
    // One that never ends outlasts the others.
    return ends.contains(nil) ? nil : ends.compactMap { $0 }.max()
  }

  /// The receipts that give access now.
  private var granting: [ReceiptContents<Purchasable>] { receipts.values.filter { access(by: $0) != .expired } }

  private func access(by contents: ReceiptContents<Purchasable>) -> TrustedTime.Access {
    time.access(until: contents.expires, environment.clock)
  }

  // MARK: Time

  /// Reads, once, how far an earlier run had proved the time.
  func loadTime() async {
    let task =
      timeTask
      ?? Task {
        // A file that cannot be read leaves what receipts say themselves.
        if let storedTime = try? await self.environment.effects.run(
          "purchase.time",
          { [journal, seller, purchasePath = purchasePath.name] in try await journal.beginTime(seller: seller, purchasePath: purchasePath) }
        ) {
          self.time = storedTime
        }
      }
    timeTask = task
    await task.value
  }

  /// Writes down how far time is proved by now.
  func persistTime() async {
    time.advance(environment.clock)
    // What is not written now is written at the next look.
    try? await environment.effects.run("purchase.time") { [journal, seller, purchasePath = purchasePath.name, time] in
      try await journal.store(time, seller: seller, purchasePath: purchasePath)
    }
  }

  // MARK: Restoring

  /// See ``PurchaseLayer/restore()``.
  /// - Throws: ``StoreError``; nothing is changed then.
  @discardableResult
  public func restore() async throws(StoreError) -> Set<Purchasable> {
    guard let user else { throw StoreError(.unauthorized, code: "not_signed_in", sentence: "Sign in to restore what you bought.") }
    let generation = generation
    let mark = arrivals.count
    let (tokens, last): ([String], Int?)
    do {
      (tokens, last) = try await environment.effects.run("purchase.restore") { [queue = purchasePath.queue, journal] in
        let last = try? await journal.lastReceipt()
        return (try await queue.restore(user: user), last)
      }
    } catch { throw StoreError(error) }
    var found: [UUID: (token: String, contents: ReceiptContents<Purchasable>)] = [:]
    for token in tokens {
      do throws(VerificationError) {
        let contents = try await verified(token)
        guard contents.isConfirmed else { throw .unavailable("not confirmed") }
        try contents.check(user: user)
        found[contents.transaction] = (token, contents)
      } catch .unavailable(let reason) {
        throw StoreError(.unavailable, code: reason, sentence: "What you bought could not be verified. Try again in a moment.")
      } catch .fromTheFuture {
        throw StoreError(.unavailable, code: "clock_is_behind", sentence: PendingReason.clockIsBehind.sentence)
      } catch {
        // Genuine receipts of others and forged ones grant nothing, and say nothing about the rest.
        continue
      }
    }
    await loadTime()
    guard generation == self.generation else { return entitlements }
    time.heardFromStore()
    for receipt in found.values { time.advance(to: receipt.contents.issued, environment.clock) }
    // No grace for a receipt that the store lists as over, and no entitlement for one that is spent.
    let now = time.now(environment.clock)
    found = found.filter { !$0.value.contents.isConsumable && $0.value.contents.isInForce(at: now) }
    let stored = found.mapValues(\.token)
    if let last {
      // Receipts that are not stored now are requested again at the next start.
      try? await environment.effects.run("purchase.receipts") { [journal, seller, purchasePath = purchasePath.name] in
        try await journal.replaceReceipts(seller: seller, purchasePath: purchasePath, user: user, with: stored, upTo: last)
      }
      guard generation == self.generation else { return entitlements }
    }
    // After the file, so that a load which read the earlier rows is either undone here or sees the count.
    restorations += 1
    judging?.cancel()
    isVerifying = false
    // A receipt that arrived after the request is newer than the store's answer, and stays.
    let newer = Set(arrivals[mark...])
    let gone = receipts.values.filter { found[$0.transaction] == nil && !newer.contains($0.transaction) }
    // What would have ended by now anyway is no news.
    let withdrawn = gone.filter { $0.isConfirmed && access(by: $0) == .inForce }
    receipts = receipts.filter { newer.contains($0.key) }
    for receipt in found.values { storeNewest(receipt.contents) }
    recomputeEntitlements()
    historyChanged()
    await persistTime()
    for contents in withdrawn { await wasWithdrawn(contents) }
    return entitlements
  }

  /// Reads the stored receipts of the user and verifies each again; those that cannot be verified now are verified as soon as possible.
  func loadReceipts(_ generation: Int) async throws {
    guard let user else { return }
    let restorations = restorations
    let tokens = try await environment.effects.run("purchase.stored") { [journal, seller, purchasePath = purchasePath.name] in
      try await journal.receipts(seller: seller, purchasePath: purchasePath, user: user)
    }
    guard generation == self.generation, restorations == self.restorations else { return }
    isVerifying = !tokens.isEmpty
    let unjudged = await judge(tokens, of: user, generation, restorations)
    guard generation == self.generation else { return }
    isVerifying = !unjudged.isEmpty
    recomputeEntitlements()
    judging?.cancel()
    guard !unjudged.isEmpty else { return }
    let pause = Pause()
    judgingPause = pause
    judging = Task { [weak self, environment] in
      var (left, tries) = (unjudged, 0)
      while !left.isEmpty {
        tries += 1
        let wait = environment.retry.backoff.wait(after: tries, chance: environment.random.fraction())
        await pause.wait("purchase.judge", for: wait, atLeast: pause.least(of: wait, environment.retry), environment)
        guard let self, !Task.isCancelled else { return }
        pause.tries()
        let rest = await judge(left, of: user, generation, restorations)
        guard rest != left else { continue }
        left = rest
        guard generation == self.generation else { return }
        isVerifying = !left.isEmpty
        recomputeEntitlements()
        historyChanged()
      }
    }
  }

  /// Takes in what stored receipts say.
  /// - Returns: those that cannot be verified now; none when another user or a newer answer of the store has made them irrelevant.
  private func judge(_ tokens: [String], of user: String, _ generation: Int, _ restorations: Int) async -> [String] {
    var unjudged: [String] = []
    for token in tokens {
      let answer: Result<ReceiptContents<Purchasable>, any Error>
      do {
        answer = .success(
          try await environment.effects.run("purchase.verify") { [verifier = purchasePath.verifier] in
            try await verifier.verify(stored: token)
          })
      } catch { answer = .failure(error) }
      // What the store said meanwhile is newer than what was stored.
      guard generation == self.generation, restorations == self.restorations else { return [] }
      switch answer {
      case .success(let contents):
        guard (try? contents.check(user: user)) != nil else { continue }
        time.advance(to: contents.issued, environment.clock)
        storeNewest(contents)
      case .failure(let failure as VerificationError):
        if case .unavailable = failure { unjudged.append(token) }
      case .failure: unjudged.append(token)
      }
    }
    return unjudged
  }

  /// Adds a verified receipt to its user's entitlements, if that user is still signed in.
  func store(_ contents: ReceiptContents<Purchasable>) {
    time.advance(to: contents.issued, environment.clock)
    guard contents.user == user, !contents.isConsumable else { return }
    storeNewest(contents)
    recomputeEntitlements()
  }

  private func storeNewest(_ contents: ReceiptContents<Purchasable>) {
    if let stored = receipts[contents.transaction], stored.issued > contents.issued { return }
    receipts[contents.transaction] = contents
  }

  /// The one place where receipts and the time become entitlements.
  func recomputeEntitlements() {
    entitled.value = Set(granting.map(\.purchasable))
    expiryTimer?.cancel()
    expiryTimer = nil
    let ends = granting.compactMap(\.expires)
    guard !ends.isEmpty else { return }
    let wait = time.timeUntilNextCheck(of: ends, environment.clock)
    expiryTimer = Task { [weak self, environment] in
      do { try await environment.effects.sleep("purchase.expiry", for: wait, on: environment.clock) } catch { return }
      await self?.recheckEntitlements()
    }
  }

  /// Asks the store about entitlements that seem to be over. Its answer ends or renews them; without one, the grace continues.
  private func recheckEntitlements() async {
    // This is the timer: what follows does not stop it.
    expiryTimer = nil
    await persistTime()
    if granting.contains(where: { access(by: $0) == .inGrace }) { _ = try? await restore() }
    recomputeEntitlements()
  }
}
