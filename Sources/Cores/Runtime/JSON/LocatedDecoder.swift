import Foundation

/// The state of decoding a file. Used by one call of `decode` at a time, on its own thread.
final class LocatedReading {
  let text: JSONText
  let root: JSONNode
  let userInfo: [CodingUserInfoKey: any Sendable]
  /// By the place of an object: which of its fields were decoded, including missing ones.
  private var requested: [Int: Set<String>] = [:]
  private var opened: [JSONNode] = []

  init(text: JSONText, root: JSONNode, userInfo: [CodingUserInfoKey: any Sendable]) {
    self.userInfo = userInfo
    self.text = text
    self.root = root
  }

  func opened(_ node: JSONNode) {
    if requested.updateValue(requested[node.range.lowerBound] ?? [], forKey: node.range.lowerBound) == nil { opened.append(node) }
  }

  func note(_ node: JSONNode, for name: String) { requested[node.range.lowerBound, default: []].insert(name) }

  func failure(_ node: JSONNode, _ problem: String) -> LocatedJSON.Failure { text.failure(at: node.range.lowerBound, problem) }

  /// Refuses the first field that no type decoded.
  func refuseUnknown() throws(LocatedJSON.Failure) {
    for node in opened.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      guard case .object(let members) = node.value else { continue }
      let allowed = requested[node.range.lowerBound] ?? []
      if let member = members.first(where: { !allowed.contains($0.name) }) { throw unknown(member, allowed.sorted()) }
    }
  }

  func unknown(_ member: JSONNode.Member, _ allowed: [String]) -> LocatedJSON.Failure {
    let hint: String
    if let near = Spelling.nearest(to: member.name, among: allowed) {
      hint = "; did you mean “\(near)”?"
    } else {
      hint = allowed.isEmpty ? "; the object is to be empty" : "; there can be \(Spelling.list(allowed))"
    }
    return text.failure(at: member.place, "there is no “\(member.name)” here\(hint)")
  }

  /// An error that a type threw while it was decoded from `node`, with its place.
  func failure(_ error: any Error, at node: JSONNode, _ path: [any CodingKey]) -> LocatedJSON.Failure {
    if let placed = error as? LocatedJSON.Failure { return placed }
    guard let error = error as? DecodingError else { return failure(node, "\(error)") }
    switch error {
    case .keyNotFound(let key, let context): return failure(find(context.codingPath) ?? node, "“\(key.stringValue)” is missing")
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      let text = context.debugDescription
      return failure(find(context.codingPath) ?? node, text.hasSuffix(".") ? String(text.dropLast()) : text)
    @unknown default: return failure(node, "\(error)")
    }
  }

  private func find(_ path: [any CodingKey]) -> JSONNode? {
    var node = root
    for key in path {
      switch node.value {
      case .object(let members):
        guard let member = members.first(where: { $0.name == key.stringValue }) else { return node }
        node = member.node
      case .array(let items):
        guard let index = key.intValue, items.indices.contains(index) else { return node }
        node = items[index]
      default: return node
      }
    }
    return node
  }
}

/// A value on its way into a type.
struct LocatedDecoder: Decoder {
  let node: JSONNode
  let codingPath: [any CodingKey]
  let reading: LocatedReading
  var userInfo: [CodingUserInfoKey: Any] { reading.userInfo }

  init(_ node: JSONNode, _ path: [any CodingKey], _ reading: LocatedReading) {
    self.node = node
    codingPath = path
    self.reading = reading
  }

  var verbatim: Data { Data(reading.text.bytes[node.range]) }

  var place: (line: Int, column: Int) {
    let failure = reading.failure(node, "")
    return (failure.line, failure.column)
  }

  func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
    do {
      if let plain = type as? any PlainJSON.Type {
        guard let value = try plain.init(node) as? Value else { throw PlainMismatch(expected: "\(type)") }
        return value
      }
      return try Value(from: self)
    } catch let mismatch as PlainMismatch {
      throw reading.failure(node, "expected \(mismatch.expected), found \(node.found)")
    } catch {
      if let words = type as? any (CaseIterable & RawRepresentable).Type, let allowed = Spelling.words(words) {
        throw reading.failure(node, Spelling.expected(allowed, found: node))
      }
      throw reading.failure(error, at: node, codingPath)
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = node.value else { throw reading.failure(node, "expected an object, found \(node.found)") }
    reading.opened(node)
    return KeyedDecodingContainer(LocatedFields(decoder: self, members: members))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let items) = node.value else { throw reading.failure(node, "expected a list, found \(node.found)") }
    return LocatedItems(decoder: self, items: items)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { LocatedSingle(decoder: self) }
}

private struct LocatedSingle: SingleValueDecodingContainer {
  let decoder: LocatedDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { if case .null = decoder.node.value { true } else { false } }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.value(type) }
}

private struct LocatedFields<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: LocatedDecoder
  let members: [JSONNode.Member]
  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { members.compactMap { Key(stringValue: $0.name) } }

  func contains(_ key: Key) -> Bool { member(key) != nil }
  /// Never: `null` does not stand for a missing field, since that would hide a mistake.
  func decodeNil(forKey key: Key) throws -> Bool { false }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try find(key).value(type) }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
    try find(key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { try find(key).unkeyedContainer() }
  func superDecoder() throws -> any Decoder { decoder }
  func superDecoder(forKey key: Key) throws -> any Decoder { try find(key) }

  private func member(_ key: Key) -> JSONNode.Member? {
    decoder.reading.note(decoder.node, for: key.stringValue)
    return members.first { $0.name == key.stringValue }
  }

  private func find(_ key: Key) throws -> LocatedDecoder {
    guard let member = member(key) else {
      // If an unknown field is spelled much like the missing one, the error is better placed there.
      let strangers = members.filter { Key(stringValue: $0.name) == nil }
      if let near = Spelling.nearest(to: key.stringValue, among: strangers.map(\.name)),
        let stranger = strangers.first(where: { $0.name == near })
      {
        throw decoder.reading.unknown(stranger, [key.stringValue])
      }
      throw decoder.reading.failure(decoder.node, "“\(key.stringValue)” is missing")
    }
    return LocatedDecoder(member.node, codingPath + [key], decoder.reading)
  }
}

private struct LocatedItems: UnkeyedDecodingContainer {
  let decoder: LocatedDecoder
  let items: [JSONNode]
  var currentIndex = 0
  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { items.count }
  var isAtEnd: Bool { currentIndex >= items.count }

  init(decoder: LocatedDecoder, items: [JSONNode]) {
    self.decoder = decoder
    self.items = items
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, case .null = items[currentIndex].value else { return false }
    currentIndex += 1
    return true
  }
  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().value(type) }
  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    try next().container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
  mutating func superDecoder() throws -> any Decoder { try next() }

  private mutating func next() throws -> LocatedDecoder {
    guard !isAtEnd else { throw decoder.reading.failure(decoder.node, "the list has \(items.count) values, which is too few") }
    defer { currentIndex += 1 }
    return LocatedDecoder(items[currentIndex], codingPath + [LocatedJSON.Step(intValue: currentIndex)], decoder.reading)
  }
}
