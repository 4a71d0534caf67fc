import Foundation

/// An item while it is read: what was found, and the bases that its links are relative to.
struct ItemBuilder {
  var item = ParsedItem()
  var picture = PictureChoice()
  var enclosures = Enclosures()
  /// The `xml:base` in force in the item.
  var base: String?
  var bodyBase: String?
  var summaryBase: String?
  var people = Byline()

  /// Everything resolved.
  /// - Parameters:
  ///   - base: the feed's own, used where the item has none.
  ///   - links: those of the document.
  func finished(base feedBase: String?, _ links: DocumentLinks) -> ParsedItem {
    var item = item
    let base = base ?? feedBase
    // One for all addresses that stand for themselves, as each text has one.
    var room = Links.mostAdded(to: enclosures.bytes + (item.link?.utf8.count ?? 0))
    if let link = item.link {
      // Text in the place of an address still distinguishes a feed's items.
      let resolved = links.resolve(link, base, &room)
      item.link = WebLinks.url(resolved)
      if item.link == nil, item.id?.nonEmpty == nil { item.id = resolved }
    }
    if !people.isEmpty { item.byline = people.text }
    var bodyBase = self.bodyBase
    if item.body.isEmpty { (item.body, item.summary, bodyBase) = (item.summary, "", summaryBase) }
    if item.summary == item.body { item.summary = "" }
    let (body, summary) = (BodyLinks(item.body), BodyLinks(item.summary))
    item.body = body.resolved(base: bodyBase ?? base, page: item.link, in: links)
    item.summary = summary.resolved(base: summaryBase ?? base, page: item.link, in: links)
    var picture = picture
    if picture.url == nil {
      let first = body.firstPicture.map { links.resolve($0, bodyBase ?? base, &room) }
      picture.offer(first ?? summary.firstPicture.map { links.resolve($0, summaryBase ?? base, &room) }, .body)
    }
    item.picture = picture.url.flatMap { WebLinks.url(links.resolve($0, base, &room)) }
    item.enclosures = enclosures.finished(base: base, picture: item.picture, links, &room)
    item.published = item.published ?? item.updated
    return item
  }
}

/// Names of people, in order, each once.
struct Byline {
  /// The most authors; more names than a line has room for are no byline.
  private static let most = 50

  private var people: [String] = []

  init() {}

  init(_ names: [String]) { for name in names { add(name) } }

  var isEmpty: Bool { people.isEmpty }
  /// Put together once, since all items of a feed may share it.
  private(set) var text = ""

  mutating func add(_ name: String) {
    guard people.count < Self.most, text.utf8.count < String.longestLine else { return }
    guard let name = name.asPlainLine.nonEmpty, !people.contains(name) else { return }
    people.append(name)
    text += people.count == 1 ? name : ", " + name
  }
}
