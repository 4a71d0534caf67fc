import Foundation

/// RSS 0.91 to 2.0 (https://www.rssboard.org/rss-specification), with the modules that publishers use (rss-profile), and RSS 0.90 and 1.0
/// (https://web.resource.org/rss/1.0/spec), where items stand beside the channel.
struct RSSReader: XMLFeedReader {
  private enum Scope { case channel, item, image, other }

  private let links: DocumentLinks
  private var scopes: [Scope] = []
  private var feed: ParsedFeed
  private var channelBase: String?
  private var people = Byline()
  private var picture = PictureChoice()
  private var item: RSSItemReader?
  private var items: [ItemBuilder] = []

  /// - Parameters:
  ///   - links: those of the document.
  ///   - format: which RSS it is.
  init(links: DocumentLinks, format: FeedFormat) {
    self.links = links
    feed = ParsedFeed(format: format)
  }

  mutating func start(_ name: XMLName, _ attributes: ElementAttributes, base: String?) -> XMLContent {
    if item != nil { return item?.start(name, attributes, base: base) ?? .skip }
    let scope = scopes.last ?? .other
    switch (scope, name.vocabulary, name.local) {
    // Items stand in the channel, beside it, or in unspecified wrappers: all are read.
    case (.channel, .plain, "item"), (.other, .plain, "item"):
      guard items.count < FeedParser.mostItems else { return .refuse("it has more than \(FeedParser.mostItems) items") }
      item = RSSItemReader(id: attributes.about, base: base)
      return enter(.item)
    case (.other, .plain, "channel"):
      channelBase = base
      return enter(.channel)
    case (.channel, .plain, "image"), (.other, .plain, "image"): return enter(.image)
    case (_, .plain, "textinput"): return .skip
    // Only the order of the items, which stand beside it.
    case (.channel, .plain, "items") where feed.format == .rdf: return .skip
    case (.channel, _, _): return startInChannel(name, attributes)
    case (.image, .plain, "url"): return .text
    case (.other, .plain, _): return enter(.other)
    default: return .skip
    }
  }

  private mutating func enter(_ scope: Scope) -> XMLContent {
    scopes.append(scope)
    return .enter
  }

  private mutating func startInChannel(_ name: XMLName, _ attributes: ElementAttributes) -> XMLContent {
    switch (name.vocabulary, name.local) {
    case (.plain, "title"), (.plain, "description"), (.plain, "link"), (.plain, "ttl"), (.itunes, "author"), (.dublinCore, "creator"),
      (.dublinCore, "title"), (.dublinCore, "description"):
      return .text
    case (.atom, "link"):
      if attributes["rel"] ?? "alternate" == "alternate" { feed.homeURL = feed.homeURL ?? attributes["href"] }
      return .skip
    case (.itunes, "image"):
      picture.offer(attributes["href"], .element)
      return .skip
    case (.plain, _): return enter(.other)
    default: return .skip
    }
  }

  mutating func content(of name: XMLName, _ text: String, base: String?) {
    if item != nil {
      item?.content(of: name, text, base: base)
      return
    }
    switch (scopes.last, name.vocabulary, name.local) {
    case (.image, _, _): picture.offer(text, .cover)
    case (_, .plain, "title"), (_, .dublinCore, "title"): if feed.title.isEmpty { feed.title = text.asPlainLine }
    case (_, .plain, "description"), (_, .dublinCore, "description"): if feed.about.isEmpty { feed.about = text.asPlainLine }
    case (_, .plain, "link"): feed.homeURL = text.nonEmpty ?? feed.homeURL
    case (_, .plain, "ttl"): feed.ttl = Int(text.trimmed).map { min(max($0, 0), ParsedFeed.longestTTL) }
    default: if people.isEmpty { people.add(text) }
    }
  }

  mutating func leave() {
    if item?.isNested == true {
      item?.leave()
      return
    }
    guard scopes.popLast() == .item, let item else { return }
    items.append(item.finished())
    self.item = nil
  }

  mutating func finish() -> FeedDocument { .feed(feedAtEnd()) }

  /// The feed, once the document ended.
  mutating func feedAtEnd() -> ParsedFeed {
    let outer = channelBase ?? links.base
    feed.homeURL = feed.homeURL.flatMap { links.web($0, outer) }
    let base = channelBase ?? feed.homeURL.flatMap(Links.base) ?? outer
    feed.picture = picture.url.flatMap { links.web($0, base) }
    feed.items = items.map { builder in
      var builder = builder
      if builder.people.isEmpty { builder.people = people }
      return builder.finished(base: base, links)
    }
    return feed
  }
}
