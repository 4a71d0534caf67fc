import Runtime
import Testing

@Suite struct LeastRecentlyUsedTests {
  private var kept = LeastRecentlyUsed<String, Int>(limit: 10)

  @Test mutating func theOneUsedLongestAgoGoesFirst() {
    for (place, key) in ["a", "b", "c"].enumerated() { #expect(kept.insert(place, for: key, cost: 3).isEmpty) }
    #expect(kept.value(for: "a") == 0)
    #expect(kept.insert(3, for: "d", cost: 3) == ["b"])
    #expect(kept.value(for: "b") == nil)
    #expect(kept.count == 3)
    #expect(kept.cost == 9)
  }

  @Test mutating func asManyGoAsItTakes() {
    for key in ["a", "b", "c"] { kept.insert(0, for: key, cost: 2) }
    #expect(kept.insert(1, for: "d", cost: 9) == ["a", "b", "c"])
    #expect(kept.cost == 9)
  }

  @Test mutating func whatIsTooLargeAloneIsNotKeptAndPushesNobodyOut() {
    kept.insert(1, for: "a", cost: 8)
    #expect(kept.insert(2, for: "b", cost: 11) == ["b"])
    #expect(kept.value(for: "a") == 1)
    #expect(kept.value(for: "b") == nil)
  }

  @Test mutating func aValueInThePlaceOfAnotherIsCountedOnce() {
    kept.insert(1, for: "a", cost: 8)
    #expect(kept.insert(2, for: "a", cost: 9).isEmpty)
    #expect(kept.cost == 9)
    #expect(kept.remove("a") == 2)
    #expect(kept.remove("a") == nil)
    #expect(kept.cost == 0)
  }

  @Test mutating func aLowerLimitHoldsAtOnceAlsoForTheLast() {
    for key in ["a", "b", "c"] { kept.insert(0, for: key, cost: 3) }
    #expect(kept.setLimit(20) == [])
    #expect(kept.setLimit(8) == ["a"])
    #expect((kept.limit, kept.cost) == (8, 6))
    #expect(kept.setLimit(0) == ["b", "c"])
    #expect(kept.count == 0)
  }

  @Test func itNeverCostsMoreThanItsLimit() {
    var kept = LeastRecentlyUsed<Int, Int>(limit: 1000)
    var random = SystemRandomNumberGenerator()
    var alive: Set<Int> = []
    for step in 0..<5000 {
      let key = Int.random(in: 0..<300, using: &random)
      if step.isMultiple(of: 3) {
        #expect((kept.value(for: key) != nil) == alive.contains(key))
      } else {
        alive.insert(key)
        alive.subtract(kept.insert(step, for: key, cost: Int.random(in: 0...60, using: &random)))
      }
      #expect(kept.cost <= 1000)
      #expect(kept.count == alive.count)
    }
  }
}
