import Foundation

/// Why a document could not be read as a feed, and where it went wrong.
public struct FeedError: Error, Equatable, Sendable, CustomStringConvertible, LocalizedError {
  /// What is wrong with the document.
  public enum Reason: Equatable, Sendable {
    /// There are no bytes, or nothing but white space.
    case empty
    /// More bytes than the reader's limit.
    case tooLarge(bytes: Int, limit: Int)
    /// It is something else, such as a web page; the text says what.
    case notAFeed(String)
    /// It ends in the middle.
    case cutOff
    /// Its bytes are not in the encoding that it claims, or there is no such encoding.
    case wrongEncoding(String)
    /// It breaks the rules of its format; the text says which.
    case malformed(String)
    /// It is well formed but malicious: too many attributes, or nesting without end.
    case refused(String)
  }

  /// What is wrong with the document.
  public var reason: Reason
  /// The file or URL of the document, as it was given to the parser.
  public var source: String
  /// The line, from 1, if there is one.
  public var line: Int?
  /// The column, from 1, if there is one: characters, not bytes.
  public var column: Int?
  /// How many bytes come before the place, where lines were not counted.
  public var offset: Int?

  public init(_ reason: Reason, source: String, line: Int? = nil, column: Int? = nil, offset: Int? = nil) {
    self.reason = reason
    self.source = source
    self.line = line
    self.column = column
    self.offset = offset
  }

  /// One sentence for people, with the source and the place.
  public var description: String {
    var place = source.isEmpty ? [] : [source]
    if let line { place.append("line \(line)") }
    if line != nil, let column { place.append("column \(column)") }
    if line == nil, let offset { place.append("byte \(offset)") }
    // After a colon the sentence continues in lower case, as it does where callers put an address before it.
    return place.isEmpty ? sentence : "\(place.joined(separator: ", ")): \(sentence.prefix(1).lowercased() + sentence.dropFirst())"
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }

  /// One sentence for people, without the place.
  public var sentence: String {
    switch reason {
    case .empty: "The document is empty."
    case .tooLarge(let bytes, let limit):
      "The document has \(Self.megabytes(bytes)), and more than \(Self.megabytes(limit)) are not read."
    case .notAFeed(let what): "This is not a feed: \(what)."
    case .cutOff: "The document is cut off: it ends in the middle."
    case .wrongEncoding(let what): "The document’s text does not have the encoding that it claims: \(what)."
    case .malformed(let what): "The feed is broken: \(what)."
    case .refused(let what): "The document was refused: \(what)."
    }
  }

  private static func megabytes(_ bytes: Int) -> String {
    bytes < 1_000_000 ? "\(bytes) bytes" : "\((Double(bytes) / 100_000).rounded() / 10) MB"
  }
}
