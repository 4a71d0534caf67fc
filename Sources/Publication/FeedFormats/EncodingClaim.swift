import Foundation
import Runtime

/// A document's byte order mark, or the pattern of its first bytes.
struct ByteOrderMark {
  /// UTF-16 or UTF-32, by a mark or by the zeros beside a first `<`, `{` or `[`; `nil` for one byte or more a character.
  let encoding: String?
  /// How many bytes the mark has.
  let length: Int

  /// Whether the encoding is determined by now.
  var isDecisive: Bool { encoding != nil || length > 0 }

  init(_ data: Data) {
    let bytes = [UInt8](data.prefix(8))
    let marks: [([UInt8], String?)] = [
      ([0xEF, 0xBB, 0xBF], nil), ([0xFF, 0xFE, 0, 0], "UTF-32LE"), ([0, 0, 0xFE, 0xFF], "UTF-32BE"), ([0xFF, 0xFE], "UTF-16LE"),
      ([0xFE, 0xFF], "UTF-16BE"),
    ]
    for (mark, encoding) in marks where bytes.starts(with: mark) {
      (self.encoding, length) = (encoding, mark.count)
      return
    }
    encoding = Self.pattern(bytes)
    length = 0
  }

  private static func pattern(_ bytes: [UInt8]) -> String? {
    guard bytes.count >= 4 else { return nil }
    let zeros = bytes.map { $0 == 0 }
    func isFirst(_ index: Int) -> Bool { bytes.count > index && "<{[".utf8.contains(bytes[index]) }
    if isFirst(0), zeros[1], zeros[2], zeros[3] { return "UTF-32LE" }
    if isFirst(3), zeros[0], zeros[1], zeros[2], bytes.count == 8, zeros[4], zeros[5], zeros[6] { return "UTF-32BE" }
    if isFirst(0), zeros[1], !zeros[2], zeros[3] { return "UTF-16LE" }
    if isFirst(1), zeros[0], zeros[2], !zeros[3] { return "UTF-16BE" }
    return nil
  }
}

/// An encoding that the document or the server names.
struct EncodingClaim {
  /// In lower case.
  let name: String
  /// The place of the document's claim, in bytes from the text's beginning; 0 for the server's.
  let offset: Int

  /// Nothing is declared, so it is UTF-8 (XML 1.0, 4.3.3; RFC 8259, 8.1).
  static let none = EncodingClaim(name: "utf-8", offset: 0)

  var isUTF8: Bool { name == "utf-8" || name == "utf8" }

  /// Whether nearly every text is valid in it, so that validity does not prove the claim: one byte a character, and all or most bytes are
  /// defined.
  var isWestern: Bool {
    isLatin1 || ["us-ascii", "ascii", "ansi_x3.4-1968", "iso-8859-15", "iso8859-15", "latin-9"].contains(name)
  }

  /// ISO 8859-1, read as Windows-1252, as every browser does (https://encoding.spec.whatwg.org): its control characters are in no feed.
  var isLatin1: Bool {
    ["iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1", "l1", "windows-1252", "cp1252", "cp-1252", "x-cp1252"].contains(name)
  }

  /// Whether it looks like a name at all, without anything that a converter takes for an option.
  var isName: Bool {
    !name.isEmpty && name.utf8.count < 40 && name.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_.:+".utf8.contains($0) }
  }

  /// The converter's name for it: the larger set where a name means more in practice than by its standard, as browsers have it.
  var converter: String {
    switch name {
    case "shift_jis", "shift-jis", "sjis", "x-sjis": "CP932"
    case "gb2312", "gbk", "x-gbk", "gb_2312-80": "GB18030"
    case "euc-kr", "ks_c_5601-1987", "ks_c_5601-1989", "ksc5601": "CP949"
    default: name
    }
  }

  private init(name: String, offset: Int) {
    self.name = name.lowercased()
    self.offset = offset
  }

  /// What an XML declaration says; `nil` when it says nothing.
  init?(_ text: Data) {
    let start = [UInt8](text.prefix(256))
    guard start.starts(with: "<?xml".utf8), let end = start.firstIndex(of: UInt8(ascii: ">")) else { return nil }
    let declaration = start[..<end]
    let word = Array("encoding".utf8)
    guard var position = declaration.indices.first(where: { declaration[$0...].starts(with: word) }) else { return nil }
    position += word.count
    while position < end, declaration[position].isASCIIBlank || declaration[position] == UInt8(ascii: "=") { position += 1 }
    guard position < end, declaration[position] == UInt8(ascii: "\"") || declaration[position] == UInt8(ascii: "'") else { return nil }
    let name = declaration[(position + 1)...].prefix { $0 != declaration[position] }
    self.init(name: String(decoding: name, as: UTF8.self), offset: position + 1)
  }

  /// A server's claim (`Content-Type: text/xml; charset="utf-8"`); `nil` without one.
  init?(contentType: String) {
    for parameter in contentType.streamSafe.split(separator: ";").dropFirst() {
      let parts = parameter.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, String(parts[0]).trimmed.lowercased() == "charset" else { continue }
      let name = String(parts[1]).trimmed.filter { $0 != "\"" && $0 != "'" }
      guard !name.isEmpty else { continue }
      self.init(name: name, offset: 0)
      return
    }
    return nil
  }
}
