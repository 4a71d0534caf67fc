import ContentCache
import Foundation
import PublicationAPI
import PublicationClient

extension Post: Entity {
  /// A post before its fields are read, without an identifier, from long ago.
  public static let blank = Post(id: "", fanClubID: "", fanClubName: "", title: "", published: .distantPast)

  /// All but the body.
  public mutating func fields(_ form: inout FieldCoder) {
    form.field("id", &id)
    form.field("fanClubID", &fanClubID)
    form.field("fanClubName", &fanClubName)
    form.field("title", &title)
    form.field("byline", &byline)
    form.field("teaser", &teaser)
    form.field("picture", &picture)
    form.field("url", &url)
    form.field("published", &published)
    form.field("premium", &premium)
    form.field("unlocked", &unlocked, isOptional: true)
    form.field("reactions", &reactions.counts, isOptional: true)
    form.field("reaction", &reaction)
    form.field("bookmarked", &bookmarked)
    form.field("read", &read, isOptional: true)
    form.field("readMark", &readMark)
    form.field("comments", &comments, isOptional: true)
  }

  /// The body, which lists leave out.
  public var detail: String? {
    get { body.map { Self.detail(of: $0, enclosures) } }
    set {
      (body, enclosures) = (newValue, [])
      if let newValue, newValue.hasSuffix(Self.enclosuresEnd) { readEnclosures(newValue) }
    }
  }

  // A body is stored with its enclosures in an HTML comment behind it, which every version ignores.
  private static let enclosuresBegin = "<!--enclosures "
  private static let enclosuresEnd = "-->"

  private static func detail(of body: String, _ enclosures: [Enclosure]) -> String {
    // A body that ends like one with enclosures gets a mark that it has none.
    guard !enclosures.isEmpty || body.hasSuffix(enclosuresEnd) else { return body }
    guard let json = try? String(decoding: Wire.encode(enclosures), as: UTF8.self) else { return body }
    // Nothing in a comment may look like its end.
    return body + enclosuresBegin + json.replacing("--", with: "-\\u002d") + enclosuresEnd
  }

  private mutating func readEnclosures(_ detail: String) {
    guard let begin = detail.range(of: Self.enclosuresBegin, options: .backwards) else { return }
    let json = detail[begin.upperBound...].dropLast(Self.enclosuresEnd.count)
    guard let read: [Enclosure] = try? Wire.decode(from: Data(json.utf8)) else { return }
    (body, enclosures) = (String(detail[..<begin.lowerBound]), read)
  }
  /// What the reader bookmarked is kept.
  public var isPinned: Bool { bookmarked }
}

extension FanClub: Entity {
  /// A club before its fields are read, without an identifier.
  public static let blank = FanClub(id: "", name: "")

  /// Writes or reads every field.
  public mutating func fields(_ form: inout FieldCoder) {
    form.field("id", &id)
    form.field("name", &name)
    form.field("about", &about)
    form.field("picture", &picture)
    form.field("url", &url)
    form.field("followers", &followers)
    form.field("followed", &followed)
    form.field("posts", &posts)
    form.field("unread", &unread)
    form.field("fetched", &fetched, isOptional: true)
    form.field("problem", &problem)
    form.field("feed", &feed)
    form.field("canRemove", &canRemove, isOptional: true)
  }
}

extension Comment: Entity {
  /// A comment before its fields are read, without an identifier, from long ago.
  public static let blank = Comment(id: "", postID: "", author: "", isMine: false, text: "", posted: .distantPast)

  /// Writes or reads every field.
  public mutating func fields(_ form: inout FieldCoder) {
    form.field("id", &id)
    form.field("postID", &postID)
    form.field("author", &author)
    form.field("isMine", &isMine)
    form.field("text", &text)
    form.field("posted", &posted)
  }

  /// What the reader wrote is kept.
  public var isPinned: Bool { isMine }
}

extension Conditional {
  /// As a cache takes it.
  func answer<Item>(_ page: (Value) -> Page<Item>) -> PageAnswer<Item> {
    switch self {
    case .changed(let value, let etag):
      let page = page(value)
      return .page(FetchedPage(items: page.items, next: page.next, etag: etag))
    case .unchanged: return .notModified
    }
  }
}

extension String {
  /// For a row: each run of white space, including line breaks, is one space.
  public var onOneLine: String {
    // Nearly every text is so already, and a list asks for many.
    var last = UInt8(ascii: " ")
    let isPlain = utf8.allSatisfy { byte in
      defer { last = byte }
      // The line separators of Unicode begin with this byte.
      return byte > 0x20 && byte != 0xE2 || byte == 0x20 && last != 0x20
    }
    if isPlain, last != 0x20 { return self }
    return unicodeScalars.split { $0.properties.isWhitespace }.map { String($0) }.joined(separator: " ")
  }
}
