import FeedFormats
import Foundation
import PublicationAPI
import PublicationServer
import PurchaseService

/// What a publisher answers about a publication of their own, for `init`.
struct InitAnswers: Equatable {
  /// One thing to say; the option of the same name says it.
  enum Field: String, CaseIterable {
    case name, tagline, contact, currency, monthly, yearly, lifetime, passes, tax

    var option: String { "--\(rawValue)" }
    static let prices: [Field] = [.monthly, .yearly, .lifetime, .passes]
    static let required: [Field] = [.name, .contact, .currency]

    fileprivate var question: String {
      switch self {
      case .name: "What is your publication called?"
      case .tagline: "One line below the name (empty for none):"
      case .contact: "Where do readers cancel a subscription? An email address or a page:"
      case .currency: "In which currency do you sell, such as EUR?"
      case .monthly: "What does a month cost, such as 4.90 (empty for not sold)?"
      case .yearly: "What does a year cost (empty for not sold)?"
      case .lifetime: "What does access for good cost (empty for not sold)?"
      case .passes: "What do five passes cost, each for one article (empty for not sold)?"
      case .tax: "Which tax do the prices include, such as VAT 19 (empty for none)?"
      }
    }
  }

  private(set) var answers: [Field: String] = [:]

  /// Takes one answer.
  /// - Throws: `Command.Mistake` when the text is invalid.
  mutating func say(_ text: String, about field: Field) throws(Command.Mistake) {
    let text = text.trimmingCharacters(in: .whitespaces)
    // What stands in the place of bytes that are no text.
    guard !text.unicodeScalars.contains("\u{FFFD}") else { throw Command.Mistake(sentence: "“\(text)” is not UTF-8.") }
    switch field {
    case .name, .tagline:
      guard (1...100).contains(text.count), text.allSatisfy({ !$0.isNewline }), text.visibleText == text else {
        throw Command.Mistake(sentence: "A \(field.rawValue) has 1 to 100 characters, and none that cannot be seen.")
      }
      answers[field] = text
    case .contact:
      _ = try Self.cancelling(text)
      answers[field] = text
    case .currency:
      let code = text.uppercased()
      guard Price.isInUse(code) else {
        throw Command.Mistake(sentence: "“\(text)” is no currency that people pay in; EUR and USD are.")
      }
      answers[field] = code
      for field in Field.prices { _ = try price(field) }
    case .monthly, .yearly, .lifetime, .passes:
      let before = answers
      answers[field] = text
      do throws(Command.Mistake) { _ = try price(field) } catch {
        answers = before
        throw error
      }
    case .tax:
      _ = try Self.tax(text, of: 0)
      answers[field] = text
    }
  }

  /// The options that are still to be given; empty when there is enough.
  var missing: [String] {
    let fields = Field.required.filter { answers[$0] == nil }.map(\.option)
    let hasPrice = Field.prices.contains { answers[$0] != nil }
    return fields + (hasPrice ? [] : ["a price (\(Field.prices.map(\.option).joined(separator: ", ")))"])
  }

  /// Asks on the terminal for what the options do not say.
  /// - Parameters:
  ///   - line: asks a question, and returns what was typed; `nil` at the end of the input.
  ///   - tell: called with a sentence about an invalid answer.
  /// - Throws: `Command.Mistake` when the input ends too early.
  mutating func ask(_ line: (String) -> String?, tell: (String) -> Void) throws(Command.Mistake) {
    for field in Field.allCases where answers[field] == nil { try ask(field, line, tell) }
    while !Field.prices.contains(where: { answers[$0] != nil }) {
      tell("Something has to be sold: give at least one price.")
      for field in Field.prices { try ask(field, line, tell) }
    }
  }

  private mutating func ask(_ field: Field, _ line: (String) -> String?, _ tell: (String) -> Void) throws(Command.Mistake) {
    while true {
      guard let text = line(field.question) else { throw Command.Mistake(sentence: "The answers ended too early; nothing was made.") }
      if text.trimmingCharacters(in: .whitespaces).isEmpty, !Field.required.contains(field) { return }
      do throws(Command.Mistake) { return try say(text, about: field) } catch { tell(error.sentence) }
    }
  }

  // MARK: The publication

  /// The publication that the answers make.
  /// - Parameter id: names it among all publications; receipts carry it.
  /// - Throws: `Command.Mistake` when something was not said.
  func content(id: String) throws(Command.Mistake) -> PublicationContent {
    guard missing.isEmpty, let name = answers[.name] else { throw Command.Mistake(sentence: "init needs \(Self.list(missing)).") }
    var products: [ProductRecord] = []
    for field in Field.prices { if let product = try product(field) { products.append(product) } }
    let opensAll = products.contains { $0.kind != .consumable }
    let paywall = PaywallRecord(
      id: "premium", title: "Read everything in \(name)",
      text: opensAll ? "Premium opens every premium post, and pays the people who make them." : "A pass opens one premium post for good.",
      benefits: (opensAll ? ["Every premium post, those to come and those already here"] : [])
        + (products.contains { $0.kind == .subscription } ? ["Cancel whenever you like; what you paid for runs to its end"] : []),
      productIDs: products.map(\.id))
    return PublicationContent(
      info: PublicationInfo(
        id: id, name: name, tagline: answers[.tagline] ?? "", defaultPaywallID: paywall.id,
        cancelling: try Self.cancelling(answers[.contact] ?? "")), products: products, paywalls: [paywall])
  }

