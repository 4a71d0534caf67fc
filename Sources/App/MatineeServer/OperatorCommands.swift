import PublicationAPI

/// `user …`, `order …` and `key …`.
extension Command {
  static func user(_ words: inout Words) throws(Mistake) -> Command {
    var (data, json, rest) = (String?.none, false, [String]())
    while let word = try words.next() {
      switch word {
      case .option("--help"): return .help
      case .option("--data"): data = try words.value(of: word)
      case .option("--json"): json = true
      case .option(let other): throw Mistake(sentence: "user does not know “\(other)”.")
      case .argument(let text): rest.append(text)
      }
    }
    guard let action = rest.first, ["list", "add", "password", "sign-out", "remove"].contains(action) else {
      throw Mistake(sentence: "With users one can do five things: list, add EMAIL NAME, password EMAIL, sign-out EMAIL and remove EMAIL.")
    }
    guard !json || action == "list" else { throw Mistake(sentence: "--json is for user list.") }
    switch action {
    case "list":
      guard rest.count == 1 else { throw Mistake(sentence: "user list takes no address.") }
      return .operate(data: data, .readers(json: json))
    case "add":
      guard rest.count == 3 else { throw Mistake(sentence: "user add takes an address and a name; put a name with spaces in quotes.") }
      return .addUser(data: data, email: rest[1], name: rest[2])
    default:
      guard rest.count == 2 else { throw Mistake(sentence: "user \(action) takes one address.") }
    }
    switch action {
    case "password": return .setPassword(data: data, email: rest[1])
    case "sign-out": return .operate(data: data, .signOut(email: rest[1]))
    default: return .operate(data: data, .removeReader(email: rest[1]))
    }
  }

  static func order(_ words: inout Words) throws(Mistake) -> Command {
    var (data, reason, state, rest) = (String?.none, String?.none, String?.none, [String]())
    var (trustsClock, json) = (false, false)
    while let word = try words.next() {
      switch word {
      case .option("--help"): return .help
      case .option("--data"): data = try words.value(of: word)
      case .option("--reason"): reason = try words.value(of: word)
      case .option("--state"):
        let text = try words.value(of: word)
        guard Order.State(rawValue: text) != nil else {
          throw Mistake(sentence: "--state takes open, deferred, interrupted, paid, declined or refunded, not “\(text)”.")
        }
        state = text
      case .option("--trust-clock"): trustsClock = true
      case .option("--json"): json = true
      case .option(let other): throw Mistake(sentence: "order does not know “\(other)”.")
      case .argument(let text): rest.append(text)
      }
    }
    guard let action = rest.first, ["list", "approve", "decline", "refund"].contains(action) else {
      throw Mistake(sentence: "With orders one can do four things: list, approve, decline and refund.")
    }
    guard !json || action == "list" else { throw Mistake(sentence: "--json is for order list.") }
    guard state == nil || action == "list" else { throw Mistake(sentence: "--state is for order list.") }
    guard reason == nil || action == "refund" else { throw Mistake(sentence: "--reason is for order refund.") }
    guard !trustsClock || action == "refund" else { throw Mistake(sentence: "--trust-clock is for order refund.") }
    if action == "list" {
      guard rest.count == 1 else { throw Mistake(sentence: "order list takes no order.") }
      return .operate(data: data, .orders(state: state, json: json))
    }
    guard rest.count == 2 else { throw Mistake(sentence: "order \(action) takes one order, by its number or its identifier.") }
    return action == "refund"
      ? .operate(data: data, .refund(order: rest[1], reason: reason ?? "The payment was given back.", trustsClock: trustsClock))
      : .operate(data: data, .settle(order: rest[1], approved: action == "approve"))
  }

  static func analytics(_ words: inout Words) throws(Mistake) -> Command {
    var (data, days, json) = (String?.none, 30, false)
    while let word = try words.next() {
      switch word {
      case .option("--help"): return .help
      case .option("--data"): data = try words.value(of: word)
      case .option("--days"): days = try words.number(of: word, in: 1...366)
      case .option("--json"): json = true
      case .option(let other): throw Mistake(sentence: "analytics does not know “\(other)”.")
      case .argument(let other): throw Mistake(sentence: "analytics takes options only, not “\(other)”.")
      }
    }
    return .operate(data: data, .analytics(days: days, json: json))
  }

  static func minimumVersion(_ words: inout Words) throws(Mistake) -> Command {
    var (data, rest) = (String?.none, [String]())
    while let word = try words.next() {
      switch word {
      case .option("--help"): return .help
      case .option("--data"): data = try words.value(of: word)
      case .option(let other): throw Mistake(sentence: "minimum-version does not know “\(other)”.")
      case .argument(let text): rest.append(text)
      }
    }
    guard rest.count == 1 else { throw Mistake(sentence: "minimum-version takes a version such as 1.2.0, or none.") }
    return .operate(data: data, .minimumVersion(rest[0] == "none" ? nil : rest[0]))
  }

  static func maintenance(_ words: inout Words) throws(Mistake) -> Command {
    var (data, minutes, rest) = (String?.none, Int?.none, [String]())
    while let word = try words.next() {
      switch word {
      case .option("--help"): return .help
      case .option("--data"): data = try words.value(of: word)
      case .option("--minutes"): minutes = try words.number(of: word, in: 1...100_000)
      case .option(let other): throw Mistake(sentence: "maintenance does not know “\(other)”.")
      case .argument(let text): rest.append(text)
      }
    }
    switch (rest, minutes) {
    case (["begin"], _): return .operate(data: data, .beginMaintenance(minutes: minutes))
    case (["end"], nil): return .operate(data: data, .endMaintenance)
    default: throw Mistake(sentence: "Of maintenance there are two commands: begin [--minutes N], and end.")
    }
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
          throw Mistake(sentence: "--algorithm takes es256 or eddsa, not “\(algorithm)”.")
        }
      case .option(let other): throw Mistake(sentence: "key does not know “\(other)”.")
      case .argument(let text): rest.append(text)
      }
    }
    guard rest == ["rotate"] else { throw Mistake(sentence: "Of keys there is one command: key rotate.") }
    return .operate(data: data, .rotateKey(algorithm: algorithm))
  }
}
