import Foundation

extension CommentRow {
  /// A piece of a comment's text, from beginning to end.
  public struct Part: Equatable, Sendable {
    /// As it was written.
    public var text: String
    /// Whether it is an address on the web, http or https, which leads there.
    public var isLink: Bool
  }

  /// The text, with the addresses in it set apart: what people write has no other links.
  public var parts: [Part] { Self.parts(of: text) }

  static func parts(of text: String) -> [Part] {
    var (parts, rest) = ([Part](), text.startIndex)
    for match in text.matches(of: /(?i)\bhttps?:\/\/[^\s<>"“”„«»]+/) {
      let address = address(in: text[match.range])
      guard URL(string: address)?.host()?.isEmpty == false else { continue }
      if rest < match.range.lowerBound { parts.append(Part(text: String(text[rest..<match.range.lowerBound]), isLink: false)) }
      parts.append(Part(text: address, isLink: true))
      rest = text.index(match.range.lowerBound, offsetBy: address.count)
    }
    if rest < text.endIndex { parts.append(Part(text: String(text[rest...]), isLink: false)) }
    return parts
  }

  /// Without what ends the sentence around it, and without a bracket that was opened before it.
  private static func address(in found: Substring) -> String {
    var address = found
    while let last = address.last {
      if ".,;:!?'’*_".contains(last) {
        address.removeLast()
      } else if let open = [")": "(", "]": "[", "}": "{"][String(last)],
        address.count(where: { $0 == last }) > address.count(where: { String($0) == open })
      {
        address.removeLast()
      } else {
        break
      }
    }
    return String(address)
  }
}
