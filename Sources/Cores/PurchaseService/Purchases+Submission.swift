import Foundation
import Runtime

extension Purchases {
  /// The result of one step of a submission.
  private enum StepOutcome {
    /// The next step can be taken.
    case next
    /// The end.
    case finished(Outcome)
    /// Nothing for now: the same again after a wait.
    case retry(after: Duration? = nil, PendingReason = .storeUnavailable)
    /// Nothing until the same user signs in again.
    case parked(PendingReason)
    /// The store waits for an approval or for the person: the same request again after a long wait.
    case waiting(PendingReason)
  }

  /// Takes a transaction from its step to the last one, with as many requests as that needs: at the pace of ``RetryPolicy``, and at once
  /// when the network is back. Only another user ends this early.
  func drive(_ submission: Submission<Purchasable>) async {
    var tries = 0
    let wasBought = submission.transaction.step == .verified
    while true {
      submission.pause.tries()
      switch await advance(submission) {
      case .next: continue
      case .finished(let outcome):
        finished(submission.transaction, outcome)
        if submission.report(outcome), !wasBought { notice(outcome, submission.transaction) }
        return
      case .parked(let reason):
        submission.report(.pending(reason))
        return
      case .waiting(let reason):
        tries = 0
        submission.report(.pending(reason))
        let wait = environment.retry.pendingInterval
        submission.tried()
        await submission.pause.wait("purchase.wait", for: wait, atLeast: wait, environment)
      case .retry(let retryAfter, let reason):
        tries += 1
        let wait = environment.retry.backoff.wait(after: tries, retryAfter: retryAfter, chance: environment.random.fraction())
        let shown = reason == .sessionEnded ? reason : submission.transaction.pendingReason ?? reason
        let isLong = tries >= environment.retry.triesInForeground || wait > environment.retry.foregroundLimit
        if reason == .sessionEnded || isLong || submission.isLeft { submission.report(.pending(shown)) }
        submission.reason = shown
        submission.onProgress?(.retrying)
        // A pause that the store requested is never shortened.
        let least = retryAfter != nil ? wait : submission.pause.least(of: wait, environment.retry)
        submission.tried()
        await submission.pause.wait("purchase.wait", for: wait, atLeast: least, environment)
        submission.reason = nil
      }
    }
  }

  private func advance(_ submission: Submission<Purchasable>) async -> StepOutcome {
    switch submission.transaction.step {
    case .begun, .finished, .failed, .cancelled, .abandoned: .finished(.cancelled)
    case .authorized, .submitted: await charge(submission)
    case .received: await verify(submission)
    case .verified: await finish(submission)
    }
  }

  private func charge(_ submission: Submission<Purchasable>) async -> StepOutcome {
    guard submission.transaction.user == user else { return .parked(user == nil ? .sessionEnded : .otherUser) }
    submission.transaction.step = .submitted
    // Before the request; a transaction that cannot be written is not sent.
    do { try await record(submission.transaction) } catch { return .retry() }
    submission.onProgress?(.charging)
    let transaction = submission.transaction
    let answer =
      (try? await environment.effects.run("purchase.submit") { [queue = purchasePath.queue] in await queue.add(transaction) })
      ?? .unavailable(reason: "cancelled")
    return await settle(submission, answer)
  }

  /// Requests a new receipt of a purchase that failed because its receipt was refused, and has it verified. The request has the identifier
  /// that was charged, so nothing is charged again. Unless both the store and the verifier accept it, nothing changes.
  func recheck(_ transaction: Transaction) async {
    if let running = submissions[transaction.id] {
      await running.nextTry()
      return
    }
    let submission = Submission<Purchasable>(transaction)
    submissions[transaction.id] = submission
    if let outcome = await recheckedOutcome(submission) {
      // The first refusal was reported as the end; a second one is not.
      if case .purchased = outcome { finished(submission.transaction, outcome) }
      notice(outcome, submission.transaction)
    }
    submissions[transaction.id] = nil
    submission.tried()
  }

  /// - Returns: `nil` when the store or the verifier cannot say now.
  private func recheckedOutcome(_ submission: Submission<Purchasable>) async -> Outcome? {
    let transaction = submission.transaction
    let answer = try? await environment.effects.run("purchase.submit") { [queue = purchasePath.queue] in await queue.add(transaction) }
    guard let answer, case .accepted(let receipt, _) = answer,
      FinishDecision.after(answer, of: transaction.productID, oneTime: transaction.isOneTime) == .finish
    else { return nil }
    do throws(VerificationError) {
      let contents = try await verified(receipt)
      try contents.check(user: transaction.user, transaction: transaction.id, productID: transaction.productID)
      // The device alone had accepted it before, too.
      guard contents.isConfirmed else { return nil }
      (submission.transaction.failure, submission.transaction.sentence) = (nil, nil)
      return await bought(submission, contents, receipt)
    } catch .rejected(let sentence) {
      return .failed(.refused(code: PurchaseError.receiptRejected, sentence: sentence))
    } catch { return nil }
  }

