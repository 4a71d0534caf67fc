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

/// The error that a document ends in.
func failure(_ data: Data, limit: Int = FeedParser.defaultLimit, file: StaticString = #filePath, line: UInt = #line) -> FeedError? {
  do {
    let feed = try FeedParser.parse(data, source: "test", limit: limit)
    XCTFail("read \(feed.items.count) items", file: file, line: line)
    return nil
  } catch {
    XCTAssertFalse(error.sentence.isEmpty, file: file, line: line)
    XCTAssertTrue(error.description.hasPrefix("test"), error.description, file: file, line: line)
    return error
  }
}

/// The same for a document as text.
func failure(_ text: String, file: StaticString = #filePath, line: UInt = #line) -> FeedError? {
  failure(Data(text.utf8), file: file, line: line)
}
