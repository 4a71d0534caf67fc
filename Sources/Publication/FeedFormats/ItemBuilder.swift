import Foundation

/// An item while it is read: what was found, and the bases that its links are relative to.
struct ItemBuilder {
  var item = ParsedItem()
  var picture = PictureChoice()
  /// The `xml:base` in force in the item.
  var base: String?
  var bodyBase: String?
  var summaryBase: String?
  /// Names of people, in order.
  var people: [String] = []

  mutating func add(person: String?) {
    guard let person = person?.asPlainLine.nonEmpty, !people.contains(person) else { return }
    people.append(person)
  }

  /// Everything resolved.
  /// - Parameter base: the feed's own, used where the item says nothing nearer.
  func finished(base feedBase: String?) -> ParsedItem {
    var item = item
    let base = base ?? feedBase
    item.link = item.link.map { Links.resolve($0, base) }
    if !people.isEmpty { item.byline = people.joined(separator: ", ") }
    if item.body.isEmpty {
      (item.body, item.summary) = (item.summary, "")
      item.body = resolved(item.body, summaryBase ?? base, item.link)
    } else {
      item.body = resolved(item.body, bodyBase ?? base, item.link)
      item.summary = item.summary == item.body ? "" : resolved(item.summary, summaryBase ?? base, item.link)
    }
    var picture = picture
    if picture.url == nil { picture.offer(BodyLinks(item.body).firstPicture ?? BodyLinks(item.summary).firstPicture, .body) }
    item.picture = picture.url.map { Links.resolve($0, base) }
    item.published = item.published ?? item.updated
    return item
  }

  private func resolved(_ html: String, _ base: String?, _ link: String?) -> String {
    BodyLinks(html).resolved(base: base, page: link)
  }
}
