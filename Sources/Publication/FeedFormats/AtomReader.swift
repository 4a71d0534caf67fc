import Foundation

/// Atom 1.0 (RFC 4287); elements with other names in 0.3 are read too.
struct AtomReader: XMLFeedReader {
  private enum Scope { case entry, author, source, other }

  private let links: DocumentLinks
  private var scopes: [Scope] = []
  private var feed = ParsedFeed(format: .atom)
  private var feedBase: String?
  private var people = Byline()
  private var sourcePeople = Byline()
  private var picture = PictureChoice()
  private var home: (url: String, base: String?)?
  private var entry: AtomEntryReader?
  private var items: [ItemBuilder] = []

  /// - Parameter links: those of the document.
  init(links: DocumentLinks) { self.links = links }

  mutating func start(_ name: XMLName, _ attributes: ElementAttributes, base: String?) -> XMLContent {
    let isAtom = name.vocabulary == .atom || name.vocabulary == .plain
    switch (scopes.last, isAtom, name.local) {
    case (.author, _, "name"): return isAtom ? .text : .skip
    case (.source, _, "author"): return enter(.author)
    case (.author, _, _), (.source, _, _): return .skip
    case (.entry, true, "author"): return enter(.author)
    case (.entry, true, "source"): return enter(.source)
    case (.entry, _, _), (.other, _, _): return entry?.start(name, isAtom: isAtom, attributes, base: base) ?? enterGroup(name)
    case (nil, true, "entry"):
      guard items.count < FeedParser.mostItems else { return .refuse("it has more than \(FeedParser.mostItems) items") }
      entry = AtomEntryReader(base: base, links)
      return enter(.entry)
    case (nil, true, _): return startInFeed(name, attributes, base: base)
    default: return .skip
    }
  }

  private mutating func enter(_ scope: Scope) -> XMLContent {
    scopes.append(scope)
    return .enter
  }

  private mutating func enterGroup(_ name: XMLName) -> XMLContent { name.vocabulary == .media ? enter(.other) : .skip }

  private mutating func startInFeed(_ name: XMLName, _ attributes: ElementAttributes, base: String?) -> XMLContent {
    switch name.local {
    case "title", "subtitle", "tagline": return AtomText.content(attributes)
    case "logo", "icon": return .text
    case "author": return enter(.author)
    case "link":
      feedBase = base
      if attributes["rel"] ?? "alternate" == "alternate", home == nil, let url = attributes["href"] { home = (url, base) }
      return .skip
    default: return .skip
    }
  }

  mutating func content(of name: XMLName, _ text: String, base: String?) {
    switch (scopes.last, name.local) {
    case (.author, _):
      guard entry != nil else { return people.add(text) }
      if scopes.contains(.source) { sourcePeople.add(text) } else { entry?.builder.people.add(text) }
    case (nil, "title"): feed.title = text.asPlainLine
    case (nil, "subtitle"), (nil, "tagline"): feed.about = text.asPlainLine
    case (nil, "logo"): picture.offer(links.resolve(text, base), .cover)
    case (nil, "icon"): picture.offer(links.resolve(text, base), .element)
    default: entry?.content(of: name, text, base: base)
    }
  }

  mutating func leave() {
    guard scopes.popLast() == .entry, let entry else { return }
    var builder = entry.finished()
    if builder.people.isEmpty { builder.people = sourcePeople }
    items.append(builder)
    sourcePeople = Byline()
    self.entry = nil
  }

  mutating func finish() -> FeedDocument {
    feed.homeURL = home.flatMap { links.web($0.url, $0.base ?? links.base) }
    let base = feedBase ?? feed.homeURL.flatMap(Links.base) ?? links.base
    feed.picture = picture.url.flatMap { links.web($0, base) }
    feed.items = items.map { builder in
      var builder = builder
      if builder.people.isEmpty { builder.people = people }
      return builder.finished(base: base, links)
    }
    return .feed(feed)
  }
}

/// Text constructs of Atom (RFC 4287, 3.1): plain text, HTML or XHTML.
enum AtomText {
  static func content(_ attributes: ElementAttributes) -> XMLContent {
    switch attributes["type"]?.lowercased() {
    case "xhtml": .xhtml(unwrapped: true)
    // Atom 0.3 says it in two attributes.
    case "application/xhtml+xml" where attributes["mode"] != "escaped": .xhtml(unwrapped: true)
    case "html", "text/html", "application/xhtml+xml": .html
    default: attributes["mode"] == "escaped" ? .html : .text
    }
  }
}
