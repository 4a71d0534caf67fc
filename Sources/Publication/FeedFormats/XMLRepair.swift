import CXML2
import Foundation

/// Repairs the most common mistakes of publishers: unescaped ampersands, the named characters of HTML, and control characters.
///
/// Only used when a document failed for one of these; lines stay where they are. CDATA sections and comments are left alone.
enum XMLRepair {
  /// Whether a repair may help after an error.
  static func mayHelp(_ code: xmlParserErrors) -> Bool {
    [
      XML_ERR_UNDECLARED_ENTITY, XML_ERR_NAME_REQUIRED, XML_ERR_ENTITYREF_SEMICOL_MISSING, XML_ERR_INVALID_CHAR,
      XML_ERR_INVALID_CHARREF, XML_ERR_INVALID_DEC_CHARREF, XML_ERR_INVALID_HEX_CHARREF, XML_ERR_ENTITYREF_NO_NAME,
      // Of a control character in one.
      XML_ERR_CDATA_NOT_FINISHED,
    ].contains(code)
  }

  /// - Parameter data: a document whose ASCII characters are one byte each.
  static func repaired(_ data: Data) -> Data { data.withUnsafeBytes { repaired($0.bindMemory(to: UInt8.self)) } }

  private static func repaired(_ bytes: UnsafeBufferPointer<UInt8>) -> Data {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + bytes.count / 16)
    var position = 0
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "<"), let end = protected(bytes, position) {
        // Control characters are refused in there too.
        result.append(contentsOf: bytes[position..<end].lazy.filter { !isControl($0) })
        position = end
      } else if byte == UInt8(ascii: "&") {
        position = reference(bytes, position, &result)
      } else {
        if !isControl(byte) { result.append(byte) }
        position += 1
      }
    }
    return Data(result)
  }

  private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D }

  /// The end of a CDATA section or comment that starts here.
  private static func protected(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int? {
    for (opening, closing) in sections where bytes[start...].starts(with: opening) {
      return bytes.end(of: closing, from: start + opening.utf8CodeUnitCount) ?? bytes.count
    }
    return nil
  }

  private static let sections: [(StaticString, StaticString)] = [("<![CDATA[", "]]>"), ("<!--", "-->")]

  /// Writes what an ampersand starts, and says where it ends.
  private static func reference(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ result: inout [UInt8]) -> Int {
    let rest = bytes[(start + 1)...].prefix(40)
    let name = rest.prefix { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "#") }
    let isEnded = rest.dropFirst(name.count).first == UInt8(ascii: ";")
    guard isEnded else {
      result.append(contentsOf: "&amp;".utf8)
      return start + 1
    }
    let end = start + 1 + name.count + 1
    let text = String(decoding: name, as: UTF8.self)
    if text.hasPrefix("#") {
      if isCharacter(text.dropFirst()) { result.append(contentsOf: bytes[start..<end]) } else { result.append(contentsOf: "&#xFFFD;".utf8) }
      return end
    }
    if ["amp", "lt", "gt", "quot", "apos"].contains(text) {
      result.append(contentsOf: bytes[start..<end])
      return end
    }
    if let entity = htmlEntityLookup(text) {
      result.append(contentsOf: "&#\(entity.pointee.value);".utf8)
      return end
    }
    result.append(contentsOf: "&amp;".utf8)
    return start + 1
  }

  /// Whether XML allows a character by that number.
  private static func isCharacter(_ number: Substring) -> Bool {
    let isHexadecimal = number.hasPrefix("x")
    guard let value = UInt32(isHexadecimal ? number.dropFirst() : number, radix: isHexadecimal ? 16 : 10) else { return false }
    return value == 9 || value == 10 || value == 13 || (value >= 0x20 && Unicode.Scalar(value) != nil && value != 0xFFFE && value != 0xFFFF)
  }
}
