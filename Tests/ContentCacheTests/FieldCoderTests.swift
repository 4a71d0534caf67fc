@testable import ContentCache
import Foundation
import Runtime
import Testing

/// An entity with a field of each kind.
private struct Everything: Entity {
  enum Word: String, Codable, CaseIterable { case one, two }

  var id = "id"
  var flag = false
  var text = ""
  var missing: String?
  var number = 0
  var date = Date.distantPast
  var texts: [String] = []
  var word: Word?
  var counts: [Word: Int] = [:]

  static var blank: Everything { Everything() }

  mutating func fields(_ form: inout FieldCoder) {
    form.field("id", &id)
    form.field("flag", &flag)
    form.field("text", &text)
    form.field("missing", &missing)
    form.field("number", &number)
    form.field("date", &date)
    form.field("texts", &texts)
    form.field("word", &word)
    form.field("counts", &counts.pairs)
  }

  static func random(_ random: inout SplitMix) -> Everything {
    let texts = ["", "a", "häßlich 🎬\n\u{0}", String(repeating: "x", count: 23), String(repeating: "ü", count: 70_000)]
    let number = { (random: inout SplitMix) -> Int in
      let word = Int(truncatingIfNeeded: random.next())
      return [0, 23, 24, 255, 256, 65_535, 65_536, .max, -1, -24, -25, .min, word, word >> 40].randomElement(using: &random) ?? 0
    }
    let times = [0, -0.0, 700_000_000.123_456_7, .leastNonzeroMagnitude, -.greatestFiniteMagnitude, .infinity]
    var value = Everything(id: texts.randomElement(using: &random) ?? "")
    value.flag = .random(using: &random)
    value.text = texts.randomElement(using: &random) ?? ""
    value.missing = .random(using: &random) ? texts.randomElement(using: &random) : nil
    value.number = number(&random)
    value.date = Date(timeIntervalSinceReferenceDate: times.randomElement(using: &random) ?? 0)
    value.texts = (0..<Int.random(in: 0..<40, using: &random)).map { texts[$0 % 4] }
    value.word = .random(using: &random) ? Word.allCases.randomElement(using: &random) : nil
    for word in Word.allCases where .random(using: &random) { value.counts[word] = number(&random) }
    return value
  }
}

extension Dictionary {
  fileprivate var pairs: [(kind: Key, count: Value)] {
    get { map { ($0.key, $0.value) } }
    set { self = Dictionary(newValue.map { ($0.kind, $0.count) }) { $1 } }
  }
}

@Suite struct FieldCoderTests {
  private func written(_ value: some Entity) -> Data {
    var form = FieldCoder()
    return form.write(value) { Data($0) }
  }

  private func read<Value: Entity>(_ data: Data, as type: Value.Type = Value.self) -> Value? {
    data.withUnsafeBytes { CacheEntry($0)?.value }
  }

  @Test(arguments: seeds(50)) func whatIsWrittenIsRead(seed: UInt64) {
    var random = SplitMix(state: seed)
    let value = Everything.random(&random)
    #expect(read(written(value)) == value, "MATINEE_SEED=\(seed)")
  }

  @Test func aFormWritesOneAfterAnother() {
    var form = FieldCoder()
    let notes = [Note(id: "a", title: String(repeating: "long ", count: 1000)), Note(id: "b")]
    #expect(notes.map { form.write($0) { Data($0) } }.map { read($0) } == notes)
  }

  @Test func theDetailIsNoField() {
    #expect(read(written(Note(id: "a", body: "text"))) == Note(id: "a"))
  }

  /// The form is a standard one, so that other tools read it too (RFC 8949, appendix A).
  @Test func theFormIsCBOR() {
    struct Value: Entity {
      var id = "x"
      var a = 1
      var b = ["2", ""]
      var c = true
      static var blank: Value { Value() }
      mutating func fields(_ form: inout FieldCoder) {
        form.field("id", &id)
        form.field("a", &a)
        form.field("b", &b)
        form.field("c", &c)
      }
    }
    let bytes: [UInt8] = [
      0xbf, 0x62, 0x69, 0x64, 0x61, 0x78, 0x61, 0x61, 0x01, 0x61, 0x62, 0x9f, 0x61, 0x32, 0x60, 0xff, 0x61, 0x63, 0xf5, 0xff,
    ]
    #expect(written(Value()) == Data(bytes))
  }

  // MARK: Other versions

  private struct Old: Entity {
    var id = "x"
    var a = 1
    var gone: [Everything.Word: Int] = [.one: 2]
    var listed = ["x", "y"]
    var b = "b"
    static var blank: Old { Old() }
    mutating func fields(_ form: inout FieldCoder) {
      form.field("id", &id)
      form.field("a", &a)
      form.field("gone", &gone.pairs)
      form.field("listed", &listed)
      form.field("b", &b)
    }
  }

