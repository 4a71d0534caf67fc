import Foundation

/// Reads what ``StoredEncoder`` wrote. The bytes come from a file: whatever is in them, it throws rather than stops.
struct StoredDecoder {
  /// Decodes one value.
  /// - Throws: `DecodingError`.
  static func decode<Value: Decodable>(_ type: Value.Type = Value.self, from bytes: UnsafeRawBufferPointer) throws -> Value {
    let input = Input(bytes: bytes)
    // Where it ends does not matter: whoever reads it meets what is missing.
    return try Value(from: Node(input: input, start: 0))
  }
}

/// Where the bytes are, and how an item of them is read.
private struct Input {
  let bytes: UnsafeRawBufferPointer

  func damaged(_ what: String) -> DecodingError { .dataCorrupted(.init(codingPath: [], debugDescription: what)) }

  @inline(__always) func byte(_ at: Int) throws -> UInt8 {
    guard at < bytes.count else { throw damaged("the value is cut short") }
    return bytes[at]
  }

  /// The first byte's kind, and the number that belongs to it.
  @inline(__always) func head(_ at: inout Int) throws -> (major: UInt8, count: UInt64) {
    let first = try byte(at)
    at += 1
    let low = first & 0x1f
    guard low >= 24 else { return (first >> 5, UInt64(low)) }
    guard low <= 27 else { throw damaged("byte \(first) begins nothing") }
    let width = 1 << Int(low - 24)
    guard bytes.count - at >= width else { throw damaged("the value is cut short") }
    var number: UInt64 = 0
    for index in at..<at + width { number = number << 8 | UInt64(bytes[index]) }
    at += width
    return (first >> 5, number)
  }

  @inline(__always) func span(_ at: inout Int, _ count: UInt64) throws -> UnsafeRawBufferPointer {
    guard count <= UInt64(bytes.count - at) else { throw damaged("the value is cut short") }
    let start = at
    at += Int(count)
    return UnsafeRawBufferPointer(rebasing: bytes[start..<at])
  }

  @inline(__always) func text(_ at: inout Int) throws -> UnsafeRawBufferPointer {
    let (major, count) = try head(&at)
    guard major == 3 else { throw damaged("there is no text") }
    return try span(&at, count)
  }

  func string(_ at: inout Int) throws -> String { String(decoding: try text(&at), as: UTF8.self) }

  func integer<Number: FixedWidthInteger>(_ at: inout Int) throws -> Number {
    let (major, count) = try head(&at)
    switch major {
    case 0: if let number = Number(exactly: count) { return number }
    case 1: if count <= UInt64(Int64.max), let number = Number(exactly: -1 - Int64(count)) { return number }
    default: throw damaged("there is no integer")
    }
    throw damaged("the number does not fit")
  }

  func double(_ at: inout Int) throws -> Double {
    guard try byte(at) == 0xfb else { throw damaged("there is no number") }
    return Double(bitPattern: try head(&at).count)
  }

  func bool(_ at: inout Int) throws -> Bool {
    let first = try byte(at)
    at += 1
    guard first == 0xf4 || first == 0xf5 else { throw damaged("there is neither true nor false") }
    return first == 0xf5
  }

  func isNil(_ at: Int) throws -> Bool { try byte(at) == 0xf6 }

  func value<Value: Decodable>(at: inout Int) throws -> Value {
    if Value.self == String.self, let value = try string(&at) as? Value { return value }
    if Value.self == Date.self, let value = Date(timeIntervalSinceReferenceDate: try double(&at)) as? Value { return value }
    if Value.self == Data.self {
      let (major, count) = try head(&at)
      guard major == 2, let value = Data(try span(&at, count)) as? Value else { throw damaged("there are no bytes") }
      return value
    }
    let start = at
    try skip(&at)
    return try Value(from: Node(input: self, start: start))
  }

