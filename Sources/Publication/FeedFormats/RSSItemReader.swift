import Foundation

/// One `item` of RSS, of any version.
struct RSSItemReader {
  private var builder = ItemBuilder()
  private var depth = 0
  private var isPermalink = true
  private let rdfID: String?
  /// Texts of one meaning, better ones first.
  private var encoded: String?
  private var description: String?
  private var otherTitle: String?
  private var creators: [String] = []
  private var authors: [String] = []

  /// - Parameter id: what RDF calls the item.
  init(id: String?, base: String?) {
    builder.base = base
    rdfID = id
  }

  /// Whether an element inside the item is open.
  var isNested: Bool { depth > 0 }

  mutating func start(_ name: XMLName, _ attributes: ElementAttributes, base: String?) -> XMLContent {
    switch (name.vocabulary, name.local) {
    case (.plain, "title"), (.plain, "link"), (.plain, "author"), (.plain, "pubdate"), (.plain, "image"), (.plain, "thumbnail"),
      (.plain, "bigimage"), (.dublinCore, "creator"), (.dublinCore, "date"), (.dublinCore, "issued"), (.dublinCore, "created"),
      (.dublinCore, "modified"), (.dublinCore, "title"), (.atom, "updated"), (.atom, "published"), (.atom, "name"), (.itunes, "author"),
      (.itunes, "duration"):
      return .text
    case (.plain, "guid"):
      isPermalink = attributes["isPermaLink"]?.lowercased() != "false"
      return .text
    case (.content, "encoded") where attributes.isLiteral, (.rdf, "value") where attributes.isLiteral: return .xhtml(unwrapped: false)
    case (.plain, "description"), (.content, "encoded"), (.rdf, "value"), (.dublinCore, "description"), (.atom, "summary"),
      (.atom, "content"), (.itunes, "summary"):
      return .html
    case (.xhtml, "body"), (.xhtml, "div"): return .xhtml(unwrapped: false)
    // The content module of RSS 1.0 as it was before `encoded`: items in a bag, the text in `rdf:value`.
    case (.content, "items"), (.content, "item"), (.rdf, "bag"), (.rdf, "li"): return enter()
    case (.atom, "author"), (.media, "group"): return enter()
    default: return startPicture(name, attributes)
    }
  }

  private mutating func startPicture(_ name: XMLName, _ attributes: ElementAttributes) -> XMLContent {
    switch (name.vocabulary, name.local) {
    case (.plain, "enclosure"):
      if let url = Self.picture(attributes) { builder.picture.offer(url, .enclosure) }
      builder.enclosures.add(ParsedEnclosure(url: attributes["url"], type: attributes["type"], length: attributes["length"]))
    case (.media, "thumbnail"): builder.picture.offer(attributes["url"], .thumbnail, width: attributes["width"])
    case (.itunes, "image"): builder.picture.offer(attributes["href"], .cover)
    case (.atom, "link"):
      switch attributes["rel"] ?? "alternate" {
      case "alternate": builder.item.link = builder.item.link ?? attributes["href"]
      case "enclosure":
        builder.enclosures.add(
          ParsedEnclosure(
            url: attributes["href"], type: attributes["type"], title: attributes["title"], length: attributes["length"]))
      default: break
      }
    case (.media, "content"):
      if let url = Self.picture(attributes) { builder.picture.offer(url, .media, width: attributes["width"]) }
      builder.enclosures.add(.init(media: attributes))
      return enter()
    default: break
    }
    return .skip
  }

  private static func picture(_ attributes: ElementAttributes) -> String? {
    let url = attributes["url"]
    return PictureChoice.isPicture(type: attributes["type"], medium: attributes["medium"], url: url) ? url : nil
  }

  private mutating func enter() -> XMLContent {
    depth += 1
    return .enter
  }

  mutating func leave() { depth -= 1 }

  mutating func content(of name: XMLName, _ text: String, base: String?) {
    switch (name.vocabulary, name.local) {
    case (.plain, "title"): builder.item.title = builder.item.title ?? text.asPlainLine.nonEmpty
    case (.dublinCore, "title"): otherTitle = otherTitle ?? text.asPlainLine.nonEmpty
    case (.plain, "link"): builder.item.link = text.nonEmpty ?? builder.item.link
    case (.plain, "guid"): builder.item.id = builder.item.id ?? text.nonEmpty
    case (.plain, "image"), (.plain, "thumbnail"), (.plain, "bigimage"):
      // Some newspapers name their pictures like this; the address is the only text.
      if Links.isWeb(text.trimmed) { builder.picture.offer(text, .element, width: name.local == "bigimage" ? "600" : nil) }
    case (.plain, "pubdate"), (.dublinCore, "date"), (.dublinCore, "issued"), (.dublinCore, "created"), (.atom, "published"):
      builder.item.published = builder.item.published ?? FeedDate.parse(text)
    case (.dublinCore, "modified"), (.atom, "updated"): builder.item.updated = builder.item.updated ?? FeedDate.parse(text)
    case (.dublinCore, "creator"): creators.append(text)
    case (.plain, "author"): authors.append(Self.person(text))
    case (.itunes, "duration"): builder.enclosures.duration = text
    case (.itunes, "author"), (.atom, "name"): authors.append(text)
    default: contentText(of: name, text, base: base)
    }
  }

  private mutating func contentText(of name: XMLName, _ text: String, base: String?) {
    guard text.nonEmpty != nil else { return }
    switch (name.vocabulary, name.local) {
    case (.content, _), (.xhtml, _), (.rdf, _), (.atom, "content"):
      if encoded == nil { builder.bodyBase = base }
      encoded = encoded ?? text
    default:
      guard description == nil || name.vocabulary == .plain else { return }
      builder.summaryBase = base
      description = text
    }
  }

  /// `author` is meant to be an address with the name in brackets behind it.
  private static func person(_ text: String) -> String {
    guard text.contains("@"), let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")"), open < close else { return text }
    return String(text[text.index(after: open)..<close])
  }

  /// What was found, links not resolved yet.
  func finished() -> ItemBuilder {
    var builder = builder
    builder.item.body = encoded ?? ""
    builder.item.summary = description ?? ""
    builder.people = Byline(creators.isEmpty ? authors : creators)
    builder.item.id = builder.item.id ?? rdfID
    builder.item.title = builder.item.title ?? otherTitle
    if builder.item.link == nil, isPermalink, let id = builder.item.id, Links.isWeb(id) { builder.item.link = id }
    return builder
  }
}
