import Foundation

/// A file that belongs to an item: a recording, a film, a document.
public struct ParsedEnclosure: Equatable, Sendable {
  /// Where it is: an absolute http or https URL.
  public var url: String
  /// Its media type, such as `audio/mpeg`.
  public var type: String?
  /// What the feed calls it, plain text.
  public var title: String?
  /// Its size in bytes.
  public var length: Int?
  /// How long it plays, in seconds.
  public var duration: Int?

  public init(url: String, type: String? = nil, title: String? = nil, length: Int? = nil, duration: Int? = nil) {
    self.url = url
    self.type = type
    self.title = title
    self.length = length
    self.duration = duration
  }

  /// From a feed's attributes.
  /// - Parameters:
  ///   - length: in bytes; what is no number above zero says nothing.
  ///   - duration: see ``seconds(_:)``.
  init?(url: String?, type: String?, title: String? = nil, length: String?, duration: String? = nil) {
    guard let url = url?.trimmed.nonEmpty, url.utf8.count <= Links.longestListed else { return nil }
    self.init(
      url: url, type: type.flatMap { $0.utf8.count <= Self.longestType ? $0.trimmed.lowercased().nonEmpty : nil },
      title: title?.asPlainLine.nonEmpty,
      length: length.flatMap { Int($0.trimmed) }.flatMap { $0 > 0 ? $0 : nil }, duration: duration.flatMap(Self.seconds))
  }

  /// No media type has more bytes (RFC 6838, 4.2).
  private static let longestType = 255

  /// From `media:content` of Media RSS: an audio or video file. Other media, such as a player's page, lead nowhere by themselves.
  init?(media attributes: ElementAttributes) {
    self.init(
      url: attributes["url"], type: attributes["type"], length: attributes["fileSize"], duration: attributes["duration"])
    guard isPlayed else { return nil }
  }

  /// A time as podcasts write it: `5025`, `83:45`, `1:23:45`, `5025.5`; `nil` for anything else, and for no time at all.
  static func seconds(_ written: String) -> Int? {
    let parts = written.trimmed.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
    guard (1...3).contains(parts.count), parts.allSatisfy({ $0.map { (0..<1e6).contains($0) } ?? false }) else { return nil }
    let seconds = parts.compactMap(\.self).reduce(0) { $0 * 60 + $1 }
    return seconds >= 0.5 ? Int(seconds.rounded()) : nil
  }

  /// How many bytes of text it has.
  fileprivate var bytes: Int { [url, type, title].reduce(0) { $0 + ($1?.utf8.count ?? 0) } }
  /// Whether it is audio or video.
  var isPlayed: Bool { type.map { $0.hasPrefix("audio/") || $0.hasPrefix("video/") } ?? false }
  /// Whether it is a picture.
  var isPicture: Bool { PictureChoice.isPicture(type: type, url: url) }
}

/// The enclosures of an item while it is read.
struct Enclosures {
  private static let most = 50
  /// How many bytes of text they have together: ten times what those of podcasts have.
  private static let mostBytes = 16 << 10

  private var found: [ParsedEnclosure] = []
  /// How long the item plays, for feeds that do not say it of its file.
  var duration: String?

  mutating func add(_ enclosure: ParsedEnclosure?) {
    guard let enclosure, found.count < Self.most else { return }
    // The same file, named in two vocabularies, of which one says more.
    guard let index = found.firstIndex(where: { $0.url == enclosure.url }) else { return found.append(enclosure) }
    found[index].type = found[index].type ?? enclosure.type
    found[index].title = found[index].title ?? enclosure.title
    found[index].length = found[index].length ?? enclosure.length
    found[index].duration = found[index].duration ?? enclosure.duration
  }

  /// How long the addresses are as the feed has them.
  var bytes: Int { found.reduce(0) { $0 + $1.url.utf8.count } }

  /// Those that can be opened, but for the picture of the item, as far as there is room for their texts in a post.
  /// - Parameters:
  ///   - links: those of the document.
  ///   - room: how many bytes resolved addresses may still add.
  func finished(base: String?, picture: String?, _ links: DocumentLinks, _ room: inout Int) -> [ParsedEnclosure] {
    var (result, bytes): ([ParsedEnclosure], Int) = ([], 0)
    for var enclosure in found {
      enclosure.url = links.resolve(enclosure.url, base, &room)
      guard Links.isListed(enclosure.url), !enclosure.isPicture || enclosure.url != picture else { continue }
      guard bytes + enclosure.bytes <= Self.mostBytes else { continue }
      bytes += enclosure.bytes
      result.append(enclosure)
    }
    if let seconds = duration.flatMap(ParsedEnclosure.seconds), let index = result.firstIndex(where: \.isPlayed),
      result[index].duration == nil
    {
      result[index].duration = seconds
    }
    return result
  }
}
