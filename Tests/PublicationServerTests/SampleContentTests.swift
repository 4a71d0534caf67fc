import FeedFormats
import PublicationAPI
import PublicationServer
import XCTest

/// The sample publication is whole: nothing it names is missing.
final class SampleContentTests: XCTestCase {
  private let opening = Date(timeIntervalSince1970: 1_750_000_000)

  private func content() throws -> PublicationContent { try SampleContent.publication(openedAt: opening) }

  func testThreeClubsAndFortyPosts() throws {
    let content = try content()
    XCTAssertEqual(content.fanClubs.count, 3)
    XCTAssertEqual(content.posts.count, 40)
    XCTAssertEqual(Set(content.posts.map(\.id)).count, 40)
    XCTAssertEqual(content.posts.count(where: \.premium), 10)
    XCTAssertEqual(content.fanClubs.map(\.posts).reduce(0, +), 40)
    for club in content.fanClubs { XCTAssertGreaterThan(club.posts, 10, club.name) }
  }

  func testIdentifiersCanStandInPaths() throws {
    let content = try content()
    let allowed = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyz0123456789-_.")
    let names = content.posts.map(\.id) + content.fanClubs.map(\.id) + content.pictures.map(\.name) + content.products.map(\.id)
    for name in names { XCTAssertTrue(name.unicodeScalars.allSatisfy(allowed.contains), name) }
  }

  func testEachPostIsComplete() throws {
    let content = try content()
    let clubs = Dictionary(uniqueKeysWithValues: content.fanClubs.map { ($0.id, $0.name) })
    for post in content.posts {
      XCTAssertEqual(post.fanClubName, clubs[post.fanClubID], post.id)
      XCTAssertFalse(post.title.isEmpty || post.byline.isEmpty, post.id)
      XCTAssertTrue((60...300).contains(post.teaser.count), "\(post.id): \(post.teaser)")
      let blocks = ArticleBody(html: try XCTUnwrap(post.body, post.id)).blocks
      XCTAssertTrue((3...20).contains(blocks.count), "\(post.id) has \(blocks.count) blocks")
    }
    let blocks = content.posts.flatMap { ArticleBody(html: $0.body ?? "").blocks }
    XCTAssertTrue(blocks.contains { if case .heading = $0 { true } else { false } })
    XCTAssertTrue(blocks.contains { if case .quote = $0 { true } else { false } })
    XCTAssertTrue(blocks.contains { if case .list = $0 { true } else { false } })
  }

  func testTheNewestPostIsRecentWheneverItIsOpened() throws {
    let dates = try content().posts.map(\.published)
    XCTAssertEqual(dates, dates.sorted(by: >), "newest first")
    let days = dates.map { opening.timeIntervalSince($0) / 86_400 }
    XCTAssertTrue((0.01...1).contains(try XCTUnwrap(days.first)))
    XCTAssertTrue((120...200).contains(try XCTUnwrap(days.last)))
  }

  func testEachPictureIsAJPEG() throws {
    let content = try content()
    let prefix = "/v1/pictures/"
    var named: Set<String> = []
    for path in content.posts.map(\.picture) + content.fanClubs.map(\.picture) {
      let path = try XCTUnwrap(path)
      XCTAssertTrue(path.hasPrefix(prefix))
      let name = String(path.dropFirst(prefix.count))
      named.insert(name)
      let bytes = try XCTUnwrap(SampleContent.picture(named: name), name)
      XCTAssertEqual(Array(bytes.prefix(3)), [0xFF, 0xD8, 0xFF], name)
      XCTAssertEqual(Array(bytes.suffix(2)), [0xFF, 0xD9], name)
      XCTAssertEqual(size(of: bytes), name.hasPrefix("club-") ? [600, 600] : [960, 540], name)
      XCTAssertTrue((15_000...60_000).contains(bytes.count), "\(name): \(bytes.count) bytes")
    }
    XCTAssertEqual(Set(content.pictures.map(\.name)), named, "no picture is embedded for nothing")
    XCTAssertNil(SampleContent.picture(named: "publication.json"))
    XCTAssertNil(SampleContent.picture(named: "../secret.jpg"))
  }

  /// Width and height from the frame header (ITU T.81, B.2.2).
  private func size(of jpeg: Data) -> [Int] {
    let bytes = [UInt8](jpeg)
    var position = 2
    while position + 9 < bytes.count, bytes[position] == 0xFF {
      let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
      if (0xC0...0xC2).contains(bytes[position + 1]) {
        return [Int(bytes[position + 7]) << 8 | Int(bytes[position + 8]), Int(bytes[position + 5]) << 8 | Int(bytes[position + 6])]
      }
      position += 2 + length
    }
    return []
  }

  func testLinksAreSafe() throws {
    for post in try content().posts {
      let body = post.body ?? ""
      for address in body.split(separator: "href='").dropFirst().map({ $0.prefix { $0 != "'" } }) {
        XCTAssertTrue(address.hasPrefix("https://example.org/") || address.hasPrefix("mailto:"), "\(post.id): \(address)")
      }
      XCTAssertFalse(body.contains("<script") || body.contains("<img"), post.id)
    }
  }

  func testWhatIsSoldIsThere() throws {
    let content = try content()
    XCTAssertEqual(content.info.sampleAccount, .init(email: "reader@example.org", password: "matinee"))
    XCTAssertEqual(content.accounts.map(\.email), ["reader@example.org"])
    XCTAssertTrue(content.paywalls.contains { $0.id == content.info.defaultPaywallID })
    let products = Dictionary(content.products.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    for paywall in content.paywalls {
      XCTAssertFalse(paywall.title.isEmpty || paywall.text.isEmpty || paywall.benefits.isEmpty)
      for id in paywall.productIDs { XCTAssertNotNil(products[id], id) }
    }
    XCTAssertEqual(products["premium.monthly"]?.priceMinorUnits, 490)
    XCTAssertEqual(products["premium.monthly"]?.period, "P1M")
    XCTAssertEqual(products["premium.yearly"]?.priceMinorUnits, 4900)
    XCTAssertEqual(products["premium.yearly"]?.period, "P1Y")
    XCTAssertEqual(products["premium.lifetime"]?.kind, .nonConsumable)
    XCTAssertEqual(products["premium.lifetime"]?.priceMinorUnits, 14_900)
    XCTAssertEqual(products["passes.5"]?.kind, .consumable)
    XCTAssertEqual(products["passes.5"]?.amount, 5)
    XCTAssertEqual(Set(content.products.map(\.entitlement)), ["premium", Balance.articlePass])
    for product in products.values {
      XCTAssertEqual(content.products.filter { $0.id == product.id }.map(\.currency), ["EUR", "USD"])
      let tax = try XCTUnwrap(product.tax)
      let net = product.priceMinorUnits - tax.minorUnits
      XCTAssertEqual(Double(tax.minorUnits), Double(net) * Double(tax.basisPoints) / 10_000, accuracy: 1)
    }
  }
}
