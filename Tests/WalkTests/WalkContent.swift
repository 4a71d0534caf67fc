import Foundation
import PublicationAPI
import PublicationServer

/// What there is to walk through: small, with something of each kind.
enum WalkContent {
  static let start = Date(timeIntervalSince1970: 1_780_000_000)
  static let readers = [("ada@example.org", "Ada", "curtain call"), ("bo@example.org", "Bo", "second row")]
  /// All that readers choose.
  static let passwords = readers.map(\.2) + ["a row of my own"]
  static let feeds = [
    "https://the-reel.example/feed.xml", "https://the-reel.example", "https://pages.example", "https://empty.example",
    "https://feeds.example/list.opml", "https://broken.example/feed.xml", "https://slow.example/feed.xml", "https://nobody.example/feed",
  ]
  static let clubs = ["film", "radio", "stage"]
  static let posts = (1...45).map { "p\($0)" }
  static let products = ["premium.monthly", "premium.yearly", "premium.lifetime", "passes.5"]

  static let all = PublicationContent(
    info: PublicationInfo(
      id: "walk", name: "The Walk", tagline: "For tests", defaultPaywallID: "premium",
      sampleAccount: .init(email: readers[0].0, password: readers[0].2)),
    fanClubs: clubs.map { FanClub(id: $0, name: $0.capitalized, about: "About \($0)") },
    posts: posts.enumerated().map { number, id in
      Post(
        id: id, fanClubID: clubs[number % clubs.count], fanClubName: "", title: "Post \(id)", teaser: "Teaser \(id)",
        body: "<p>Text of \(id) with <a href=\"https://example.org/\">a link</a>.</p><p>More.</p>",
        url: number.isMultiple(of: 4) ? "https://example.org/\(id)" : nil,
        published: start.addingTimeInterval(Double(number - 100) * 3600), premium: number.isMultiple(of: 3))
    },
    products: [
      product("premium.monthly", .subscription, 490, period: "P1M"), product("premium.yearly", .subscription, 4900, period: "P1Y"),
      product("premium.lifetime", .nonConsumable, 14900),
      ProductRecord(
        id: "passes.5", kind: .consumable, name: "Five passes", detail: "", priceMinorUnits: 350, currency: "EUR",
        entitlement: Balance.articlePass, consumableType: Balance.articlePass, amount: 5),
    ],
    paywalls: [PaywallRecord(id: "premium", title: "Premium", text: "Read everything", benefits: ["All posts"], productIDs: products)],
    accounts: readers.map { .init(email: $0.0, name: $0.1, password: $0.2) })

  private static func product(_ id: String, _ kind: ProductRecord.Kind, _ price: Int, period: String? = nil) -> ProductRecord {
    ProductRecord(
      id: id, kind: kind, name: id, detail: "", priceMinorUnits: price, currency: "EUR", period: period,
      group: kind == .subscription ? "premium" : nil, entitlement: "premium")
  }

  static func isPremium(_ post: Post.ID) -> Bool { all.posts.first { $0.id == post }?.premium ?? false }
}
