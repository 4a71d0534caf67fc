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

  /// The converter's name for it: the larger set where a name means more in practice than by its standard; `nil` for what browsers do not
  /// read either (https://encoding.spec.whatwg.org). A stranger does not choose among all of glibc's converters, some of which are seldom
  /// tried.
  var converter: String? {
    switch name {
    case "us-ascii", "ascii", "ansi_x3.4-1968": "ASCII"
    case "utf-16", "utf-16le", "utf-16be", "utf-32", "utf-32le", "utf-32be": name
    case "shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "windows-31j", "cp932": "CP932"
    case "euc-jp", "x-euc-jp": "EUC-JP"
    case "iso-2022-jp": "ISO-2022-JP"
    case "gb2312", "gbk", "x-gbk", "gb_2312-80", "gb18030", "cp936": "GB18030"
    case "big5", "big5-hkscs", "cn-big5", "x-x-big5": "BIG5-HKSCS"
    case "euc-kr", "ks_c_5601-1987", "ks_c_5601-1989", "ksc5601", "windows-949", "cp949": "CP949"
    case "koi8-r", "koi8", "koi": "KOI8-R"
    case "koi8-u", "koi8-ru": "KOI8-U"
    case "ibm866", "cp866", "866": "CP866"
    case "windows-874", "cp874", "tis-620", "iso-8859-11": "CP874"
    case "macintosh", "mac", "x-mac-roman": "MACINTOSH"
    case "x-mac-cyrillic", "x-mac-ukrainian": "MAC-CYRILLIC"
    case "latin-2", "latin2", "l2": "ISO-8859-2"
    case "latin-5", "latin5", "l5": "ISO-8859-9"
    case "latin-9", "latin9", "l9": "ISO-8859-15"
    default:
      numbered("iso-8859-", "iso8859-", "iso_8859-", in: 2...16, as: "ISO-8859-")
        ?? numbered("windows-", "cp", "cp-", "x-cp", in: 1250...1258, as: "CP")
    }
  }

  private func numbered(_ beginnings: String..., in numbers: ClosedRange<Int>, as converter: String) -> String? {
    let ends = beginnings.lazy.filter { name.hasPrefix($0) }.map { name.dropFirst($0.count) }
    return ends.compactMap { Int($0) }.first { numbers.contains($0) && $0 != 12 }.map { "\(converter)\($0)" }
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
