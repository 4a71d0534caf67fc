/// The vocabularies that feeds are written in.
enum XMLVocabulary {
  /// RSS itself, which has no namespace, although some publishers declare one.
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

  /// The name of a member in RSS-in-JSON, such as `pubDate` or `dc:creator`.
  init(member: String) {
    let parts = member.split(separator: ":", maxSplits: 1)
    self.init(
      XMLVocabulary(uri: nil, prefix: parts.count == 2 ? String(parts[0]) : nil), (parts.last.map(String.init) ?? member).lowercased())
  }
}
