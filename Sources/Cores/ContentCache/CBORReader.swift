import Foundation

/// Reads what ``CBORWriter`` wrote. The bytes come from a file and may be anything: on bad ones it fails rather than traps, and its
/// values are then meaningless.
struct CBORReader {
  private let bytes: UnsafeRawBufferPointer
  private var at = 0
  private(set) var hasFailed = false
  /// Whether earlier fields were skipped that no call has read yet.
  private var hasLeftSome = false

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Nothing more is found.
  @inline(never) private mutating func fail() {
    hasFailed = true
    at = bytes.count
  }

  /// The next byte, on which it stays; 0 behind the last.
  @inline(__always) private mutating func peek() -> UInt8 {
    guard at < bytes.count else {
      fail()
      return 0
    }
    return bytes[at]
  }

  @discardableResult mutating func open(_ container: CBORContainer) -> Bool {
    guard peek() == container.rawValue else {
      fail()
      return false
    }
    at += 1
    return true
  }

  /// Whether the last opened container is at its end; leaves it then.
  var isAtEnd: Bool {
    mutating get {
      let isAtEnd = peek() == 0xff || hasFailed
      if isAtEnd, !hasFailed { at += 1 }
      return isAtEnd
    }
  }

  /// Moves to the value of a field of the outermost map. The search begins behind the last found field: if fields are read in the order of
  /// writing, each is found at once.
  /// - Returns: whether there is such a field.
  mutating func find(_ name: StaticString, _ isOptional: Bool) -> Bool {
    if stepOver(name) { return true }
    let from = at
    var hasTurned = false
    while !hasFailed {
      if peek() == 0xff, !hasTurned {
        guard hasLeftSome else { break }
        (at, hasTurned) = (1, true)
      }
      if hasTurned, at >= from { break }
      if stepOver(name) {
        hasLeftSome = true
        return true
      }
      skip()
      skip()
    }
    guard !hasFailed else { return false }
    at = from
    if !isOptional { fail() }
    return false
  }

  /// Steps over a field's name, if it is this one.
  @inline(__always) private mutating func stepOver(_ name: StaticString) -> Bool {
    let count = name.utf8CodeUnitCount
    guard bytes.count - at > count, bytes[at] == 0x60 | UInt8(truncatingIfNeeded: count), let start = bytes.baseAddress,
      memcmp(start + at + 1, name.utf8Start, count) == 0
    else { return false }
    at += 1 + count
    return true
  }

  mutating func text() -> String { String(decoding: span(), as: UTF8.self) }

  /// Whether there is no value; steps over that then.
  var isNull: Bool {
    mutating get {
      guard peek() == 0xf6 else { return false }
      at += 1
      return true
    }
  }

  mutating func texts() -> [String] { texts { String(decoding: $0, as: UTF8.self) } }

  /// - Parameters:
  ///   - room: about how many there are, if that is known.
  ///   - text: makes one of its UTF-8, which is gone afterwards.
  mutating func texts(room: Int = 0, _ text: (UnsafeBufferPointer<UInt8>) throws -> String) rethrows -> [String] {
    var texts: [String] = []
    guard open(.array) else { return texts }
    texts.reserveCapacity(room)
    while !isAtEnd {
      let bytes = span()
      if !hasFailed { texts.append(try text(bytes)) }
    }
    return texts
  }

  mutating func bool() -> Bool {
    let byte = peek()
    guard byte == 0xf4 || byte == 0xf5 else {
      fail()
      return false
    }
    at += 1
    return byte == 0xf5
  }

  mutating func integer() -> Int {
    let (major, number) = head()
    guard major <= 1, let number = Int(exactly: number) else {
      fail()
      return 0
    }
    return major == 0 ? number : -1 - number
  }

  mutating func double() -> Double {
    guard peek() == 0xfb else {
      fail()
      return 0
    }
    return Double(bitPattern: head().number)
  }

  /// The bytes of a text.
  @inline(__always) private mutating func span() -> UnsafeBufferPointer<UInt8> {
    let (major, count) = head()
    guard major == 3, count <= UInt64(bytes.count - at) else {
      fail()
      return UnsafeBufferPointer(start: nil, count: 0)
    }
    defer { at += Int(count) }
    return UnsafeRawBufferPointer(rebasing: bytes[at..<at + Int(count)]).assumingMemoryBound(to: UInt8.self)
  }

  /// The first byte's kind, and the number that belongs to it.
  @inline(__always) private mutating func head() -> (major: UInt8, number: UInt64) {
    let first = peek()
    guard !hasFailed else { return (0xff, 0) }
    at += 1
    let low = first & 0x1f
    return low < 24 ? (first >> 5, UInt64(low)) : longHead(first)
  }

  private mutating func longHead(_ first: UInt8) -> (major: UInt8, number: UInt64) {
    let width = 1 << Int((first & 0x1f) - 24)
    guard first & 0x1f <= 27, bytes.count - at >= width else {
      fail()
      return (0xff, 0)
    }
    var number: UInt64 = 0
    for index in at..<at + width { number = number << 8 | UInt64(bytes[index]) }
    at += width
    return (first >> 5, number)
  }

  /// Steps over one item, and all that is in it.
  private mutating func skip(depth: Int = 0) {
    let first = peek()
    if first == CBORContainer.array.rawValue || first == CBORContainer.map.rawValue, depth < 64 {
      at += 1
      while !isAtEnd { skip(depth: depth + 1) }
      return
    }
    let (major, count) = head()
    switch major {
    case 2, 3:
      guard count <= UInt64(bytes.count - at) else { return fail() }
      at += Int(count)
    case 0, 1, 7: break
    default: fail()
    }
  }
}
