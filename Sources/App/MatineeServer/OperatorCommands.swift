/// `order …` and `key …`.
extension Command {
  static func order(_ words: inout Words) throws(Mistake) -> Command {
    var (data, reason, state, trustsClock, rest) = (String?.none, String?.none, String?.none, false, [String]())
    while let word = try words.next() {
      switch word {
      case .option("--help"): return .help
      case .option("--data"): data = try words.value(of: word)
      case .option("--reason"): reason = try words.value(of: word)
      case .option("--state"): state = try words.value(of: word)
      case .option("--trust-clock"): trustsClock = true
      case .option(let other): throw Mistake(sentence: "order does not know “\(other)”.")
      case .argument(let text): rest.append(text)
      }
    }
    guard let action = rest.first, ["list", "approve", "decline", "refund"].contains(action) else {
      throw Mistake(sentence: "With orders one can do four things: list, approve, decline and refund.")
    }
    guard state == nil || action == "list" else { throw Mistake(sentence: "--state is for order list.") }
    guard reason == nil || action == "refund" else { throw Mistake(sentence: "--reason is for order refund.") }
    guard !trustsClock || action == "refund" else { throw Mistake(sentence: "--trust-clock is for order refund.") }
    if action == "list" {
      guard rest.count == 1 else { throw Mistake(sentence: "order list takes no order.") }
      return .operate(data: data, .orders(state: state))
    }
    guard rest.count == 2 else { throw Mistake(sentence: "order \(action) takes one order, by its number or its identifier.") }
    return action == "refund"
      ? .operate(data: data, .refund(order: rest[1], reason: reason ?? "The payment was given back.", trustsClock: trustsClock))
      : .operate(data: data, .settle(order: rest[1], approved: action == "approve"))
  }

  static func key(_ words: inout Words) throws(Mistake) -> Command {
    var (data, algorithm, rest) = (String?.none, "es256", [String]())
    while let word = try words.next() {
      switch word {
      case .option("--help"): return .help
      case .option("--data"): data = try words.value(of: word)
      case .option("--algorithm"):
        algorithm = try words.value(of: word)
        guard ["es256", "eddsa"].contains(algorithm) else {
          throw Mistake(sentence: "“\(algorithm)” is no algorithm; es256 and eddsa are.")
        }
      case .option(let other): throw Mistake(sentence: "key does not know “\(other)”.")
      case .argument(let text): rest.append(text)
      }
    }
    guard rest == ["rotate"] else { throw Mistake(sentence: "Of keys there is one command: key rotate.") }
    return .operate(data: data, .rotateKey(algorithm: algorithm))
  }
}
