import NavigationCore
import PublicationAPI
import Testing

@testable import AppCore

/// The rules by which a navigation leads elsewhere than it says. Each is needed: without it the case that stands for it ends otherwise.
@MainActor @Suite struct RedirectionTests {
  private static let article = Destination.post("p1")

  /// Where a reader is: on a tab, with pages and sheets above it.
  private nonisolated static func at(
    _ pages: [Destination] = [], sheets: [Destination] = [], _ change: (inout Surroundings) -> Void = { _ in }
  )
    -> Surroundings
  {
    var tree = NavigationTree(root: Destination.login)
    tree.reset(tabs: Tab.allCases.map(Destination.tab))
    for page in pages { tree.open(page) }
    for sheet in sheets { tree.present(sheet) }
    tree.isCurtainDown = false
    var surroundings = Surroundings(tree: tree, hasReader: true, canAddFeeds: true)
    change(&surroundings)
    return surroundings
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let rule: String
    let navigation: Navigation
    var source = AppCoordinator.Source.app
    let here: Surroundings
    let end: Redirection
    var testDescription: String { "\(rule): \(navigation)" }
  }

  /// What a publication that no longer serves this app would have to do.
  private nonisolated static let served: [Navigation] = [
    .paywall("premium", then: nil), .payment("year"), .addFeed(nil), .changePassword, .sessions,
  ]

  nonisolated static let cases: [Case] = otherCases + tooOldCases

  private nonisolated static let tooOldCases: [Case] = served.map { navigation in
    Case(rule: "client too old", navigation: navigation, here: at { $0.notice = .tooOld(minimum: "9") }, end: .to(.serviceNotice))
  }

  private nonisolated static let otherCases: [Case] = [
    Case(
      rule: "owned", navigation: .paywall("premium", then: .post("p2")), here: at { $0.hasPremium = true }, end: .to(.post("p2"))),
    Case(
      rule: "curtain down", navigation: .post("p2"), source: .link, here: at { $0.tree.isCurtainDown = true }, end: .afterSignIn),
    Case(rule: "curtain down", navigation: .about, here: at { $0.tree.isCurtainDown = true }, end: .nowhere),
    Case(rule: "login needed", navigation: .post("p2"), source: .link, here: at { $0.hasReader = false }, end: .afterSignIn),
    Case(rule: "login needed", navigation: .post("p2"), here: at { $0.hasReader = false }, end: .nowhere),
    Case(rule: "nothing to tell", navigation: .serviceNotice, here: at(), end: .nowhere),
    Case(rule: "feeds not offered", navigation: .addFeed(nil), here: at { $0.canAddFeeds = false }, end: .nowhere),
    Case(
      rule: "way back from the browser", navigation: .purchases(order: .init()), source: .link, here: at(sheets: [.payment("year")]),
      end: .nowhere),
    Case(rule: "already open", navigation: .post("p1"), source: .link, here: at([.post("p1")]), end: .nowhere),
    Case(rule: "already open", navigation: .preferences, here: at(sheets: [.preferences]), end: .nowhere),
    Case(rule: "sheet in the way", navigation: .tab(.account), here: at(sheets: [.paywall("premium")]), end: .nowhere),
    Case(rule: "sheet in the way", navigation: .about, here: at(sheets: [.payment("year")]), end: .nowhere),
    Case(rule: "nothing to close", navigation: .back, here: at(), end: .nowhere),
    Case(rule: "nothing to close", navigation: .dismiss, here: at([.post("p1")]), end: .nowhere),
    Case(
      rule: "something that cannot be kept in the way", navigation: .back, here: at(sheets: [.payment("year")]) { $0.loss = "It." },
      end: .to(.confirm(.back))),
    Case(
      rule: "something that cannot be kept in the way", navigation: .quit, here: at(sheets: [.payment("year")]) { $0.loss = "It." },
      end: .to(.confirm(.quit))),
    Case(
      rule: "something that cannot be kept in the way", navigation: .post("p2"), source: .link,
      here: at(sheets: [.addFeed]) { $0.loss = "It." }, end: .to(.confirm(.post("p2")))),
    Case(
      rule: "something that cannot be kept in the way", navigation: .quit, here: at { $0.lossOnQuitting = "It." },
      end: .to(.confirm(.quit))),
  ]

  @Test(arguments: cases) func withoutItsRuleItEndsOtherwise(_ one: Case) throws {
    #expect(Redirection.of(one.navigation, from: one.source, in: one.here) == one.end)
    let others = [RedirectionRule].all.filter { $0.name != one.rule }
    #expect(others.count == [RedirectionRule].all.count - 1)
    #expect(Redirection.of(one.navigation, from: one.source, in: one.here, by: others) != one.end)
  }

  @Test func everyRuleHasACase() { #expect(Set([RedirectionRule].all.map(\.name)) == Set(Self.cases.map(\.rule))) }

  nonisolated static let free: [(Navigation, AppCoordinator.Source, Surroundings)] = [
    (.quit, .app, at { $0.tree.isCurtainDown = true }), (.paywall("premium", then: nil), .app, at { $0.hasPremium = true }),
    (.purchases(order: nil), .link, at(sheets: [.payment("year")])), (.post("p2"), .link, at(sheets: [.paywall("premium")])),
    (.search("rain"), .app, at([.search])), (.addFeed("a.example"), .app, at(sheets: [.addFeed])),
    (.payment("year"), .app, at(sheets: [.paywall("premium")])), (.tab(.home), .app, at()), (.about, .app, at { $0.hasReader = false }),
    // The question itself is left without another.
    (.back, .app, at(sheets: [.payment("year"), .confirm(.quit)]) { $0.loss = "It." }),
    // What only the end of the app loses is lost by nothing else.
    (.back, .app, at([.comments("p1")]) { $0.lossOnQuitting = "It." }),
    (.dismiss, .app, at(sheets: [.addFeed]) { $0.lossOnQuitting = "It." }),
    (.post("p2"), .link, at(sheets: [.addFeed]) { $0.lossOnQuitting = "It." }),
    (.login(then: nil), .app, at(sheets: [.signOut]) { $0.lossOnQuitting = "It." }),
    // What can be kept is kept without asking.
    (.quit, .app, at(sheets: [.payment("year")])), (.back, .app, at([.comments("p1")])), (.back, .app, at { $0.canStepBack = true }),
  ]

  @Test(arguments: free) func whatNothingIsInTheWayOf(navigation: Navigation, source: AppCoordinator.Source, here: Surroundings) {
    #expect(Redirection.of(navigation, from: source, in: here) == .to(navigation))
  }
}
