import PublicationAPI
import PublicationServer
import Testing

@testable import MatineeServer

/// What a publisher says of a publication of their own, by options and on a terminal.
@Suite struct InitAnswersTests {
  private func answers(_ words: String...) throws -> InitAnswers? {
    guard case .initialise(nil, let answers) = try Command(["init"] + words) else {
      Issue.record("not init")
      return nil
    }
    return answers
  }

  private let enough = ["init", "--name", "The Reel", "--contact", "a@b.example", "--currency", "EUR", "--yearly", "49"]

  @Test func everyOptionIsTakenOver() throws {
    let all = try #require(
      try answers(
        "--name=The Reel", "--tagline", "Films", "--contact", "https://reel.example/account", "--monthly", "4.90", "--yearly", "49,00",
        "--lifetime", "149", "--passes", "3.5", "--tax", "VAT 19 %", "--currency", "eur"))
    #expect(all.missing.isEmpty)
    let content = try all.content(id: "id")
    #expect(
      content.info
        == PublicationInfo(
          id: "id", name: "The Reel", tagline: "Films", defaultPaywallID: "premium",
          cancelling: "Go to https://reel.example/account, and nothing more is charged."))
    #expect(content.products.map(\.id) == ["premium.monthly", "premium.yearly", "premium.lifetime", "passes.5"])
    #expect(content.products.map(\.priceMinorUnits) == [490, 4900, 14900, 350])
    // As in the sample.
    #expect(content.products.map(\.tax?.minorUnits) == [78, 782, 2379, 56])
    #expect(content.products.allSatisfy { $0.currency == "EUR" && $0.tax?.basisPoints == 1900 })
    #expect(content.products.map(\.period) == ["P1M", "P1Y", nil, nil])
    #expect(content.products.map(\.group) == ["premium", "premium", nil, nil])
    #expect(content.paywalls.map(\.productIDs) == [content.products.map(\.id)])
    #expect(content.posts.isEmpty && content.fanClubs.isEmpty && content.pictures.isEmpty && content.accounts.isEmpty)
  }

  @Test func pricesHaveTheDigitsOfTheirCurrency() throws {
    var yen = try #require(try answers("--name", "N", "--contact", "a@b.example", "--currency", "JPY", "--monthly", "490"))
    #expect(try yen.content(id: "id").products.map(\.priceMinorUnits) == [490])
    #expect(throws: Command.Mistake(sentence: "“4.90” is no price in JPY.")) { try yen.say("4.90", about: .yearly) }
    let dinar = try #require(try answers("--name", "N", "--contact", "a@b.example", "--currency", "KWD", "--passes", "1.5"))
    let content = try dinar.content(id: "id")
    #expect(content.products.map(\.priceMinorUnits) == [1500])
    #expect(content.products.map(\.tax) == [nil])
    #expect(content.paywalls.map(\.text) == ["A pass opens one premium post for good."])
    #expect(content.paywalls.map(\.benefits) == [[]])
  }

  @Test(arguments: [
    (["--name", " "], "--name: A name has 1 to 100 characters, and none that cannot be seen."),
    (["--name", "The\u{202E} Reel"], "--name: A name has 1 to 100 characters, and none that cannot be seen."),
    (["--tagline", "R\u{FFFD}el"], "--tagline: “R\u{FFFD}el” is not UTF-8."),
    (["--contact", "me"], "--contact: “me” is no email address and no page such as https://example.org/account."),
    (
      ["--contact", "ftp://a.example"], "--contact: “ftp://a.example” is no email address and no page such as https://example.org/account."
    ),
    (
      ["--contact", "https://bank.example@evil.example/"],
      "--contact: “https://bank.example@evil.example/” is no email address and no page such as https://example.org/account."
    ),
    (
      ["--contact", "https://me@evil.example"],
      "--contact: “https://me@evil.example” is no email address and no page such as https://example.org/account."
    ),
    (["--currency", "euros"], "--currency: “euros” is no currency that people pay in; EUR and USD are."),
    (["--currency", "XXX"], "--currency: “XXX” is no currency that people pay in; EUR and USD are."),
    (["--currency", "xts"], "--currency: “xts” is no currency that people pay in; EUR and USD are."),
    (["--currency", "XAU"], "--currency: “XAU” is no currency that people pay in; EUR and USD are."),
    (["--currency", "DEM"], "--currency: “DEM” is no currency that people pay in; EUR and USD are."),
    (["--monthly", "free"], "--monthly: “free” is no price; it looks like 4.90."),
    (["--monthly", "-1"], "--monthly: “-1” is no price; it looks like 4.90."),
    (["--monthly", "0", "--currency", "EUR"], "--monthly: “0” is no price in EUR."),
    (["--currency", "EUR", "--monthly", "4.905"], "--monthly: “4.905” is no price in EUR."),
    (["--tax", "VAT"], "--tax: “VAT” is no tax; it looks like VAT 19."),
    (["--tax", "VAT 0"], "--tax: “VAT 0” is no tax; it looks like VAT 19."),
    (["--fast"], "init does not know “--fast”."), (["name"], "init does not know “name”."), (["--name"], "--name takes a value."),
    (["--name", "N", "--name", "M"], "--name is there twice."),
    (["--sample", "--name", "N"], "The sample is what it is: --sample goes with --data alone."),
  ])
  func mistakes(words: [String], sentence: String) {
    #expect(throws: Command.Mistake(sentence: sentence)) { try Command(["init"] + words) }
  }

  @Test(arguments: ["XAF", "XCD", "XOF", "XPF", "EUR"]) func currenciesThatManyCountriesShare(code: String) throws {
    #expect(try answers("--name", "N", "--contact", "a@b.example", "--currency", code, "--monthly", "490")?.missing == [])
  }

  @Test func theSampleNeedsNoWord() throws {
    #expect(try Command(["init", "--sample", "--data", "d"]) == .initialise(data: "d", nil))
    #expect(try answers()?.missing == ["--name", "--contact", "--currency", "a price (--monthly, --yearly, --lifetime, --passes)"])
    guard case .initialise(nil, let answers?) = try Command(enough) else {
      Issue.record("not init")
      return
    }
    #expect(answers.missing.isEmpty)
  }

  /// What a person types, and what they are told in between.
  private func requested(_ answers: InitAnswers, _ typed: [String]) throws -> (InitAnswers, questions: [String], told: [String]) {
    var (answers, rest, questions, told) = (answers, typed[...], [String](), [String]())
    try answers.ask(
      { question in
        questions.append(question)
        return rest.popFirst()
      }, tell: { told.append($0) })
    return (answers, questions, told)
  }

  @Test func onATerminalItAsksForWhatIsMissing() throws {
    let begun = try #require(try answers("--name", "The Reel"))
    let (said, questions, told) = try requested(
      begun, ["", "", "nobody", "a@b.example", "EUR", "", "", "", "", "", "4.905", "4.90", "", "", ""])
    #expect(
      told == [
        "“” is no email address and no page such as https://example.org/account.",
        "“nobody” is no email address and no page such as https://example.org/account.",
        "Something has to be sold: give at least one price.",
        "“4.905” is no price in EUR.",
      ])
    #expect(questions.first == "One line below the name (empty for none):")
    #expect(questions.count == 15)
    let content = try said.content(id: "id")
    #expect(content.info.name == "The Reel")
    #expect(content.products.map(\.priceMinorUnits) == [490])
  }

  @Test func anInputThatEndsMakesNothing() throws {
    let begun = try #require(try answers())
    #expect(throws: Command.Mistake(sentence: "The answers ended too early; nothing was made.")) { try requested(begun, ["The Reel", ""]) }
  }
}
