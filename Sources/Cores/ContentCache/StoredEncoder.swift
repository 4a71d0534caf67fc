import Foundation

/// Writes values as CBOR (RFC 8949): the form in which ``EntityStore`` keeps entities. Fields have their names, so that an entity can gain
/// and lose some; against JSON it takes a tenth of the time, and dates keep every bit.
///
/// Maps and arrays are of indefinite length. Containers are written one after the other, as synthesized conformances do.
struct StoredEncoder {
  private let output = Output()

  /// Encodes one value; `body` gets the bytes, which are gone afterwards.
  /// - Throws: what the value's `encode(to:)` throws, and `body`.
  func encode<Result>(_ value: some Encodable, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
    output.begin()
    try output.write(value)
    return try body(output.bytes)
  }

  /// Encodes one value.
  /// - Throws: what the value's `encode(to:)` throws.
  func encode(_ value: some Encodable) throws -> Data { try encode(value) { Data($0) } }
}

private final class Output: Encoder {
  /// Memory of its own: an array would be checked at every byte.
  private var memory: UnsafeMutablePointer<UInt8>
  private var capacity = 1024
  private var count = 0
  /// How many maps and arrays are open.
  private var depth = 0
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init() { memory = .allocate(capacity: capacity) }

  deinit { memory.deallocate() }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

  func begin() { (count, depth) = (0, 0) }

  func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Keyed(output: self, depth: open(0xbf)))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { Unkeyed(output: self, depth: open(0x9f)) }
  func singleValueContainer() -> any SingleValueEncodingContainer { Single(output: self) }

  func open(_ byte: UInt8) -> Int {
    put(byte)
    depth += 1
    return depth
  }

  /// Closes what is open further in: nobody says when a container is done.
  @inline(__always) func close(to depth: Int) {
    while self.depth > depth {
      put(0xff)
      self.depth -= 1
    }
  }

  /// Makes room, and moves on by as much.
  @inline(__always) private func room(_ more: Int) -> UnsafeMutablePointer<UInt8> {
    if capacity - count < more { grow(more) }
    defer { count += more }
    return memory + count
  }

  @inline(never) private func grow(_ more: Int) {
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: (capacity + more) * 2)
    larger.update(from: memory, count: count)
    memory.deallocate()
    (memory, capacity) = (larger, (capacity + more) * 2)
  }

  @inline(__always) private func put(_ byte: UInt8) { room(1).pointee = byte }

  @inline(__always) private func head(_ major: UInt8, _ number: UInt64) {
    if number < 24 { put(major << 5 | UInt8(number)) } else { longHead(major << 5, number) }
  }

  private func longHead(_ major: UInt8, _ number: UInt64) {
    switch number {
    case ...0xff:
      put(major | 24)
      put(UInt8(number))
    case ...0xffff: wide(major | 25, UInt16(number))
    case ...0xffff_ffff: wide(major | 26, UInt32(number))
    default: wide(major | 27, number)
    }
  }

  private func wide<Number: FixedWidthInteger>(_ head: UInt8, _ number: Number) {
    put(head)
    let bytes = room(MemoryLayout<Number>.size)
    UnsafeMutableRawPointer(bytes).storeBytes(of: number.bigEndian, as: Number.self)
  }

  @inline(__always) private func bytes(_ major: UInt8, _ bytes: UnsafeBufferPointer<UInt8>) {
    head(major, UInt64(bytes.count))
    if let start = bytes.baseAddress { room(bytes.count).update(from: start, count: bytes.count) }
  }

  @inline(__always) func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes(3, $0) }
  }

  func write<Number: BinaryInteger>(integer number: Number) {
    if number < 0 { head(1, UInt64(-1 - Int64(number))) } else { head(0, UInt64(number)) }
  }

  func write(_ number: Double) { wide(0xfb, number.bitPattern) }
  func write(_ isTrue: Bool) { put(isTrue ? 0xf5 : 0xf4) }
  func writeNil() { put(0xf6) }

  func write<Value: Encodable>(_ value: Value) throws {
    if Value.self == String.self, let text = value as? String { return write(text) }
    // The same bits come back.
    if Value.self == Date.self, let date = value as? Date { return write(date.timeIntervalSinceReferenceDate) }
    if Value.self == Data.self, let data = value as? Data {
      return data.withUnsafeBytes { bytes(2, $0.assumingMemoryBound(to: UInt8.self)) }
    }
    let (before, start) = (depth, count)
    try value.encode(to: self)
    close(to: before)
    // A value that wrote nothing has no fields.
    if count == start {
      put(0xbf)
      put(0xff)
    }
  }
}

