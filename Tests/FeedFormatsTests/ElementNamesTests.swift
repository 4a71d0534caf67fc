import XCTest

@testable import FeedFormats

/// A document chooses the names of its elements, their prefixes and their namespaces.
final class ElementNamesTests: XCTestCase {
  private let tooMany = FeedError.Reason.refused("it has too many different names")

  /// Where they did not, each would be compared with all before it.
  func testNamesThatDifferInOnePartAloneHashDifferently() {
    let keys = (1...1_000 as ClosedRange<UInt>).flatMap { number in
      [
        ElementNames.Key(local: number, prefix: 0, uri: 0), ElementNames.Key(local: 0, prefix: number, uri: 0),
        ElementNames.Key(local: 0, prefix: 0, uri: number),
      ]
    }
    XCTAssertEqual(Set(keys.map(\.hashValue)).count, keys.count)
  }

  /// One name with so many prefixes and namespaces: each of the two is far below the limit of names.
  private func pairs(_ count: Int) -> String {
    let elements = (0..<count).map { "<p\($0 % 400):a xmlns:p\($0 % 400)='urn:\($0 / 400)'/>" }
    return "<rss><channel>" + elements.joined() + "<title>1</title></channel></rss>"
  }

  func testPairsOfFewWordsAreNamesToo() throws {
    XCTAssertEqual(try read(pairs(Int(XMLLimits.names) - 2)).title, "1", "the channel and the title are the others")
    XCTAssertEqual(failure(pairs(Int(XMLLimits.names) - 1))?.reason, tooMany)
  }

  /// That it ends is what this proves: to read the namespace for each name would take hours.
  func testALongNamespaceOfManyNames() throws {
    let uri = "urn:" + String(repeating: "n", count: 1_000_000)
    let elements = (0..<90_000).map { "<p:n\($0)/>" }.joined()
    XCTAssertEqual(try read("<rss xmlns:p='\(uri)'><channel>\(elements)<title>1</title></channel></rss>").title, "1")
  }

  func testTheVocabularyOfAnElementIsThatOfItsNamespace() throws {
    let item = try first(
      """
      <rss xmlns="urn:own"><channel><item>
      <x:creator xmlns:x="http://purl.org/dc/elements/1.1/">Ines</x:creator>
      <x:creator xmlns:x="urn:other">Nobody</x:creator>
      <y:creator xmlns:y="http://purl.org/dc/elements/1.1/">Jo</y:creator>
      <x:title xmlns:x="urn:own">Not RSS</x:title>
      <title>RSS</title>
      <dc:creator>Kim</dc:creator>
      </item></channel></rss>
      """)
    XCTAssertEqual(item.byline, "Ines, Jo, Kim")
    XCTAssertEqual(item.title, "RSS")
  }
}
