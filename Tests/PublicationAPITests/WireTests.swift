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
}
