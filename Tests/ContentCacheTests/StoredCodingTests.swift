@testable import ContentCache
import Foundation
import Runtime
import Testing

@Suite struct StoredCodingTests {
  private struct Everything: Codable, Equatable {
    enum Shape: Codable, Equatable { case point, circle(radius: Double), named(String, at: [Int]) }
    enum Word: String, Codable { case one, two }
    struct Empty: Codable, Equatable {}
    struct Inner: Codable, Equatable {
      var id = UUID()
      var list: [String] = []
      var counts: [String: Int] = [:]
    }

    var flag = true
    var text = "häßlich 🎬\n\u{0}"
    var empty = ""
    var missing: String?
    var double = -0.1
    var float: Float = 1.5
    var integers: [Int64] = [0, 23, 24, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, .max, -1, -24, -25, .min]
    var small: Int8 = -128
    var large = UInt64.max
    var date = Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_7)
    var data = Data([0, 255, 128])
    var url = URL(string: "https://example.org/a?b#c")
    var shapes = [Shape.point, .circle(radius: 2), .named("x", at: [1, 2])]
    var word = Word.two
    var nothing = Empty()
    var inner = Inner(list: ["a", "", "c"], counts: ["like": 3, "wow": 0])
    var nested: [[Inner]] = [[], [Inner(), Inner(list: ["x"])]]
    var optional: [String?] = [nil, "a", nil]
    var many: [Int: String] = [1: "one", -2: "minus two"]
  }

  private func decoded<Value: Decodable>(_ data: Data, as type: Value.Type = Value.self) throws -> Value {
    try data.withUnsafeBytes { try StoredDecoder.decode(from: $0) }
  }

  @Test func whatIsWrittenIsRead() throws {
    let everything = Everything()
    #expect(try decoded(try StoredEncoder().encode(everything)) == everything)
  }

  @Test func anEncoderCanBeUsedAgain() throws {
    let encoder = StoredEncoder()
    let first = try encoder.encode(["a", "b"])
    let second = try encoder.encode(["c"])
    #expect(try decoded(first) == ["a", "b"])
    #expect(try decoded(second) == ["c"])
  }

  @Test func fieldsMayBeMissingNewOrInAnotherOrder() throws {
    struct Old: Codable { var a = 1, gone = [["x": [1, 2]]], b = "b" }
    struct New: Codable, Equatable { var b = "", a = 0, new: String? }
    #expect(try decoded(try StoredEncoder().encode(Old())) == New(b: "b", a: 1, new: nil))
    struct Needs: Codable { var needed: Int }
    let data = try StoredEncoder().encode(Old())
    #expect(throws: DecodingError.self) { try decoded(data, as: Needs.self) }
  }

  @Test func otherTypesAreRefused() throws {
    let data = try StoredEncoder().encode(["a": 300])
    #expect(throws: DecodingError.self) { try decoded(data, as: [String: UInt8].self) }
    #expect(throws: DecodingError.self) { try decoded(data, as: [String: String].self) }
    #expect(throws: DecodingError.self) { try decoded(data, as: [String].self) }
  }

  /// The form is a standard one, so that other tools read it too (RFC 8949, appendix A).
  @Test func theFormIsCBOR() throws {
    struct Value: Codable { var a = 1, b = [2, -1], c = true }
    let bytes: [UInt8] = [0xbf, 0x61, 0x61, 0x01, 0x61, 0x62, 0x9f, 0x02, 0x20, 0xff, 0x61, 0x63, 0xf5, 0xff]
    #expect(try StoredEncoder().encode(Value()) == Data(bytes))
  }

  @Test(arguments: 1...20) func damagedBytesAreRefusedAndNeverFatal(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    let whole = try StoredEncoder().encode(Everything())
    for _ in 1...200 {
      var data = whole.prefix(Int(random.next() % UInt64(whole.count + 1)))
      for _ in 0..<(random.next() % 4) where !data.isEmpty {
        data[Int(random.next() % UInt64(data.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      _ = try? decoded(Data(data), as: Everything.self)
    }
    #expect(throws: DecodingError.self) { try decoded(Data(repeating: 0x9f, count: 10_000), as: [String].self) }
    #expect(throws: DecodingError.self) { try decoded(Data(), as: [String].self) }
  }
}