  /// Steps over one item, and all that is in it.
  func skip(_ at: inout Int, depth: Int = 0) throws {
    guard depth < 64 else { throw damaged("the value is too deep") }
    let first = try byte(at)
    if first == 0x9f || first == 0xbf {
      at += 1
      while try byte(at) != 0xff { try skip(&at, depth: depth + 1) }
      at += 1
      return
    }
    let (major, count) = try head(&at)
    switch major {
    case 2, 3: _ = try span(&at, count)
    case 0, 1, 7: break
    default: throw damaged("byte \(first) is not expected here")
    }
  }

  func start(_ at: Int, _ byte: UInt8, _ what: String) throws -> Int {
    guard try self.byte(at) == byte else { throw damaged("there is no \(what)") }
    return at + 1
  }
}

/// One item.
private struct Node: Decoder {
  let input: Input
  let start: Int
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed(input, try input.start(start, 0xbf, "map")))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try Unkeyed(input, try input.start(start, 0x9f, "array")) }
  func singleValueContainer() -> any SingleValueDecodingContainer { Single(input: input, start: start) }
}

/// A map. Fields are looked for behind the last one that was found: written and read in one order, each is found at once.
private final class Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let input: Input
  private let start: Int
  private var next: Int
  var codingPath: [any CodingKey] { [] }

  init(_ input: Input, _ start: Int) {
    self.input = input
    self.start = start
    next = start
  }

  /// Where the value of a field begins; `nil` without such a field.
  private func find(_ key: Key) throws -> Int? {
    var name = key.stringValue
    return try name.withUTF8 { name -> Int? in
      let from = next
      var (at, hasTurned) = (from, false)
      while true {
        if try input.byte(at) == 0xff {
          guard !hasTurned else { return nil }
          (at, hasTurned) = (start, true)
        }
        if hasTurned && at >= from { return nil }
        let found = try input.text(&at)
        if found.count == name.count, found.elementsEqual(name) { return at }
        try input.skip(&at)
      }
    }
  }

  @inline(__always) private func read<Value>(_ key: Key, _ body: (inout Int) throws -> Value) throws -> Value {
    guard var at = try find(key) else {
      throw DecodingError.keyNotFound(key, .init(codingPath: [], debugDescription: "there is no \(key.stringValue)"))
    }
    let value = try body(&at)
    next = at
    return value
  }

  @inline(__always) private func readIfPresent<Value>(_ key: Key, _ body: (inout Int) throws -> Value) throws -> Value? {
    guard var at = try find(key) else { return nil }
    guard try !input.isNil(at) else {
      next = at + 1
      return nil
    }
    let value = try body(&at)
    next = at
    return value
  }

  var allKeys: [Key] {
    var (keys, at) = ([Key](), start)
    while let byte = try? input.byte(at), byte != 0xff, let name = try? input.string(&at), (try? input.skip(&at)) != nil {
      if let key = Key(stringValue: name) { keys.append(key) }
    }
    return keys
  }

  func contains(_ key: Key) -> Bool { (try? find(key)) != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try find(key).map(input.isNil) ?? true }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try read(key) { try input.bool(&$0) } }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try read(key) { try input.string(&$0) } }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try read(key) { try input.double(&$0) } }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try read(key) { Float(try input.double(&$0)) } }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try read(key) { try input.integer(&$0) } }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try read(key) { try input.integer(&$0) } }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try read(key) { try input.integer(&$0) } }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try read(key) { try input.integer(&$0) } }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try read(key) { try input.integer(&$0) } }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try read(key) { try input.integer(&$0) } }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try read(key) { try input.integer(&$0) } }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try read(key) { try input.integer(&$0) } }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try read(key) { try input.integer(&$0) } }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try read(key) { try input.integer(&$0) } }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try read(key) { try input.value(at: &$0) } }
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try readIfPresent(key) { try input.bool(&$0) } }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try readIfPresent(key) { try input.string(&$0) } }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try readIfPresent(key) { try input.integer(&$0) } }
  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    try readIfPresent(key) { try input.value(at: &$0) }
  }
  func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
    try superDecoder(forKey: key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { try superDecoder(forKey: key).unkeyedContainer() }
  func superDecoder() throws -> any Decoder {
    guard let key = Key(stringValue: "super") else { throw input.damaged("there is no super") }
    return try superDecoder(forKey: key)
  }
  func superDecoder(forKey key: Key) throws -> any Decoder {
    try read(key) { at in
      let start = at
      try input.skip(&at)
      return Node(input: input, start: start)
    }
  }
}

