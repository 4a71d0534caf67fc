import PublicationAPI

/// `flag …`.
extension Command {
  static func flag(_ words: inout Words) throws(Mistake) -> Command {
    var (data, percent, version, features, rest) = (String?.none, Int?.none, String?.none, [String](), [String]())
    while let word = try words.next() {
      switch word {
      case .option("--help"): return .help
      case .option("--data"): data = try words.value(of: word)
      case .option("--percent"): percent = try words.number(of: word, in: 0...100)
      case .option("--min-version"): version = try words.value(of: word)
      case .option("--feature"): features.append(try words.value(of: word))
      case .option(let other): throw Mistake(sentence: "flag does not know “\(other)”.")
      case .argument(let text): rest.append(text)
      }
    }
    let isRuled = percent != nil || version != nil || !features.isEmpty
    switch (rest.first, rest.count) {
    case ("set", 2):
      guard let percent else { throw Mistake(sentence: "flag set takes --percent: 0 turns the flag off for everybody.") }
      return .operate(data: data, .setFlag(FlagRecord(name: rest[1], percent: percent, minVersion: version, features: features)))
    case ("list", 1) where !isRuled: return .operate(data: data, .listFlags)
    case ("report", 2) where !isRuled: return .operate(data: data, .reportFlag(rest[1]))
    default: throw Mistake(sentence: "With flags one can do three things: set NAME --percent N, list, and report NAME.")
    }
  }
}
