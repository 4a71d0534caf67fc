import Foundation

/// The fields of an entity on their way into an ``EntityStore`` or out of it.
///
/// An entity lists them once for both ways, in ``Entity/fields(_:)``. Fields are found by name, so an entity can gain, lose and reorder
/// fields, and earlier stored values stay readable. In the file they are CBOR (RFC 8949), a map of indefinite length. A value of `nil` is
/// written as null, since finding out that a field is missing costs a search through all others.
public struct FieldCoder: ~Copyable {
  /// Whether fields come out of the entity store.
  @usableFromInline let isReading: Bool
  private var writer: CBORWriter
  private var reader: CBORReader

  /// A form to write with, any number of values.
  init() {
    isReading = false
    writer = CBORWriter()
    reader = CBORReader(UnsafeRawBufferPointer(start: nil, count: 0))
  }

  private init(_ bytes: UnsafeRawBufferPointer) {
    isReading = true
    writer = CBORWriter()
    reader = CBORReader(bytes)
  }

  /// Writes a value; `body` gets the bytes, which are gone afterwards.
  mutating func write<Result>(_ value: consuming some Entity, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    writer.begin()
    writer.open(.map)
    value.fields(&self)
    writer.close()
    return try body(writer.bytes)
  }

  /// Reads a value's fields.
  /// - Returns: whether the bytes are such a value. They come from a file, and may be anything.
  static func read(_ value: inout some Entity, from bytes: UnsafeRawBufferPointer) -> Bool {
    var form = FieldCoder(bytes)
    form.reader.open(.map)
    value.fields(&form)
    return !form.reader.hasFailed
  }

  /// About how many bytes an id takes in a list, which does not say how many it has.
  static let usualID = 32

  /// A list of texts by itself.
  static func bytes(_ texts: [String]) -> Data {
    var form = FieldCoder()
    form.writer.write(texts)
    return Data(form.writer.bytes)
  }

  /// Reads a list of texts; `nil` when the bytes are no such list.
  static func texts(from bytes: UnsafeRawBufferPointer) -> [String]? { texts(from: bytes) { String(decoding: $0, as: UTF8.self) } }

  /// Reads a list of texts, each made by `text` of its UTF-8, which is gone afterwards; `nil` when the bytes are no such list.
  static func texts(from bytes: UnsafeRawBufferPointer, _ text: (UnsafeBufferPointer<UInt8>) throws -> String) rethrows -> [String]? {
    var reader = CBORReader(bytes)
    let texts = try reader.texts(room: bytes.count / usualID, text)
    return reader.hasFailed ? nil : texts
  }

  // MARK: Fields

  /// A text.
  /// - Parameters:
  ///   - name: the field's name, at most 23 bytes.
  ///   - text: the field.
  ///   - isOptional: if true, a field that is missing in the file, as one that the entity has gained since, keeps its value. If false, the whole
  ///     entity counts as not stored.
  public mutating func field(_ name: StaticString, _ text: inout String, isOptional: Bool = false) {
    if !isReading { writer.write(name, &text) } else if reader.find(name, isOptional) { text = reader.text() }
  }

  /// A text, where there is one.
  public mutating func field(_ name: StaticString, _ text: inout String?) {
    if isReading {
      text = reader.find(name, true) && !reader.isNull ? reader.text() : nil
    } else if text != nil {
      writer.write(name, &text!)
    } else {
      writer.writeNull(name)
    }
  }

  /// Writes or reads a Boolean. An optional one that is missing keeps its value.
  public mutating func field(_ name: StaticString, _ isTrue: inout Bool, isOptional: Bool = false) {
    if !isReading { writer.write(name, isTrue) } else if reader.find(name, isOptional) { isTrue = reader.bool() }
  }

  /// Writes or reads a whole number. An optional one that is missing keeps its value.
  public mutating func field(_ name: StaticString, _ number: inout Int, isOptional: Bool = false) {
    if !isReading { writer.write(name, number) } else if reader.find(name, isOptional) { number = reader.integer() }
  }

  /// A whole number, where there is one.
  public mutating func field(_ name: StaticString, _ number: inout Int?) {
    if isReading {
      number = reader.find(name, true) && !reader.isNull ? reader.integer() : nil
    } else if let number {
      writer.write(name, number)
    } else {
      writer.writeNull(name)
    }
  }

  /// A date, stored as seconds in a `Double`: it is read exactly as it was written.
  public mutating func field(_ name: StaticString, _ date: inout Date, isOptional: Bool = false) {
    if !isReading {
      writer.write(name, date.timeIntervalSinceReferenceDate)
    } else if reader.find(name, isOptional) {
      date = Date(timeIntervalSinceReferenceDate: reader.double())
    }
  }

  /// A list of texts, whose order is kept.
  public mutating func field(_ name: StaticString, _ texts: inout [String], isOptional: Bool = false) {
    if !isReading { writer.write(name, texts) } else if reader.find(name, isOptional) { texts = reader.texts() }
  }

  /// An optional enum, stored as its raw text.
  @inlinable public mutating func field<Word: RawRepresentable<String>>(_ name: StaticString, _ word: inout Word?) {
    var text = word?.rawValue
    field(name, &text)
    if isReading { word = text.flatMap(Word.init) }
  }

  /// The count of each kind, in their order; a kind that this version does not know is left out. A kind may be there twice, if the stored
  /// bytes say so.
  @inlinable public mutating func field<Kind: RawRepresentable<String>>(
    _ name: StaticString, _ counts: inout [(kind: Kind, count: Int)], isOptional: Bool = false
  ) {
    guard isReading else {
      openCounts(name)
      for (kind, count) in counts { write(kind.rawValue, count) }
      return closeCounts()
    }
    guard findCounts(name, isOptional) else { return }
    counts = []
    while let (word, count) = nextCount() {
      guard let kind = Kind(rawValue: word) else { continue }
      // Room for one: most lists have no second one, and a growing array reserves room for several.
      if counts.isEmpty { counts = [(kind, count)] } else { counts.append((kind, count)) }
    }
  }

  @usableFromInline mutating func openCounts(_ name: StaticString) {
    writer.write(name)
    writer.open(.map)
  }

  @usableFromInline mutating func write(_ word: String, _ count: Int) {
    writer.write(word)
    writer.write(count)
  }

  @usableFromInline mutating func closeCounts() { writer.close() }

  @usableFromInline mutating func findCounts(_ name: StaticString, _ isOptional: Bool) -> Bool {
    guard reader.find(name, isOptional) else { return false }
    return reader.open(.map)
  }

  @usableFromInline mutating func nextCount() -> (word: String, count: Int)? {
    reader.isAtEnd ? nil : (reader.text(), reader.integer())
  }
}
