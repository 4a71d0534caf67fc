import CXML2
import Runtime

/// An element's attributes: read in the memory of libxml2, so valid only while its start is reported, or the members of an object where RSS
/// is written as JSON.
struct ElementAttributes {
  private let start: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
  /// How many there are.
  let count: Int
  private let members: JSONNode?

  init(start: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, count: Int) {
    self.start = start
    self.count = count
    members = nil
  }

  init(_ members: JSONNode) {
    start = nil
    count = 0
    self.members = members
  }

  /// The value of an attribute without a namespace, white space at its ends removed; `nil` when it is absent or empty.
  subscript(name: StaticString) -> String? {
    if let members { return members[name.description]?.text?.nonEmpty }
    return value(name) { $0 == nil }
  }

  /// `xml:base`.
  var base: String? { count == 0 ? nil : value("base") { Self.isSame($0, "http://www.w3.org/XML/1998/namespace") } }

  /// `rdf:about`: the identifier of the thing that an element of RDF describes.
  var about: String? { value("about") { Self.isSame($0, "http://www.w3.org/1999/02/22-rdf-syntax-ns#") } }

  /// `rdf:parseType="Literal"`: the children are the text.
  var isLiteral: Bool { value("parseType") { Self.isSame($0, "http://www.w3.org/1999/02/22-rdf-syntax-ns#") } == "Literal" }

  /// Name and value of those without a namespace, as written.
  var plain: [(name: String, value: String)] {
    (0..<count).filter { uri($0) == nil }.map { (local($0).map { String(cString: $0) } ?? "", value($0)) }
  }

  /// The value of an attribute without a namespace, whose name is written in different cases: `xmlUrl`, `xmlurl`, `xmlURL`.
  subscript(ignoringCase name: StaticString) -> String? {
    for index in 0..<count where uri(index) == nil && xmlStrcasecmp(local(index), name.utf8Start) == 0 { return value(index).nonEmpty }
    return nil
  }

  private func value(_ name: StaticString, where isWanted: (UnsafePointer<xmlChar>?) -> Bool) -> String? {
    for index in 0..<count where Self.isSame(local(index), name) && isWanted(uri(index)) { return value(index).nonEmpty }
    return nil
  }

  private static func isSame(_ text: UnsafePointer<xmlChar>?, _ other: StaticString) -> Bool { xmlStrEqual(text, other.utf8Start) == 1 }

  // Five pointers an attribute: local name, prefix, namespace, start and end of the value.
  private func local(_ index: Int) -> UnsafePointer<xmlChar>? { start?[index * 5] }
  private func uri(_ index: Int) -> UnsafePointer<xmlChar>? { start?[index * 5 + 2] }
  private func value(_ index: Int) -> String {
    guard let from = start?[index * 5 + 3], let to = start?[index * 5 + 4], to > from else { return "" }
    let text = String(decoding: UnsafeBufferPointer(start: from, count: to - from), as: UTF8.self)
    // Since entities are never substituted, libxml2 hands on an ampersand as it stores it.
    return text.replacingASCII("&#38;", "&").streamSafe
  }
}
