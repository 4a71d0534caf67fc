import CXML2

/// The vocabularies that feeds are written in.
enum XMLVocabulary {
  /// RSS itself, which has no namespace, whatever some publishers declare for it.
  case plain
  case atom, content, dublinCore, media, itunes, xhtml, rdf, other

  /// - Parameters:
  ///   - uri: the namespace, if any.
  ///   - prefix: the prefix, which is all there is when a publisher forgot to declare it.
  init(uri: String?, prefix: String?) {
    guard let uri = uri?.lowercased() else {
      self = prefix.map(Self.init(undeclared:)) ?? .plain
      return
    }
    switch uri {
    case "", "http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/", "http://channel.netscape.com/rdf/simple/0.9/",
      "http://backend.userland.com/rss2", "http://blogs.law.harvard.edu/tech/rss", "http://cyber.law.harvard.edu/rss/rss.html",
      "http://backend.userland.com/rss", "http://backend.userland.com/blogchannelmodule":
      self = .plain
    case "http://www.w3.org/2005/atom", "http://purl.org/atom/ns#": self = .atom
    case "http://purl.org/rss/1.0/modules/content/": self = .content
    case "http://purl.org/dc/elements/1.1/", "http://purl.org/dc/elements/1.0/", "http://purl.org/dc/terms/": self = .dublinCore
    case "http://www.w3.org/1999/xhtml": self = .xhtml
    case "http://www.w3.org/1999/02/22-rdf-syntax-ns#": self = .rdf
    case _ where uri.contains("search.yahoo.com/mrss"): self = .media
    case _ where uri.contains("itunes.com/dtds/podcast"): self = .itunes
    default: self = .other
    }
  }

  private init(undeclared prefix: String) {
    switch prefix.lowercased() {
    case "atom": self = .atom
    case "content": self = .content
    case "dc", "dcterms": self = .dublinCore
    case "media": self = .media
    case "itunes": self = .itunes
    case "rdf": self = .rdf
    default: self = .other
    }
  }
}

/// An element's name: its vocabulary, and the rest in lower case since publishers write `pubdate` too.
struct XMLName: Equatable {
  var vocabulary: XMLVocabulary
  var local: String

  init(_ vocabulary: XMLVocabulary, _ local: String) {
    self.vocabulary = vocabulary
    self.local = local
  }
}

/// An element's attributes, read where they lie in the parser's memory: valid only while its start is reported.
struct XMLAttributes {
  let start: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
  let count: Int

  /// The value of an attribute without a namespace, white space at its ends removed; `nil` when it is absent or empty.
  subscript(name: String) -> String? {
    for index in 0..<count where local(index) == name && uri(index) == nil {
      let text = value(index).trimmed
      return text.isEmpty ? nil : text
    }
    return nil
  }

  /// `xml:base`.
  var base: String? {
    for index in 0..<count where local(index) == "base" && uri(index) == "http://www.w3.org/XML/1998/namespace" {
      let text = value(index).trimmed
      return text.isEmpty ? nil : text
    }
    return nil
  }

  /// Name and value of those without a namespace, as written.
  var plain: [(name: String, value: String)] {
    (0..<count).filter { uri($0) == nil }.map { (local($0), value($0)) }
  }

  // Five pointers an attribute: local name, prefix, namespace, start and end of the value.
  private func local(_ index: Int) -> String { start?[index * 5].map { String(cString: $0) } ?? "" }
  private func uri(_ index: Int) -> String? { start?[index * 5 + 2].map { String(cString: $0) } }
  private func value(_ index: Int) -> String {
    guard let from = start?[index * 5 + 3], let to = start?[index * 5 + 4], to > from else { return "" }
    let text = String(decoding: UnsafeBufferPointer(start: from, count: to - from), as: UTF8.self)
    // Since entities are never substituted, libxml2 hands on an ampersand as it stores it.
    return text.utf8.contains(UInt8(ascii: "&")) ? text.replacing("&#38;", with: "&") : text
  }
}
