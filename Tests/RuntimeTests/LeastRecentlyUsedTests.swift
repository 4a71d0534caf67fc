import Runtime
import Testing

@Suite struct LeastRecentlyUsedTests {
  private var stored = LeastRecentlyUsed<String, Int>(limit: 10)

  @Test mutating func theOneUsedLongestAgoGoesFirst() {
    for (place, key) in ["a", "b", "c"].enumerated() { #expect(stored.insert(place, for: key, cost: 3).isEmpty) }
    #expect(stored.value(for: "a") == 0)
    #expect(stored.insert(3, for: "d", cost: 3) == ["b"])
    #expect(stored.value(for: "b") == nil)
    #expect(stored.count == 3)
    #expect(stored.cost == 9)
  }

  @Test mutating func asManyGoAsItTakes() {
    for key in ["a", "b", "c"] { stored.insert(0, for: key, cost: 2) }
    #expect(stored.insert(1, for: "d", cost: 9) == ["a", "b", "c"])
    #expect(stored.cost == 9)
  }

  @Test mutating func whatIsTooLargeAloneIsNotKeptAndPushesNobodyOut() {
    stored.insert(1, for: "a", cost: 8)
    #expect(stored.insert(2, for: "b", cost: 11) == ["b"])
    #expect(stored.value(for: "a") == 1)
    #expect(stored.value(for: "b") == nil)
  }

  @Test mutating func aValueInThePlaceOfAnotherIsCountedOnce() {
    stored.insert(1, for: "a", cost: 8)
    #expect(stored.insert(2, for: "a", cost: 9).isEmpty)
    #expect(stored.cost == 9)
    #expect(stored.remove("a") == 2)
    #expect(stored.remove("a") == nil)
    #expect(stored.cost == 0)
  }

  @Test mutating func aLowerLimitHoldsAtOnceAlsoForTheLast() {
    for key in ["a", "b", "c"] { stored.insert(0, for: key, cost: 3) }
    #expect(stored.setLimit(20) == [])
    #expect(stored.setLimit(8) == ["a"])
    #expect((stored.limit, stored.cost) == (8, 6))
    #expect(stored.setLimit(0) == ["b", "c"])
    #expect(stored.count == 0)
  }

  @Test(arguments: [UInt64(1), 2, 3]) func itNeverCostsMoreThanItsLimit(seed: UInt64) {
    var stored = LeastRecentlyUsed<Int, Int>(limit: 1000)
    var random = SplitMix(state: seed)
    var alive: Set<Int> = []
    for step in 0..<5000 {
      let key = Int.random(in: 0..<300, using: &random)
      if step.isMultiple(of: 3) {
        #expect((stored.value(for: key) != nil) == alive.contains(key))
      } else {
        alive.insert(key)
        alive.subtract(stored.insert(step, for: key, cost: Int.random(in: 0...60, using: &random)))
      }
      #expect(stored.cost <= 1000)
      #expect(stored.count == alive.count)
    }
  }
}