private struct Unkeyed: UnkeyedDecodingContainer {
  private let input: Input
  private var at: Int
  let count: Int?
  private(set) var currentIndex = 0
  var codingPath: [any CodingKey] { [] }

  init(_ input: Input, _ start: Int) throws {
    self.input = input
    at = start
    var (count, at) = (0, start)
    while try input.byte(at) != 0xff {
      try input.skip(&at)
      count += 1
    }
    self.count = count
  }

  var isAtEnd: Bool { currentIndex >= count ?? 0 }

  private mutating func read<Value>(_ body: (inout Int) throws -> Value) throws -> Value {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(Value.self, .init(codingPath: [], debugDescription: "the array is at its end"))
    }
    let value = try body(&at)
    currentIndex += 1
    return value
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, try input.isNil(at) else { return false }
    at += 1
    currentIndex += 1
    return true
  }
  mutating func decode(_ type: Bool.Type) throws -> Bool { try read { [input] in try input.bool(&$0) } }
  mutating func decode(_ type: String.Type) throws -> String { try read { [input] in try input.string(&$0) } }
  mutating func decode(_ type: Double.Type) throws -> Double { try read { [input] in try input.double(&$0) } }
  mutating func decode(_ type: Float.Type) throws -> Float { try read { [input] in Float(try input.double(&$0)) } }
  mutating func decode(_ type: Int.Type) throws -> Int { try read { [input] in try input.integer(&$0) } }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try read { [input] in try input.integer(&$0) } }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try read { [input] in try input.integer(&$0) } }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try read { [input] in try input.integer(&$0) } }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try read { [input] in try input.integer(&$0) } }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try read { [input] in try input.integer(&$0) } }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try read { [input] in try input.integer(&$0) } }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try read { [input] in try input.integer(&$0) } }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try read { [input] in try input.integer(&$0) } }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try read { [input] in try input.integer(&$0) } }
  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try read { [input] in try input.value(at: &$0) } }
  mutating func nestedContainer<Nested>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    try superDecoder().container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try superDecoder().unkeyedContainer() }
  mutating func superDecoder() throws -> any Decoder {
    try read { [input] at in
      let start = at
      try input.skip(&at)
      return Node(input: input, start: start)
    }
  }
}

private struct Single: SingleValueDecodingContainer {
  let input: Input
  let start: Int
  var codingPath: [any CodingKey] { [] }

  private func read<Value>(_ body: (inout Int) throws -> Value) throws -> Value {
    var at = start
    return try body(&at)
  }

  func decodeNil() -> Bool { (try? input.isNil(start)) ?? false }
  func decode(_ type: Bool.Type) throws -> Bool { try read { try input.bool(&$0) } }
  func decode(_ type: String.Type) throws -> String { try read { try input.string(&$0) } }
  func decode(_ type: Double.Type) throws -> Double { try read { try input.double(&$0) } }
  func decode(_ type: Float.Type) throws -> Float { try read { Float(try input.double(&$0)) } }
  func decode(_ type: Int.Type) throws -> Int { try read { try input.integer(&$0) } }
  func decode(_ type: Int8.Type) throws -> Int8 { try read { try input.integer(&$0) } }
  func decode(_ type: Int16.Type) throws -> Int16 { try read { try input.integer(&$0) } }
  func decode(_ type: Int32.Type) throws -> Int32 { try read { try input.integer(&$0) } }
  func decode(_ type: Int64.Type) throws -> Int64 { try read { try input.integer(&$0) } }
  func decode(_ type: UInt.Type) throws -> UInt { try read { try input.integer(&$0) } }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try read { try input.integer(&$0) } }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try read { try input.integer(&$0) } }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try read { try input.integer(&$0) } }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try read { try input.integer(&$0) } }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    var at = start
    return try input.value(at: &at)
  }
}
