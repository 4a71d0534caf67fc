import CXML2

/// The names of a document's elements, each made once.
struct ElementNames {
  /// libxml2 has one copy of each name in a document, so that its address identifies a name.
  ///
  /// All three are hashed: the document chooses which of them differ.
  struct Key: Hashable {
    let local: UInt
    let prefix: UInt
    let uri: UInt
  }

  /// The namespace in which names without a prefix are those of RSS.
  var rssURI: UnsafePointer<xmlChar>?
  private var names: [Key: XMLName] = [:]
  /// By their namespaces: one may be as long as half of the document, and all names may be in it.
  private var vocabularies: [UnsafePointer<xmlChar>: XMLVocabulary] = [:]

  /// - Returns: `nil` for one more than ``XMLLimits/names``.
  mutating func name(_ local: UnsafePointer<xmlChar>, prefix: UnsafePointer<xmlChar>?, uri: UnsafePointer<xmlChar>?) -> XMLName? {
    let key = Key(local: UInt(bitPattern: local), prefix: UInt(bitPattern: prefix), uri: UInt(bitPattern: uri))
    if let known = names[key] { return known }
    guard names.count < Int(XMLLimits.names) else { return nil }
    let name = XMLName(vocabulary(prefix: prefix, uri: uri), String(cString: local).lowercased())
    names[key] = name
    return name
  }

  private mutating func vocabulary(prefix: UnsafePointer<xmlChar>?, uri: UnsafePointer<xmlChar>?) -> XMLVocabulary {
    guard let uri else { return XMLVocabulary(uri: nil, prefix: prefix.map { String(cString: $0) }) }
    if uri == rssURI, prefix == nil { return .plain }
    if let known = vocabularies[uri] { return known }
    let vocabulary = XMLVocabulary(uri: String(cString: uri), prefix: nil)
    vocabularies[uri] = vocabulary
    return vocabulary
  }
}
