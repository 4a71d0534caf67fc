import Foundation
import Runtime

/// JSON Feed 1 and 1.1 (https://www.jsonfeed.org/version/1.1/).
struct JSONFeedReader {
  private let links: DocumentLinks

  /// - Parameter links: those of the document.
  init(links: DocumentLinks) { self.links = links }

  func read(_ document: JSONNode) throws(JSONFormat.Failure) -> ParsedFeed {
    var feed = ParsedFeed(format: .jsonFeed)
    feed.title = document["title"]?.text?.asPlainLine ?? ""
    feed.about = document["description"]?.text?.asPlainLine ?? ""
    feed.homeURL = link(document["home_page_url"], links.base)
    let base = feed.homeURL.flatMap(Links.base) ?? links.base
    feed.picture = link(document["icon"], base) ?? link(document["favicon"], base)
    let people = Byline(people(document))
    for (index, element) in (document["items"]?.elements ?? []).enumerated() {
      guard index < FeedParser.mostItems else {
        throw .init(reason: .refused("it has more than \(FeedParser.mostItems) items"), offset: element.range.lowerBound)
      }
      // An error is better than half a feed.
      guard element.isObject else { throw .init(reason: .malformed("item \(index + 1) is no object"), offset: element.range.lowerBound) }
      var builder = item(element)
      if builder.people.isEmpty { builder.people = people }
      feed.items.append(builder.finished(base: base, links))
    }
    return feed
  }

  private func item(_ object: JSONNode) -> ItemBuilder {
    var builder = ItemBuilder()
    builder.item.id = object["id"]?.text?.nonEmpty
    builder.item.link = object["url"]?.text?.nonEmpty ?? object["external_url"]?.text?.nonEmpty
    builder.item.title = object["title"]?.text?.asPlainLine.nonEmpty
    builder.item.published = object["date_published"]?.text.flatMap(FeedDate.parse)
    builder.item.updated = object["date_modified"]?.text.flatMap(FeedDate.parse)
    builder.item.body = object["content_html"]?.text?.nonEmpty ?? object["content_text"]?.text?.paragraphs ?? ""
    builder.item.summary = object["summary"]?.text?.paragraphs ?? ""
    builder.people = Byline(people(object))
    builder.picture.offer(object["image"]?.text, .media)
    builder.picture.offer(object["banner_image"]?.text, .cover)
    for attachment in object["attachments"]?.elements ?? [] {
      let (url, type) = (attachment["url"]?.text, attachment["mime_type"]?.text)
      builder.enclosures.add(
        ParsedEnclosure(
          url: url, type: type, title: attachment["title"]?.text, length: attachment["size_in_bytes"]?.text,
          duration: attachment["duration_in_seconds"]?.text))
      if PictureChoice.isPicture(type: type, url: url) { builder.picture.offer(url, .enclosure) }
    }
    if builder.item.link == nil, let id = builder.item.id, Links.isWeb(id) { builder.item.link = id }
    return builder
  }

  /// `authors` of version 1.1, else `author` of version 1.
  private func people(_ object: JSONNode) -> [String] {
    let people = object["authors"]?.elements ?? []
    return (people.isEmpty ? object["author"]?.elements ?? [] : people).compactMap { $0["name"]?.text ?? $0.text }
  }

  private func link(_ value: JSONNode?, _ base: String?) -> String? {
    value?.text?.nonEmpty.flatMap { links.web($0, base) }
  }
}
