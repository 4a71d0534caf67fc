import FeedFormats
import Foundation
import XCTest

/// Reads a feed out of a test.
func read(_ text: String, source: String = "test") throws -> ParsedFeed { try FeedParser.parse(Data(text.utf8), source: source) }

/// An RSS channel around those items.
func rss(_ items: String, channel: String = "", attributes: String = "") -> String {
  """
  <?xml version="1.0" encoding="utf-8"?>
  <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
    xmlns:atom="http://www.w3.org/2005/Atom" \(attributes)><channel><title>T</title>\(channel)\(items)</channel></rss>
  """
}

/// An Atom feed around those entries.
func atom(_ entries: String, feed: String = "", attributes: String = "") -> String {
  """
  <?xml version="1.0" encoding="utf-8"?>
  <feed xmlns="http://www.w3.org/2005/Atom" \(attributes)><title>T</title>\(feed)\(entries)</feed>
  """
}

/// The first item of a feed that has one.
func first(_ text: String, source: String = "test", file: StaticString = #filePath, line: UInt = #line) throws -> ParsedItem {
  try XCTUnwrap(try read(text, source: source).items.first, file: file, line: line)
}

/// The error that a document ends in; it names the document and the place.
func failure(
  _ data: Data, contentType: String? = nil, limit: Int = FeedParser.defaultLimit, file: StaticString = #filePath, line: UInt = #line
) -> FeedError? {
  do {
    let document = try FeedParser.document(data, source: "test", contentType: contentType, limit: limit)
    XCTFail("read as \(document)", file: file, line: line)
    return nil
  } catch {
    XCTAssertFalse(error.sentence.isEmpty, file: file, line: line)
    XCTAssertTrue(error.isPlaced, error.description, file: file, line: line)
    return error
  }
}

extension FeedError {
  /// Whether it says where: line and column, or a byte.
  var isPlaced: Bool {
    if let line, let column { return line > 0 && column > 0 && description.hasPrefix("\(source), line \(line), column \(column): ") }
    return offset.map { description.hasPrefix("\(source), byte \($0): ") } ?? false
  }

  /// Line and column.
  var place: [Int] { [line, column].compactMap(\.self) }
}

/// Documents of our own in every format, beside the tests.
enum Fixture {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")

  static func all() throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).sorted { $0.path < $1.path }
  }

  static func read(_ name: String) throws -> FeedDocument {
    try FeedParser.document(Data(contentsOf: folder.appending(path: name)), source: "https://source.example/" + name)
  }

  static func feed(_ name: String) throws -> ParsedFeed {
    guard case .feed(let feed) = try read(name) else { throw FeedError(.notAFeed(name), source: name) }
    return feed
  }
}

/// The same for a document as text.
func failure(_ text: String, file: StaticString = #filePath, line: UInt = #line) -> FeedError? {
  failure(Data(text.utf8), file: file, line: line)
}
