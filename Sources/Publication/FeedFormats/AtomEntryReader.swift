import Foundation

/// One `entry` of Atom.
struct AtomEntryReader {
  var builder = ItemBuilder()
  private let links: DocumentLinks
  private var kind = XMLContent.text
  private var linkRank = 0
  private var body: String?

  /// - Parameter links: those of the document.
  init(base: String?, _ links: DocumentLinks) {
    self.links = links
    builder.base = base
  }

  /// - Returns: `nil` for a group that is to be entered.
  mutating func start(_ name: XMLName, isAtom: Bool, _ attributes: ElementAttributes, base: String?) -> XMLContent? {
    if name.vocabulary == .media { return startMedia(name, attributes) }
    if name.vocabulary == .dublinCore { return ["creator", "date"].contains(name.local) ? .text : .skip }
    guard isAtom else { return .skip }
    switch name.local {
    case "id", "published", "updated", "issued", "created", "modified": return .text
    case "title", "summary":
      kind = AtomText.content(attributes)
      return kind
    case "content": return startContent(attributes, base: base)
    case "link":
      startLink(attributes, base: base)
      return .skip
    default: return .skip
    }
  }

  private mutating func startMedia(_ name: XMLName, _ attributes: ElementAttributes) -> XMLContent? {
    let url = attributes["url"]
    switch name.local {
    case "thumbnail": builder.picture.offer(url, .thumbnail, width: attributes["width"])
    case "group": return nil
    case "content":
      if PictureChoice.isPicture(type: attributes["type"], medium: attributes["medium"], url: url) {
        builder.picture.offer(url, .media, width: attributes["width"])
      } else {
        builder.enclosures.add(.init(media: attributes))
      }
      return nil
    case "description": return .text
    default: break
    }
    return .skip
  }

  private mutating func startContent(_ attributes: ElementAttributes, base: String?) -> XMLContent {
    kind = AtomText.content(attributes)
    let type = attributes["type"]?.lowercased() ?? "text"
    if let url = attributes["src"] {
      // The content is elsewhere: its address is the post's, and it may be only a picture.
      if type.hasPrefix("image/") { builder.picture.offer(links.resolve(url, base), .media) }
      if linkRank == 0 { builder.item.link = links.resolve(url, base) }
      return .skip
    }
    if kind == .text, type.hasSuffix("+xml") || type.hasSuffix("/xml") {
      kind = .xhtml(unwrapped: true)
    } else if kind == .text, type.contains("/"), !type.hasPrefix("text/") {
      // Base64, which is neither text nor shown.
      return .skip
    }
    return kind
  }

  private mutating func startLink(_ attributes: ElementAttributes, base: String?) {
    guard let url = attributes["href"].map({ links.resolve($0, base) }) else { return }
    let type = attributes["type"]?.lowercased()
    switch attributes["rel"]?.lowercased() ?? "alternate" {
    case "alternate", "http://www.iana.org/assignments/relation/alternate":
      // Of several alternates, a page is what people want to open.
      let rank = type == nil || type?.contains("html") == true ? 3 : 2
      if rank > linkRank { (linkRank, builder.item.link) = (rank, url) }
    case "related", "via": if linkRank < 1 { (linkRank, builder.item.link) = (1, url) }
    case "enclosure":
      if PictureChoice.isPicture(type: type, url: url) { builder.picture.offer(url, .enclosure) }
      builder.enclosures.add(ParsedEnclosure(url: url, type: type, title: attributes["title"], length: attributes["length"]))
    default: break
    }
  }

  mutating func content(of name: XMLName, _ text: String, base: String?) {
    switch name.local {
    case "id": builder.item.id = text.nonEmpty
    case "title": builder.item.title = (kind == .text ? text.visibleText.asLine : text.asPlainLine).nonEmpty
    case "published", "issued": builder.item.published = FeedDate.parse(text) ?? builder.item.published
    case "created", "date": builder.item.published = builder.item.published ?? FeedDate.parse(text)
    case "updated", "modified": builder.item.updated = FeedDate.parse(text) ?? builder.item.updated
    case "creator": builder.people.add(text)
    case "summary":
      builder.item.summary = html(text)
      builder.summaryBase = base
    case "content":
      builder.item.body = html(text)
      builder.bodyBase = base
    case "description": if builder.item.summary.isEmpty { builder.item.summary = text.paragraphs }
    default: break
    }
  }

  private func html(_ text: String) -> String {
    if kind == .text { return text.paragraphs }
    return text.nonEmpty == nil ? "" : text
  }

  /// What was found, links in texts not resolved yet.
  func finished() -> ItemBuilder {
    var builder = builder
    if builder.item.link == nil, let id = builder.item.id, Links.isWeb(id) { builder.item.link = id }
    return builder
  }
}

extension String {
  /// Plain text as HTML: escaped, a paragraph for each run of lines between empty ones.
  var paragraphs: String {
    guard nonEmpty != nil else { return "" }
    var bytes: [UInt8] = []
    for paragraph in replacingASCII("\r\n", "\n").split(separator: "\n\n") {
      bytes.append(contentsOf: "<p>".utf8)
      Array(paragraph.utf8).withUnsafeBufferPointer { bytes.appendEscaped($0) }
      bytes.append(contentsOf: "</p>".utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
