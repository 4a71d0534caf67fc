/// A file that belongs to a post: a recording, a film, a document.
public struct Enclosure: Codable, Equatable, Sendable {
  /// Where it is: an absolute http or https URL.
  public var url: String
  /// Its media type, such as `audio/mpeg`, where the feed says.
  public var type: String?
  /// What it is called, where the feed says.
  public var title: String?
  /// Its size in bytes, where the feed says.
  public var length: Int?
  /// How long it plays, in seconds, where the feed says.
  public var duration: Int?

  public init(url: String, type: String? = nil, title: String? = nil, length: Int? = nil, duration: Int? = nil) {
    self.url = url
    self.type = type
    self.title = title
    self.length = length
    self.duration = duration
  }
}