  private func settle(_ submission: Submission<Purchasable>, _ answer: SubmissionOutcome) async -> StepOutcome {
    let transaction = submission.transaction
    switch FinishDecision.after(answer, of: transaction.productID, oneTime: transaction.isOneTime) {
    case .finish:
      guard case .accepted(let receipt, _) = answer else { return .retry() }
      submission.transaction.step = .received
      submission.transaction.receipt = receipt
      submission.transaction.wait(for: nil)
      // A failed write loses nothing: the next start repeats the request, and the store gives the same receipt.
      try? await record(submission.transaction)
      return .next
    case .fail(let failure):
      submission.transaction.step = .failed
      submission.transaction.wait(for: nil)
      submission.transaction.failure = failure.code
      submission.transaction.sentence = failure.sentence
      submission.transaction.token = nil
      // From the moment at which the history says so, the product can be bought again.
      submission.hasFailed = true
      try? await record(submission.transaction)
      await finishInQueue(submission)
      if failure.code == PurchaseError.ownedElsewhere { Task { [weak self] in _ = try? await self?.restore() } }
      return .finished(.failed(failure))
    // For this layer a session is over when ``setUser(_:)`` says so; until then the request is repeated with it.
    case .retry(let retryAfter, let reason): return .retry(after: retryAfter, reason)
    case .pendingInterval(let reason):
      submission.transaction.wait(for: reason)
      // After a failed write, the next start repeats the request.
      try? await record(submission.transaction)
      return .waiting(reason)
    }
  }

  private func verify(_ submission: Submission<Purchasable>) async -> StepOutcome {
    submission.onProgress?(.verifying)
    let transaction = submission.transaction
    let receipt = transaction.receipt ?? ""
    let contents: ReceiptContents<Purchasable>
    do throws(VerificationError) {
      contents = try await verified(receipt)
      try contents.check(user: transaction.user, transaction: transaction.id, productID: transaction.productID)
    } catch .unavailable {
      return .retry()
    } catch .fromTheFuture {
      return .retry(.clockIsBehind)
    } catch .rejected(let sentence) {
      drop(transaction.id)
      return await settle(submission, .refused(code: PurchaseError.receiptRejected, sentence: sentence))
    } catch {
      // The purchase may have been charged: the request is repeated under the same key, for a valid receipt.
      submission.transaction.step = .submitted
      return await settle(submission, .unverified(reason: "\(error)"))
    }
    guard contents.isConfirmed else {
      let answer = await settle(submission, .computedOnDevice)
      // The store credits a consumable, and is unreachable.
      guard !contents.isConsumable else { return answer }
      arrivals.append(transaction.id)
      store(contents)
      submission.onProgress?(.unlocked)
      submission.report(.purchased(contents.purchasable))
      return answer
    }
    return .finished(await bought(submission, contents, receipt))
  }

  /// Writes down that a receipt is valid, grants its purchasable, and finishes the transaction in the store.
  private func bought(_ submission: Submission<Purchasable>, _ contents: ReceiptContents<Purchasable>, _ receipt: String) async -> Outcome {
    submission.transaction.step = .verified
    submission.transaction.token = nil
    submission.transaction.receipt = nil
    let recorded = submission.transaction
    arrivals.append(recorded.id)
    let isWritten: Bool
    do {
      try await environment.effects.run("purchase.verified") { [journal] in
        // A consumable is no entitlement: its receipt need not be stored.
        if contents.isConsumable { try await journal.record(recorded) } else { try await journal.record(recorded, verified: receipt) }
      }
      isWritten = true
    } catch {
      // The purchase is unlocked nevertheless; the journal still says "received" or "submitted", so the next start does this again.
      isWritten = false
    }
    historyChanged()
    store(contents)
    time.heardFromStore()
    await persistTime()
    submission.onProgress?(.unlocked)
    if isWritten { await finishInQueue(submission) }
    return .purchased(contents.purchasable)
  }

  /// For a transaction that an earlier run left verified: its receipt is stored, and it is only to be finished in the store.
  private func finish(_ submission: Submission<Purchasable>) async -> StepOutcome {
    let transaction = submission.transaction
    await finishInQueue(submission)
    guard transaction.user == user, let contents = receipts[transaction.id] else { return .finished(.cancelled) }
    return .finished(.purchased(contents.purchasable))
  }

  /// Finishes a transaction in the store, then writes that down. A failed step is repeated at the next start.
  private func finishInQueue(_ submission: Submission<Purchasable>) async {
    var transaction = submission.transaction
    do {
      try await environment.effects.run("purchase.finish") { [queue = purchasePath.queue, transaction] in
        try await queue.finish(transaction)
      }
      guard transaction.step == .verified else { return }
      transaction.step = .finished
      try await record(transaction)
      submission.transaction = transaction
    } catch { return }
  }

  /// Gives a notice of the outcome of a purchase that no caller awaits any more.
  private func notice(_ outcome: Outcome, _ transaction: Transaction) {
    let (event, sentence): (PurchaseNotice.Event, String)
    switch outcome {
    case .purchased: (event, sentence) = (.purchased, "Your purchase was confirmed, and is yours now.")
    case .failed(let failure): (event, sentence) = (.failed, failure.sentence)
    case .cancelled, .pending: return
    }
    guard transaction.user == user else { return }
    notices.post(
      PurchaseNotice(transaction: transaction.id, productID: transaction.productID, event: event, sentence: sentence))
  }

  /// What a receipt says, if it is genuine and not from the future.
  func verified(_ receipt: String) async throws(VerificationError) -> ReceiptContents<Purchasable> {
    let contents: ReceiptContents<Purchasable>
    do {
      contents = try await environment.effects.run("purchase.verify") { [verifier = purchasePath.verifier] in
        try await verifier.verify(receipt)
      }
    } catch {
      throw error as? VerificationError ?? .unavailable("\(error)")
    }
    // Stored receipts that could not be verified can be now: the seller's keys are known, or the backend is reachable.
    judgingPause?.networkIsBack()
    await loadTime()
    guard contents.issued <= time.guess(environment.clock) + Config.clockSkewLimit.seconds else { throw .fromTheFuture(contents.issued) }
    return contents
  }
}
