import Foundation
import Runtime
import Testing

@Suite struct LocatedJSONTests {
  enum Color: String, Decodable, CaseIterable { case red, green, blue }

  struct Part: Decodable, Equatable {
    var name: String
    var size: Int
    var color: Color?
  }

  struct Whole: Decodable, Equatable {
    var title: String
    var share: Double?
    var since: Date?
    var isOpen: Bool?
    var parts: [Part]
    var labels: [String: UInt8]?
    var body: LocatedJSON.Verbatim?
  }

  private func failure(_ text: String) -> String? {
    let failure = #expect(throws: LocatedJSON.Failure.self) { try LocatedJSON.decode(Whole.self, from: Data(text.utf8), file: "f") }
    return failure.map { "\($0)" }
  }

  @Test func readsWhatIsThere() throws {
    let text = #"""
      {"title": "A \"b\" \u00e9\ud83d\ude00\n", "share": -1.5e2, "since": "2030-01-31T12:00:00.5Z", "isOpen": true, "labels": {"x": 255},
       "parts": [{"name": "", "size": 2.0, "color": "red"}, {"name": "ö", "size": 1e3}], "body": [ 1,{ } ]}
      """#
    let whole = try LocatedJSON.decode(Whole.self, from: Data(text.utf8), file: "f")
    #expect(whole.title == "A \"b\" é😀\n")
    #expect(whole.share == -150)
    #expect(whole.since?.timeIntervalSince1970 == 1_896_091_200.5)
    #expect(whole.parts == [Part(name: "", size: 2, color: .red), Part(name: "ö", size: 1000)])
    #expect(whole.labels == ["x": 255])
    #expect(whole.body?.bytes == Data("[ 1,{ } ]".utf8))
  }

  @Test(arguments: [
    ("", "line 1, column 1: expected a value, found the end of the file"),
    ("{", "line 1, column 2: expected a field's name in quotation marks or “}”, found the end of the file"),
    ("{\n  // why\n}", "line 2, column 3: expected a field's name in quotation marks or “}”, found “/”; JSON has no comments"),
    (
      "{\"title\": 'a'}",
      "line 1, column 11: expected a value for “title”, found “'”; JSON has double quotation marks only"
    ), ("{\"title\": yes}", "line 1, column 11: expected a value for “title”, found “yes”"),
    ("{\"title\" \"a\"}", "line 1, column 10: expected “:” after “title”, found “\"”"),
    ("{\"title\": \"a\"\n \"parts\": []}", "line 2, column 2: expected “,” or “}” after the value of “title”, found “\"”"),
    (
      "{\"parts\": [],\n}",
      "line 2, column 1: expected a field's name in quotation marks, found “}”; the comma before it is one too many"
    ), ("{\"parts\": [1,]}", "line 1, column 14: expected a value, found “]”; the comma before it is one too many"),
    ("{\"parts\": [1 2]}", "line 1, column 14: expected “,” or “]” after the value, found “2”"),
    ("{} {}", "line 1, column 4: expected the end of the file after the value, found “{”"),
    ("{\"parts\": 01}", "line 1, column 12: expected no digit after a leading zero, found “1”"),
    ("{\"parts\": -}", "line 1, column 12: expected a digit, found “}”"),
    ("{\"parts\": 1.}", "line 1, column 13: expected a digit, found “}”"),
    ("{\"é\": \"a", "line 1, column 7: the text that begins here has no closing quotation mark"),
    (
      "{\"title\": \"a\nb\"}",
      "line 1, column 13: a line end, tab or other control character within a text has to be written as \\n, \\t or \\u…"
    ), ("{\"title\": \"\\ud800\"}", "line 1, column 12: half a surrogate pair is no character"),
    ("{\"title\": \"\\u12\"}", "line 1, column 12: \\u is followed by four hexadecimal digits"),
    ("{\"parts\": [], \"title\": \"\", \"parts\": []}", "line 1, column 28: “parts” is there twice"),
  ]) func syntax(text: String, message: String) { #expect(failure(text) == "f, " + message) }

  @Test(arguments: [
    ("[]", "line 1, column 1: expected an object, found a list"), ("\"x\"", "line 1, column 1: expected an object, found “x”"),
    ("{\"parts\": []}", "line 1, column 1: “title” is missing"),
    ("{\"titel\": \"\", \"parts\": []}", "line 1, column 2: there is no “titel” here; did you mean “title”?"),
    ("{\"title\": \"\", \"parts\": {}}", "line 1, column 24: expected a list, found an object"),
    ("{\"title\": 1, \"parts\": []}", "line 1, column 11: expected text, found 1"),
    ("{\"title\": null, \"parts\": []}", "line 1, column 11: expected text, found null"),
    ("{\"title\": \"\", \"isOpen\": 1, \"parts\": []}", "line 1, column 25: expected true or false, found 1"),
    ("{\"title\": \"\", \"share\": \"1\", \"parts\": []}", "line 1, column 24: expected a number, found “1”"),
    ("{\"title\": \"\", \"share\": 1e999, \"parts\": []}", "line 1, column 24: expected a number, found 1e999"),
    (
      "{\"title\": \"\", \"since\": \"2030\", \"parts\": []}",
      "line 1, column 24: expected a time such as “2030-01-31T12:00:00Z”, found “2030”"
    ),
    ("{\"title\": \"\", \"labels\": {\"a\": 256}, \"parts\": []}", "line 1, column 31: expected a whole number from 0 to 255, found 256"),
    ("{\"title\": \"\",\n \"parts\": [{\"name\": \"a\", \"size\": 1.5}]}", "line 2, column 34: expected a whole number, found 1.5"),
    ("{\"title\": \"\",\n \"parts\": [{\"name\": \"a\"}]}", "line 2, column 12: “size” is missing"),
    (
      "{\"title\": \"\", \"parts\": [{\"name\": \"\", \"size\": 1, \"color\": \"gren\"}]}",
      "line 1, column 58: expected one of “red”, “green”, “blue”, found “gren”; did you mean “green”?"
    ),
    (
      "{\"title\": \"\", \"parts\": [{\"name\": \"\", \"size\": 1, \"color\": null}]}",
      "line 1, column 58: expected one of “red”, “green”, “blue”, found null"
    ),
    (
      "{\"title\": \"\", \"parts\": [{\"name\": \"\", \"size\": 1, \"color\": 3}]}",
      "line 1, column 58: expected one of “red”, “green”, “blue”, found 3"
    ),
    (
      "{\"title\": \"\", \"parts\": [{\"name\": \"\", \"size\": 1, \"colour\": \"red\"}]}",
      "line 1, column 49: there is no “colour” here; did you mean “color”?"
    ),
    (
      "{\"title\": \"\", \"parts\": [{\"name\": \"\", \"size\": 1, \"weight\": 1}]}",
      "line 1, column 49: there is no “weight” here; there can be “color”, “name”, “size”"
    ),
  ]) func meaning(text: String, message: String) { #expect(failure(text) == "f, " + message) }

  @Test func bytesThatAreNoTextAndMarksAreCounted() {
    let bad = #expect(throws: LocatedJSON.Failure.self) {
      try LocatedJSON.check(Data("{\n \"é".utf8) + [0xFF] + Data("\"}".utf8), file: "f")
    }
    #expect(bad?.description == "f, line 2, column 4: expected UTF-8, found byte 255")
    #expect(throws: Never.self) { try LocatedJSON.check(Data([0xEF, 0xBB, 0xBF]) + Data("{}".utf8), file: "f") }
    let marked = #expect(throws: LocatedJSON.Failure.self) { try LocatedJSON.check(Data([0xEF, 0xBB, 0xBF]) + Data("x".utf8), file: "f") }
    #expect(marked?.column == 1)
  }

  @Test func aFileThatCannotBeReadHasNoPlace() throws {
    let folder = FileManager.default.temporaryDirectory.path
    for (file, reason) in [(folder, "Is a directory"), (folder + "/nowhere/x.json", "No such file or directory")] {
      let failure = #expect(throws: LocatedJSON.Failure.self) { try LocatedJSON.contents(of: file) }
      #expect(failure?.description == "\(file) cannot be read: \(reason)")
      #expect(failure?.line == 0)
    }
    let file = folder + "/matinee-closed-\(UUID().uuidString).json"
    try Data("{}".utf8).write(to: URL(fileURLWithPath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file)
    do throws(LocatedJSON.Failure) {
      _ = try LocatedJSON.contents(of: file)
      #expect(geteuid() == 0, "root may read everything")
    } catch { #expect("\(error)" == "\(file) cannot be read: Permission denied") }
  }

  /// To compare names takes time by the square of a letter's marks.
  @Test func aLetterWithMarksWithoutEndIsRefused() {
    let marks = String(repeating: "\u{301}", count: 31)
    for text in ["{\"a\(marks)\": 1}", "[\"a\(marks)\"]", "[\"a" + String(repeating: "\\u0301", count: 31) + "\"]"] {
      let failure = #expect(throws: LocatedJSON.Failure.self) { try LocatedJSON.check(Data(text.utf8), file: "f") }
      #expect(failure?.problem == "a letter of this text has more marks than any language needs")
      #expect(failure?.column == 2)
    }
    #expect(throws: Never.self) { try LocatedJSON.check(Data("[\"a\(String(marks.unicodeScalars.dropLast()))\"]".utf8), file: "f") }
  }

  @Test func deepNestingIsRefused() {
    let deep = #expect(throws: LocatedJSON.Failure.self) {
      try LocatedJSON.check(Data(repeating: UInt8(ascii: "["), count: 100_000), file: "f")
    }
    #expect(deep?.problem == "it is nested more than 128 deep")
  }

  /// The server reads what anybody sends on such a thread, and so does the app what was stored: also where a sanitizer makes frames large.
  @Test(arguments: ["[", "{\"a\":"]) func theDeepestNestingFitsOnAThreadOfOurOwn(level: String) async throws {
    let text = Data(String(repeating: level, count: 128).utf8)
    let failure = try await ThreadExecutor(name: "json").run { () -> LocatedJSON.Failure? in
      do throws(LocatedJSON.Failure) { try LocatedJSON.check(text, file: "f") } catch { return error }
      return nil
    }
    #expect(failure?.problem.hasPrefix("expected") == true)
  }

  @Test func unknownFieldsCanBePassedOver() throws {
    let text = Data("{\"title\": \"\", \"parts\": [], \"new\": 1}".utf8)
    #expect(try LocatedJSON.decode(Whole.self, from: text, file: "f", unknownFields: .ignored).title == "")
  }

  /// A type that places its own error, and one that throws something else altogether.
  @Test func errorsOfTypesArePlaced() {
    struct Even: Decodable {
      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if try container.decode(Int.self) % 2 != 0 {
          throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected an even number.")
        }
      }
    }
    struct Odd: Error, CustomStringConvertible { let description = "odd" }
    struct Thrower: Decodable { init(from decoder: any Decoder) throws { throw Odd() } }
    struct Root: Decodable {
      init(from decoder: any Decoder) throws {
        throw DecodingError.located(["a" as LocatedJSON.Step, 1 as LocatedJSON.Step], "not this one")
      }
    }
    func failure<Value: Decodable>(_ type: Value.Type, _ text: String) -> String? {
      #expect(throws: LocatedJSON.Failure.self) { try LocatedJSON.decode(type, from: Data(text.utf8), file: "f") }.map { "\($0)" }
    }
    #expect(failure([Even].self, "[2,\n 3]") == "f, line 2, column 2: expected an even number")
    #expect(failure([String: Thrower].self, "{\"a\":\n1}") == "f, line 2, column 1: odd")
    #expect(failure(Root.self, "{\"a\": [1,\n\n2]}") == "f, line 3, column 1: not this one")
  }

  private static let sample = Data(
    #"""
    {
      "title": "Ä \"quoted\" \u00e9 \ud83d\ude00 name",
      "share": -12.5e-1, "since": "2030-01-31T12:00:00Z", "isOpen": false,
      "labels": {"a": 1, "ü": 20},
      "parts": [
        {"name": "first", "size": 1, "color": "green"},
        {"name": "second", "size": 0, "color": "red"}
      ],
      "body": {"any": ["thing", {"at": [true, 1e3]}]}
    }

    """#.utf8)

  private func expectPlaced(_ data: Data, _ what: @autoclosure () -> String) {
    do {
      _ = try LocatedJSON.decode(Whole.self, from: data, file: "f")
    } catch {
      let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      guard (1...lines.count).contains(error.line), (1...lines[error.line - 1].count + 1).contains(error.column), !error.problem.isEmpty
      else {
        Issue.record("\(what()): \(error) lies outside")
        return
      }
    }
  }

  @Test func everyTruncationIsPlaced() throws {
    _ = try LocatedJSON.decode(Whole.self, from: Self.sample, file: "f")
    for length in 0..<Self.sample.count { expectPlaced(Self.sample.prefix(length), "the first \(length) bytes") }
  }

  @Test func everyMutationOfOneByteIsPlaced() {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("LocatedJSONTests.everyMutationOfOneByteIsPlaced: seed \(seed)")
    var chance = seed | 1
    let telling = Array("{}[]\",:\\-0e.u\n \u{0}".utf8) + [0x80, 0xC3, 0xFF]
    for place in 0..<Self.sample.count {
      var bytes = telling + (0..<8).map { Self.sample[place] ^ (1 << $0) }
      for _ in 0..<4 {
        chance ^= chance << 13
        chance ^= chance >> 7
        chance ^= chance << 17
        bytes.append(UInt8(truncatingIfNeeded: chance))
      }
      for byte in bytes {
        var data = Self.sample
        data[place] = byte
        expectPlaced(data, "seed \(seed), byte \(place) as \(byte)")
      }
    }
  }
}
