import FeatureFlags
import Runtime
import Testing

@Suite struct RolloutHashTests {
  /// Computed by another program, from the words of the documentation alone.
  @Test(arguments: [
    ("purchase.device_first", "00000000-0000-0000-0000-000000000001", 9069),
    ("purchase.device_first", "00000000-0000-0000-0000-000000000002", 6083),
    ("purchase.device_first", "3F2504E0-4F89-41D3-9A0C-0305E82C3301", 9861),
    ("a", "", 5272),
    ("", "a", 3783),
    ("flag", "reader", 4428),
    ("flagr", "eader", 679),
    ("flag", "Zoë", 6047),
    ("flag", "1", 1975),
    ("flag", "2", 5798),
  ])
  func knownPlaces(flag: String, user: String, place: Int) { #expect(RolloutHash.place(flag: flag, user: user) == place) }

  @Test func raisingThePercentageKeepsWhoWasIn() throws {
    let steps = try [0, 1, 10, 50, 99, 100].map { try FlagRule(name: "flag", percent: $0) }
    for number in 0..<2000 {
      let sides = steps.map { $0.variant(for: "reader-\(number)") }
      let firstOn = sides.firstIndex(of: .on) ?? sides.count
      #expect(sides[..<firstOn].allSatisfy { $0 == .off } && sides[firstOn...].allSatisfy { $0 == .on })
    }
    #expect((0..<2000).allSatisfy { steps[0].variant(for: "reader-\($0)") == .off })
    #expect((0..<2000).allSatisfy { steps[5].variant(for: "reader-\($0)") == .on })
  }

  /// Every part of the places gets its share, whatever the users are called: random identifiers, numbers, addresses.
  @Test func placesAreSpreadEvenly() {
    let seed = UInt64.random(in: 1...(.max))
    print("RolloutHashTests seed \(seed)")
    var random = SplitMix(state: seed)
    let (users, cells) = (20_000, 100)
    let names: [(Int) -> String] = [
      { _ in random.hex() }, { "\($0 + Int(seed % 1_000_000))" }, { "reader.\($0)@example.org" },
    ]
    for name in names {
      var counts = [Int](repeating: 0, count: cells)
      let flag = "flag-\(random.hex())"
      for number in 0..<users { counts[RolloutHash.place(flag: flag, user: name(number)) * cells / RolloutHash.count] += 1 }
      let expected = Double(users) / Double(cells)
      let chiSquare = counts.reduce(0) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
      // 99 degrees of freedom: even places exceed this once in a hundred million tries.
      #expect(chiSquare < 200, "seed \(seed)")
    }
  }

  @Test func flagsAreIndependent() {
    // A quarter of the users is in both of two halves: nobody is always the first to try what is new.
    let both = (0..<20_000).count { number in
      ["one", "two"].allSatisfy { RolloutHash.place(flag: $0, user: "reader-\(number)") < RolloutHash.count / 2 }
    }
    #expect((4700...5300).contains(both))
  }
}

extension SplitMix {
  mutating func hex() -> String { String(next(), radix: 16) + String(next(), radix: 16) }
}
