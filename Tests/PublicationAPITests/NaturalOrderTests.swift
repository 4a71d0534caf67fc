import PublicationAPI
import Testing

/// The order of names.
@Suite struct NaturalOrderTests {
  @Test(arguments: [
    ["Feed", "Feed 1", "Feed 2", "Feed 10", "Feed 100", "Feed A"], ["Feed 0", "Feed 1"], ["1a", "2 a", "10 a", "a"],
    ["Duos", "Écarts", "zebra"], ["v1.9", "v1.10", "v2"], ["Part 1 of 10", "Part 2 of 9", "Part 10 of 9"],
    // As long as they like.
    ["9", "12345678", "123456789", "99999999999999999", "123456789012345678", "x"], ["", " ", "1", "a"],
  ])
  func namesAreInOrder(names: [String]) {
    #expect(names.reversed().sorted { NaturalOrder.key($0) < NaturalOrder.key($1) } == names)
  }

  @Test(arguments: [("Feed 7", "feed 7"), ("Écart 7", "ecart 7"), ("Feed 7", "Feed 007"), ("Ｆｅｅｄ ７", "Feed 7"), ("0", "000")])
  func namesThatReadTheSameAreTheSame(first: String, second: String) {
    #expect(NaturalOrder.key(first) == NaturalOrder.key(second))
  }

  /// The publication's database compares bytes.
  @Test func keysAreInTheOrderOfTheirBytes() {
    let names = (0...2000).map { "Part \($0)" } + ["Part", "Part A", "Partly", "Pärt 5", "Part-5", "Part 5"]
    let keys = names.map(NaturalOrder.key)
    #expect(keys.sorted() == keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
  }
}