  private func product(_ field: Field) throws(Command.Mistake) -> ProductRecord? {
    guard let price = try price(field), let currency = answers[.currency] else { return nil }
    let tax = try answers[.tax].map { text throws(Command.Mistake) in try Self.tax(text, of: price) }
    func access(_ id: String, _ name: String, _ detail: String, period: String?) -> ProductRecord {
      ProductRecord(
        id: id, kind: period == nil ? .nonConsumable : .subscription, name: name, detail: detail, priceMinorUnits: price,
        currency: currency, period: period, group: period == nil ? nil : "premium", entitlement: "premium", tax: tax)
    }
    return switch field {
    case .monthly: access("premium.monthly", "Monthly", "Every premium post, month by month", period: "P1M")
    case .yearly: access("premium.yearly", "Yearly", "Every premium post, for a year", period: "P1Y")
    case .lifetime: access("premium.lifetime", "For good", "Paid once, no renewal, yours to keep", period: nil)
    case .passes:
      ProductRecord(
        id: "passes.5", kind: .consumable, name: "Five article passes", detail: "Each opens one premium post for good",
        priceMinorUnits: price, currency: currency, entitlement: Balance.articlePass, consumableType: Balance.articlePass, amount: 5,
        tax: tax)
    case .name, .tagline, .contact, .currency, .tax: nil
    }
  }

  /// In the currency's minor units; `nil` for what is not sold, or before there is a currency.
  private func price(_ field: Field) throws(Command.Mistake) -> Int? {
    guard let text = answers[field] else { return nil }
    guard let match = text.wholeMatch(of: /(\d{1,7})(?:[.,](\d{1,4}))?/) else {
      throw Command.Mistake(sentence: "“\(text)” is no price; it looks like 4.90.")
    }
    guard let currency = answers[.currency] else { return nil }
    // The smallest unit is 0.01 of a euro and a whole yen.
    let digits = -Price(minorUnits: 1, currency: currency).amount.exponent
    let fraction = match.2.map(String.init) ?? ""
    guard fraction.count <= digits,
      let price = Int(match.1 + fraction + String(repeating: "0", count: digits - fraction.count)), price > 0
    else { throw Command.Mistake(sentence: "“\(text)” is no price in \(currency).") }
    return price
  }

  private static func cancelling(_ contact: String) throws(Command.Mistake) -> String {
    if contact.wholeMatch(of: /[^\s@:\/]+@[^\s@:\/]+\.[^\s@:\/]+/) != nil {
      return "Write to \(contact) from the address of your account, and nothing more is charged."
    }
    guard let url = URL(string: contact), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false, url.user == nil else {
      throw Command.Mistake(sentence: "“\(contact)” is no email address and no page such as https://example.org/account.")
    }
    return "Go to \(contact), and nothing more is charged."
  }

  /// The tax within a price: `VAT 19`.
  private static func tax(_ text: String, of price: Int) throws(Command.Mistake) -> Tax {
    guard let match = text.wholeMatch(of: /(.{1,20}?) +(\d{1,2})(?:[.,](\d{1,2}))? *%?/), let percent = Int(match.2),
      let hundredths = Int(((match.3.map(String.init) ?? "") + "00").prefix(2)), percent + hundredths > 0
    else { throw Command.Mistake(sentence: "“\(text)” is no tax; it looks like VAT 19.") }
    let points = percent * 100 + hundredths
    return Tax(
      name: String(match.1), basisPoints: points,
      minorUnits: Int((Double(price) * Double(points) / Double(10_000 + points)).rounded()))
  }

  private static func list(_ words: [String]) -> String {
    words.count < 2 ? words.joined() : words.dropLast().joined(separator: ", ") + " and " + (words.last ?? "")
  }
}

/// `init …`.
extension Command {
  static func initialise(_ words: inout Words) throws(Mistake) -> Command {
    var (data, isSample, answers) = (String?.none, false, InitAnswers())
    var given: [(field: InitAnswers.Field, text: String)] = []
    while let word = try words.next() {
      switch word {
      case .option("--help"): return .help
      case .option("--data"): data = try words.value(of: word)
      case .option("--sample"): isSample = true
      case .option(let other), .argument(let other):
        guard case .option = word, let field = InitAnswers.Field(rawValue: String(other.dropFirst(2))), field.option == other else {
          throw Mistake(sentence: "init does not know “\(other)”.")
        }
        given.append((field, try words.value(of: word)))
      }
    }
    guard !isSample || given.isEmpty else { throw Mistake(sentence: "The sample is what it is: --sample goes with --data alone.") }
    // Whether a price is one depends on the currency.
    for (field, text) in given.filter({ $0.field == .currency }) + given.filter({ $0.field != .currency }) {
      do throws(Mistake) { try answers.say(text, about: field) } catch {
        throw Mistake(sentence: "\(field.option): \(error.sentence)")
      }
    }
    return .initialise(data: data, isSample ? nil : answers)
  }
}