private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let output: Output
  let depth: Int
  var codingPath: [any CodingKey] { [] }

  @inline(__always) private func at(_ key: Key) -> Output {
    output.close(to: depth)
    output.write(key.stringValue)
    return output
  }

  func encodeNil(forKey key: Key) { at(key).writeNil() }
  func encode(_ value: Bool, forKey key: Key) { at(key).write(value) }
  func encode(_ value: String, forKey key: Key) { at(key).write(value) }
  func encode(_ value: Double, forKey key: Key) { at(key).write(value) }
  func encode(_ value: Float, forKey key: Key) { at(key).write(Double(value)) }
  func encode(_ value: Int, forKey key: Key) { at(key).write(integer: value) }
  func encode(_ value: Int8, forKey key: Key) { at(key).write(integer: value) }
  func encode(_ value: Int16, forKey key: Key) { at(key).write(integer: value) }
  func encode(_ value: Int32, forKey key: Key) { at(key).write(integer: value) }
  func encode(_ value: Int64, forKey key: Key) { at(key).write(integer: value) }
  func encode(_ value: UInt, forKey key: Key) { at(key).write(integer: value) }
  func encode(_ value: UInt8, forKey key: Key) { at(key).write(integer: value) }
  func encode(_ value: UInt16, forKey key: Key) { at(key).write(integer: value) }
  func encode(_ value: UInt32, forKey key: Key) { at(key).write(integer: value) }
  func encode(_ value: UInt64, forKey key: Key) { at(key).write(integer: value) }
  func encode(_ value: some Encodable, forKey key: Key) throws { try at(key).write(value) }
  func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
    at(key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { at(key).unkeyedContainer() }
  func superEncoder() -> any Encoder {
    output.close(to: depth)
    output.write("super")
    return output
  }
  func superEncoder(forKey key: Key) -> any Encoder { at(key) }
}

private struct Unkeyed: UnkeyedEncodingContainer {
  let output: Output
  let depth: Int
  var count = 0
  var codingPath: [any CodingKey] { [] }

  private mutating func next() -> Output {
    output.close(to: depth)
    count += 1
    return output
  }

  mutating func encodeNil() { next().writeNil() }
  mutating func encode(_ value: Bool) { next().write(value) }
  mutating func encode(_ value: String) { next().write(value) }
  mutating func encode(_ value: Double) { next().write(value) }
  mutating func encode(_ value: Float) { next().write(Double(value)) }
  mutating func encode(_ value: Int) { next().write(integer: value) }
  mutating func encode(_ value: Int8) { next().write(integer: value) }
  mutating func encode(_ value: Int16) { next().write(integer: value) }
  mutating func encode(_ value: Int32) { next().write(integer: value) }
  mutating func encode(_ value: Int64) { next().write(integer: value) }
  mutating func encode(_ value: UInt) { next().write(integer: value) }
  mutating func encode(_ value: UInt8) { next().write(integer: value) }
  mutating func encode(_ value: UInt16) { next().write(integer: value) }
  mutating func encode(_ value: UInt32) { next().write(integer: value) }
  mutating func encode(_ value: UInt64) { next().write(integer: value) }
  mutating func encode(_ value: some Encodable) throws { try next().write(value) }
  mutating func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> { next().container(keyedBy: type) }
  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
  mutating func superEncoder() -> any Encoder { next() }
}

private struct Single: SingleValueEncodingContainer {
  let output: Output
  var codingPath: [any CodingKey] { [] }

  func encodeNil() { output.writeNil() }
  func encode(_ value: Bool) { output.write(value) }
  func encode(_ value: String) { output.write(value) }
  func encode(_ value: Double) { output.write(value) }
  func encode(_ value: Float) { output.write(Double(value)) }
  func encode(_ value: Int) { output.write(integer: value) }
  func encode(_ value: Int8) { output.write(integer: value) }
  func encode(_ value: Int16) { output.write(integer: value) }
  func encode(_ value: Int32) { output.write(integer: value) }
  func encode(_ value: Int64) { output.write(integer: value) }
  func encode(_ value: UInt) { output.write(integer: value) }
  func encode(_ value: UInt8) { output.write(integer: value) }
  func encode(_ value: UInt16) { output.write(integer: value) }
  func encode(_ value: UInt32) { output.write(integer: value) }
  func encode(_ value: UInt64) { output.write(integer: value) }
  func encode(_ value: some Encodable) throws { try output.write(value) }
}
