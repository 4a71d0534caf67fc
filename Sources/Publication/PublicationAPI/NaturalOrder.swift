import Foundation

/// The order of names: without case, accents and width, and numbers by their value. The publication and the app sort by the same.
package enum NaturalOrder {
  /// What a name sorts by: "Part 2" comes before "Part 10".
  package static func key(_ name: String) -> String {
    let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
    let folded =
      isASCII ? name.lowercased() : name.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard folded.utf8.contains(where: digits.contains) else { return folded }
    var (key, number) = ([UInt8](), [UInt8]())
    for byte in folded.utf8 {
      if digits.contains(byte) {
        number.append(byte)
      } else {
        add(&number, to: &key)
        key.append(byte)
      }
    }
    add(&number, to: &key)
    return String(decoding: key, as: UTF8.self)
  }

  /// Adds a number: how many digits it has, and then these. The count is in digits too, so that numbers stay where they are among letters: a 9
  /// says that nine digits follow and how many more there are.
  private static func add(_ number: inout [UInt8], to key: inout [UInt8]) {
    guard !number.isEmpty else { return }
    let significant = number.drop { $0 == UInt8(ascii: "0") }
    key += Array(repeating: UInt8(ascii: "9"), count: significant.count / 9)
    key.append(UInt8(ascii: "0") + UInt8(significant.count % 9))
    key += significant
    number = []
  }
}