  @Test func fieldsMayBeMissingNewOrInAnotherOrder() {
    struct New: Entity {
      var b = ""
      var new: String? = "n"
      var a = 0
      var count = 7
      var id = ""
      static var blank: New { New() }
      mutating func fields(_ form: inout FieldCoder) {
        form.field("b", &b)
        form.field("new", &new)
        form.field("a", &a)
        form.field("count", &count, isOptional: true)
        form.field("id", &id)
      }
    }
    #expect(read(written(Old())) == New(b: "b", new: nil, a: 1, count: 7, id: "x"))
  }

  @Test func withoutAFieldThatMayNotMissThereIsNothing() {
    struct Needs: Entity {
      var id = ""
      var needed = 0
      static var blank: Needs { Needs() }
      mutating func fields(_ form: inout FieldCoder) {
        form.field("id", &id)
        form.field("needed", &needed)
      }
    }
    #expect(read(written(Old()), as: Needs.self) == nil)
  }

  @Test func otherTypesAreRefused() {
    struct Other: Entity {
      var id = ""
      var a = ""
      static var blank: Other { Other() }
      mutating func fields(_ form: inout FieldCoder) {
        form.field("id", &id)
        form.field("a", &a, isOptional: true)
      }
    }
    #expect(read(written(Old()), as: Other.self) == nil)
  }

  /// Each field is where it is looked for; what was written without those that there is none of is read as well.
  @Test func nothingIsWrittenAsNull() {
    struct Value: Entity {
      var id = ""
      var a: String? = "a"
      var b: Int? = 1
      var c = false
      static var blank: Value { Value() }
      mutating func fields(_ form: inout FieldCoder) {
        form.field("id", &id)
        form.field("a", &a)
        form.field("b", &b)
        form.field("c", &c)
      }
    }
    let value = Value(id: "x", a: nil, b: nil, c: true)
    let bytes: [UInt8] = [0xbf, 0x62, 0x69, 0x64, 0x61, 0x78, 0x61, 0x61, 0xf6, 0x61, 0x62, 0xf6, 0x61, 0x63, 0xf5, 0xff]
    #expect(written(value) == Data(bytes))
    #expect(read(Data(bytes)) == value)
    #expect(read(Data([0xbf, 0x62, 0x69, 0x64, 0x61, 0x78, 0x61, 0x63, 0xf5, 0xff])) == value)
  }

  // MARK: Damage

  @Test func whatIsCutOffIsRefused() {
    var random = SplitMix(state: 1)
    var value = Everything.random(&random)
    (value.id, value.text, value.missing) = ("id", "text", "there")
    let whole = written(value)
    // Without the last byte, which closes the map, nothing is missing.
    for count in 0..<(whole.count - 1) { #expect(read(whole.prefix(count), as: Everything.self) == nil, "\(count)") }
  }

  @Test(arguments: seeds(50)) func damagedBytesAreNeverFatal(seed: UInt64) {
    var random = SplitMix(state: seed)
    let whole = written(Everything.random(&random)).prefix(4000)
    for _ in 1...400 {
      var data = Data(whole.prefix(Int.random(in: 0...whole.count, using: &random)))
      for _ in 0..<Int.random(in: 0...4, using: &random) where !data.isEmpty {
        data[Int.random(in: 0..<data.count, using: &random)] = UInt8(truncatingIfNeeded: random.next())
      }
      _ = read(data, as: Everything.self)
      _ = data.withUnsafeBytes { FieldCoder.texts(from: $0) }
    }
    for _ in 1...400 {
      let data = Data((0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
      _ = read(Data([0xbf]) + data, as: Everything.self)
      _ = (Data([0x9f]) + data).withUnsafeBytes { FieldCoder.texts(from: $0) }
    }
  }

  @Test func whatIsForeignIsRefused() {
    let foreign = [
      Data(), Data(#"{"id":"a"}"#.utf8), Data(repeating: 0x9f, count: 100_000), Data(repeating: 0xbf, count: 100_000),
      // A text, and a list, of more bytes than there are in the world.
      Data([0xbf, 0x7b] + [UInt8](repeating: 0xff, count: 8)), Data([0xbf, 0x62, 0x69, 0x64, 0x7b] + [UInt8](repeating: 0x7f, count: 8)),
    ]
    for data in foreign {
      #expect(read(data, as: Note.self) == nil)
      #expect(data.withUnsafeBytes { FieldCoder.texts(from: $0) } == nil)
    }
  }

  @Test func textsByThemselves() {
    for texts in [[], ["a"], ["", "ü", String(repeating: "x", count: 300)]] {
      #expect(FieldCoder.bytes(texts).withUnsafeBytes { FieldCoder.texts(from: $0) } == texts)
    }
  }
}
