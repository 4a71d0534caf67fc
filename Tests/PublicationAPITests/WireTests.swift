import Foundation
import PublicationAPI
import Testing

@Suite struct WireTests {
  @Test func postRoundTrips() throws {
    let post = Post(
      id: "p1", fanClubID: "c1", fanClubName: "Club", title: "Title", published: Date(timeIntervalSince1970: 1_700_000_000), premium: true)
    #expect(try Wire.decode(Post.self, from: Wire.encode(post)) == post)
  }

  @Test(arguments: ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z", "2026-01-02T04:04:05+01:00"])
  func datesMayHaveFractionsAndOffsets(text: String) throws {
    let dates = try Wire.decode([Date].self, from: Data("[\"\(text)\"]".utf8))
    #expect(dates == [Date(timeIntervalSince1970: 1_767_323_045)])
  }

  @Test func aDateThatIsNoneIsRefused() {
    #expect(throws: DecodingError.self) { try Wire.decode([Date].self, from: Data("[\"yesterday\"]".utf8)) }
  }

  @Test func aListIsReadWithoutWhatCameLater() throws {
    let known = ProductRecord(
      id: "passes.5", kind: .consumable, name: "Five", detail: "", priceMinorUnits: 300, currency: "EUR", entitlement: Balance.articlePass,
      consumableType: Balance.articlePass, amount: 5, tax: Tax(name: "VAT", basisPoints: 1900, minorUnits: 48))
    let text = String(decoding: try Wire.encode(known), as: UTF8.self)
    let later = text.replacing("consumable\",", with: "rental\",")
    #expect(later != text)
    #expect(try Wire.decodeKnown([ProductRecord].self, from: Data("[\(later),\(text),7,null]".utf8)) == [known])
    #expect(throws: DecodingError.self) { try Wire.decodeKnown([ProductRecord].self, from: Data("{}".utf8)) }
  }

  @Test func reactionsAreCountedByKindAlsoByOnesThatCameLater() throws {
    let post = Post(
      id: "p", fanClubID: "c", fanClubName: "C", title: "T", published: Date(timeIntervalSince1970: 0), reactions: [.like: 2, "dance": 1],
      reaction: "dance")
    let text = String(decoding: try Wire.encode(post), as: UTF8.self)
    #expect(text.contains(#""reaction":"dance","reactions":{"dance":1,"like":2}"#))
    let decoded = try Wire.decode(Post.self, from: Data(text.utf8))
    #expect(decoded == post)
    #expect(decoded.reactions.total == 3)
    var popular = post
    popular.reactions = [.like: .max, .sad: 9]
    #expect(popular.reactions.total == .max)
  }

  @Test func countsAreTheSameInWhateverOrderTheyCame() {
    var counts: ReactionCounts = [.wow: 3, .like: 2, .love: 1]
    #expect(counts == [.like: 2, .love: 1, .wow: 3])
    #expect(counts != [.like: 2, .love: 1, .wow: 4] && counts != [.like: 2, .love: 1] && counts != [.like: 2, .love: 1, .sad: 3])
    #expect(counts.counts.map(\.kind) == [.like, .love, .wow])
    counts[.laugh] = 5
    counts[.like] = 0
    counts[.love] += 1
    #expect(counts == [.laugh: 5, .love: 2, .wow: 3])
    #expect((counts[.laugh], counts[.like]) == (5, 0))
    counts[.like] = 9
    counts[.sad] -= 1
    #expect(counts == [.laugh: 5, .like: 9, .love: 2, .sad: -1, .wow: 3])
    #expect(ReactionCounts([(.sad, 1), (.like, 2), (.sad, 3)]) == [.like: 2, .sad: 3])
    #expect(ReactionCounts([(.like, 0)]) == [:])
  }

  @Test func kindsThatNobodyChoseAreLeftOut() throws {
    let counts = try Wire.decode(ReactionCounts.self, from: Data(#"{"wow":0,"love":2,"like":0}"#.utf8))
    #expect(counts == [.love: 2])
    #expect(String(decoding: try Wire.encode(counts), as: UTF8.self) == #"{"love":2}"#)
  }

  @Test func whatAnEarlierVersionWroteIsRead() throws {
    let post = #"""
      {"bookmarked":false,"fanClubID":"c","fanClubName":"C","id":"p","premium":true,"published":"2026-01-02T03:04:05Z","reacted":false,
      "reactions":1,"teaser":"","title":"T","byline":""}
      """#
    let decoded = try Wire.decode(Post.self, from: Data(post.utf8))
    #expect(decoded.unlocked == false)
    #expect((decoded.reactions, decoded.reaction) == ([.love: 1], nil))
    #expect((decoded.read, decoded.comments) == (false, 0))
    let reacted = try Wire.decode(Post.self, from: Data(post.replacing("\"reacted\":false", with: "\"reacted\":true").utf8))
    #expect(reacted.reaction == .love)
    let club = #"{"id":"c","name":"C","about":"","followers":1,"followed":false,"posts":2}"#
    let former = try Wire.decode(FanClub.self, from: Data(club.utf8))
    #expect((former.fetched, former.unread, former.feed) == (true, nil, nil))
    let info = #"{"id":"pub","name":"N","tagline":"","defaultPaywallID":"premium"}"#
    #expect(try Wire.decode(PublicationInfo.self, from: Data(info.utf8)).hostedCheckout == false)
  }
}
