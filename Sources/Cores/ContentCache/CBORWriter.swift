import Foundation

/// What begins a container of indefinite length.
enum CBORContainer: UInt8 {
  case array = 0x9f
  case map = 0xbf
}

/// Writes CBOR (RFC 8949), the part that entities need, into memory that is reused for each value.
struct CBORWriter: ~Copyable {
  /// Memory of its own: an array would be checked at every byte.
  private var memory: UnsafeMutablePointer<UInt8>?
  private var capacity = 0
  private var count = 0

  deinit { memory?.deallocate() }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

  mutating func begin() { count = 0 }

  mutating func open(_ container: CBORContainer) { put(container.rawValue) }

  mutating func close() { put(0xff) }

  /// A field's name.
  @inline(__always) mutating func write(_ name: StaticString) {
    bytes(3, UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  }

  mutating func write(_ name: StaticString, _ text: inout String) {
    write(name)
    text.withUTF8 { bytes(3, $0) }
  }

  mutating func write(_ name: StaticString, _ number: Int) {
    write(name)
    write(number)
  }

  mutating func write(_ name: StaticString, _ number: Double) {
    write(name)
    wide(0xfb, number.bitPattern)
  }

  mutating func write(_ name: StaticString, _ isTrue: Bool) {
    write(name)
    put(isTrue ? 0xf5 : 0xf4)
  }

  mutating func writeNull(_ name: StaticString) {
    write(name)
    put(0xf6)
  }

  mutating func write(_ name: StaticString, _ texts: [String]) {
    write(name)
    write(texts)
  }

  mutating func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes(3, $0) }
  }

  mutating func write(_ number: Int) {
    if number < 0 { head(1, UInt64(-1 - number)) } else { head(0, UInt64(number)) }
  }

  mutating func write(_ texts: [String]) {
    open(.array)
    for text in texts { write(text) }
    close()
  }

  /// Makes room, and moves on by as much.
  @inline(__always) private mutating func room(_ more: Int) -> UnsafeMutablePointer<UInt8> {
    if capacity - count >= more, let memory {
      defer { count += more }
      return memory + count
    }
    return grown(more)
  }

  @inline(never) private mutating func grown(_ more: Int) -> UnsafeMutablePointer<UInt8> {
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: (count + more) * 2)
    if let memory { larger.update(from: memory, count: count) }
    memory?.deallocate()
    (memory, capacity) = (larger, (count + more) * 2)
    defer { count += more }
    return larger + count
  }

  @inline(__always) private mutating func put(_ byte: UInt8) { room(1).pointee = byte }

  @inline(__always) private mutating func head(_ major: UInt8, _ number: UInt64) {
    if number < 24 { put(major << 5 | UInt8(number)) } else { longHead(major << 5, number) }
  }

  private mutating func longHead(_ major: UInt8, _ number: UInt64) {
    switch number {
    case ...0xff:
      put(major | 24)
      put(UInt8(number))
    case ...0xffff: wide(major | 25, UInt16(number))
    case ...0xffff_ffff: wide(major | 26, UInt32(number))
    default: wide(major | 27, number)
    }
  }

  private mutating func wide<Number: FixedWidthInteger>(_ head: UInt8, _ number: Number) {
    put(head)
    UnsafeMutableRawPointer(room(MemoryLayout<Number>.size)).storeBytes(of: number.bigEndian, as: Number.self)
  }

  @inline(__always) private mutating func bytes(_ major: UInt8, _ bytes: UnsafeBufferPointer<UInt8>) {
    head(major, UInt64(bytes.count))
    if let start = bytes.baseAddress { room(bytes.count).update(from: start, count: bytes.count) }
  }
}
