import Runtime

extension Purchases {
  /// See ``PurchaseLayer/watchPending()``.
  public func watchPending() async {
    var (watched, pendingTask): (Set<Transaction.ID>?, Task<Void, Never>?)
    for await _ in historyStream() {
      guard let user else { continue }
      // What cannot be read changes nothing.
      guard let written = try? await written(for: user) else { continue }
      let pending = written.filter { canGoOn(with: $0) && $0.pendingReason != nil }.map(\.id)
      let isFirst = watched == nil
      // That one of several is settled does not put off the others.
      let isNew = !(watched ?? []).isSuperset(of: pending)
      watched = Set(pending)
      guard isNew || pending.isEmpty else { continue }
      pendingTask?.cancel()
      // Of a payment that waits from now on the store has just said so.
      pendingTask = pending.isEmpty ? nil : Task { [weak self] in await self?.check(pending: pending, atOnce: isFirst) }
    }
    pendingTask?.cancel()
  }

  /// Asks after ever longer waits, until the task is cancelled.
  private func check(pending: [Transaction.ID], atOnce: Bool) async {
    let backoff = Backoff(first: environment.retry.watchedInterval, longest: environment.retry.pendingInterval, jitter: 0)
    var checks = atOnce ? 0 : 1
    while !Task.isCancelled {
      if checks > 0 {
        let wait = backoff.wait(after: checks, chance: 0)
        guard (try? await environment.effects.sleep("purchase.watch", for: wait, on: environment.clock)) != nil else { return }
      }
      for id in pending where !Task.isCancelled { await check(id) }
      checks += 1
    }
  }
}
