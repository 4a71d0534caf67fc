import PurchaseService
import Runtime

extension TestStore.Command {
  /// What it is called in JSON.
  public var name: Name {
    switch self {
    case .nextOutcome: .nextOutcome
    case .approve: .approve
    case .decline: .decline
    case .resolve: .resolve
    case .requests: .requests
    case .paymentsAllowed: .paymentsAllowed
    case .buyElsewhere: .buyElsewhere
    case .restore: .restore
    case .renew: .renew
    case .expire: .expire
    case .autoRenew: .autoRenew
    case .billingRetry: .billingRetry
    case .grace: .grace
    case .recover: .recover
    case .refund: .refund
    case .priceIncrease: .priceIncrease
    case .consent: .consent
    case .clockRate: .clockRate
    case .step, .stepPeriod: .step
    case .reset: .reset
    }
  }
}

extension TestStore.Command {
  /// Writes what ``init(from:)`` reads.
  /// - Throws: `EncodingError`.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(name, forKey: .name)
    if let target {
      try fields.encodeIfPresent(target.product, forKey: .product)
      try fields.encodeIfPresent(target.user, forKey: .user)
    }
    switch self {
    case .nextOutcome(let outcome, let product):
      try fields.encode(outcome, forKey: .outcome)
      try fields.encodeIfPresent(product, forKey: .product)
    case .requests(let requests): try fields.encode(requests, forKey: .requests)
    case .paymentsAllowed(let allowed): try fields.encode(allowed, forKey: .allowed)
    case .buyElsewhere(let product, let user):
      try fields.encode(product, forKey: .product)
      try fields.encodeIfPresent(user, forKey: .user)
    case .autoRenew(_, let on): try fields.encode(on, forKey: .on)
    case .billingRetry(_, let when): try fields.encode(when, forKey: .at)
    case .grace(_, let days, let when):
      try fields.encode(days, forKey: .days)
      try fields.encode(when, forKey: .at)
    case .refund(_, let reason): try fields.encode(reason, forKey: .reason)
    case .priceIncrease(let product, let price, let needsConsent):
      try fields.encode(product, forKey: .product)
      try fields.encode(price, forKey: .priceMinorUnits)
      try fields.encode(needsConsent, forKey: .needsConsent)
    case .consent(_, let agreed): try fields.encode(agreed, forKey: .agreed)
    case .clockRate(let rate): try fields.encode(rate, forKey: .rate)
    case .step(let duration): try fields.encode(duration.seconds, forKey: .seconds)
    case .stepPeriod(let period): try fields.encode(period.iso8601, forKey: .period)
    case .approve, .decline, .resolve, .restore, .renew, .expire, .recover, .reset: break
    }
  }

  /// Which purchase it is about; `nil` for commands that are about none.
  var target: TestStore.Target? {
    switch self {
    case .approve(let target), .decline(let target), .resolve(let target), .renew(let target), .expire(let target),
      .autoRenew(let target, _), .billingRetry(let target, _), .grace(let target, _, _), .recover(let target), .refund(let target, _),
      .consent(let target, _):
      target
    case .nextOutcome, .requests, .paymentsAllowed, .buyElsewhere, .restore, .priceIncrease, .clockRate, .step, .stepPeriod, .reset: nil
    }
  }
}
