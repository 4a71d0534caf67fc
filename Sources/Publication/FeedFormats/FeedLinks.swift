import Foundation
import Runtime

/// A feed that a web page names.
public struct FeedLink: Equatable, Sendable {
  /// Where it is, absolute.
  public var url: String
  /// What the page calls it, plain text; empty when it gives no name.
  public var title: String

  public init(url: String, title: String = "") {
    self.url = url
    self.title = title
  }
}

extension FeedParser {
  /// The most feeds that are found in a page.
  private static let mostLinks = 20

  /// The feeds that a web page names: `<link rel="alternate">` with the type of a feed (https://html.spec.whatwg.org/#rel-alternate), in
  /// the order of the page, each address once.
  ///
  /// Tags are found as a browser's tokenizer finds them. Where a page's head ends does not matter: most pages that break the rules end
  /// theirs too early. `application/json` is the type of JSON Feed 1, but also of the interfaces that blogs name for programs, so it counts
  /// where nothing else does; feeds of comments are left out where there is another.
  /// - Parameters:
  ///   - page: the page as it was received.
  ///   - address: where the page is, behind all redirects.
  ///   - contentType: what the server said it is.
  public static func links(in page: Data, at address: String, contentType: String? = nil) -> [FeedLink] {
    let (found, base) = text(of: page, contentType).streamSafe.withUnsafeBytes { scan($0.bindMemory(to: UInt8.self)) }
    let relative = DocumentLinks(source: address, bytes: page.count)
    let home = base.map { relative.resolve($0, address) } ?? address
    let sure = found.filter { $0.type != "application/json" }
    var seen: Set<String> = []
    let links = (sure.isEmpty ? found : sure)
      .compactMap { found in relative.web(found.href, home).map { FeedLink(url: $0, title: found.title) } }
      .filter { seen.insert($0.url).inserted }
    let articles = links.filter { !$0.isOfComments }
    return Array((articles.isEmpty ? links : articles).prefix(mostLinks))
  }

  private struct Found {
    var type: String
    var href: String
    var title: String
  }

  private static let types: Set<String> = [
    "application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json", "application/json",
  ]

  /// - Parameter page: presumably UTF-8.
  /// - Returns: the links as they are written, and the page's `base`.
  private static func scan(_ page: UnsafeBufferPointer<UInt8>) -> (links: [Found], base: String?) {
    var (links, base): ([Found], String?) = ([], nil)
    var scanner = TagScanner(page)
    while let tag = scanner.next() {
      let value = { (name: StaticString) in
        tag.attributes.first { scanner.has($0.name, name) }.map { String(decoding: page[$0.value], as: UTF8.self) }
      }
      if base == nil, scanner.has(tag.name, "base") { base = value("href")?.withoutReferences.nonEmpty }
      guard scanner.has(tag.name, "link"), let rel = value("rel"), let type = value("type"), let href = value("href") else { continue }
      let name = String(type.prefix { $0 != ";" }).trimmed.lowercased()
      let isAlternate = rel.split(whereSeparator: \.isWhitespace).contains { $0.lowercased() == "alternate" }
      guard isAlternate, types.contains(name), let address = href.withoutReferences.nonEmpty else { continue }
      links.append(Found(type: name, href: address, title: (value("title") ?? "").asPlainLine))
    }
    return (links, base)
  }

  /// A page in UTF-8: by its byte order mark, else by the server's header, else by its own declaration. A wrong encoding spoils a title,
  /// but no address.
  private static func text(of page: Data, _ contentType: String?) -> Data {
    let mark = ByteOrderMark(page)
    if mark.isDecisive { return (try? TextEncoding.utf8(page, behind: mark)) ?? page }
    for claim in [contentType.flatMap(EncodingClaim.init(contentType:)), claim(of: page)] {
      if let claim, let text = try? TextEncoding.utf8(page, claim) { return text }
    }
    return page
  }

  /// The encoding that the beginning of a page declares: `<meta charset>`, or the equivalent of a server's header.
  private static func claim(of page: Data) -> EncodingClaim? {
    page.prefix(4096).withUnsafeBytes { raw in
      let bytes = raw.bindMemory(to: UInt8.self)
      var scanner = TagScanner(bytes)
      while let tag = scanner.next() {
        guard scanner.has(tag.name, "meta") else { continue }
        for (name, value) in tag.attributes {
          let text = String(decoding: bytes[value], as: UTF8.self)
          if scanner.has(name, "charset"), let claim = EncodingClaim(contentType: "text/html; charset=\(text)") { return claim }
          if scanner.has(name, "content"), let claim = EncodingClaim(contentType: text) { return claim }
        }
      }
      return nil
    }
  }
}

extension FeedLink {
  /// Whether it is a feed of comments, by the name and the place that publishing systems give those.
  fileprivate var isOfComments: Bool {
    title.lowercased().contains("comments") || url.split(separator: "/").contains { $0.lowercased() == "comments" }
  }
}

extension String {
  /// An address out of an attribute of HTML: of all characters only `&` is ever written in another way there.
  fileprivate var withoutReferences: String {
    replacingASCII("&#038;", "&").replacingASCII("&#38;", "&").replacingASCII("&amp;", "&")
  }
}

extension FeedError.Reason {
  /// It is a web page, which may say where its feed is: see ``FeedParser/links(in:at:contentType:)``.
  public static let webPage = notAFeed(Self.isAWebPage)
  static let isAWebPage = "it is a web page"
}
