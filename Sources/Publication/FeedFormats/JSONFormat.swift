import Foundation
import Runtime

/// The formats that are written in JSON.
enum JSONFormat {
  /// - Parameters:
  ///   - text: presumably UTF-8.
  ///   - links: those of the document.
  static func read(_ text: Data, links: DocumentLinks) throws(DocumentError) -> ParsedFeed {
    if let offset = TextEncoding.firstInvalid(in: text) {
      throw DocumentError(.wrongEncoding(TextEncoding.meaningless), at: offset, in: text)
    }
    do throws(Failure) { return try read(try parse(text), links: links) } catch {
      throw DocumentError(error.reason, at: error.offset, in: text)
    }
  }

  /// Why a document is no feed, and how many bytes come before that.
  struct Failure: Error {
    var reason: FeedError.Reason
    var offset: Int
  }

  /// As deep as XML may be, and ten values for each of as many items as are read.
  private static let rules = JSONParser.Rules(maximumDepth: 256, maximumValues: 10 * FeedParser.mostItems, isLenient: true)

  private static func parse(_ text: Data) throws(Failure) -> JSONNode {
    do { return try JSONParser.parse(text, rules) } catch {
      switch error.kind {
      case .endOfText: throw Failure(reason: .cutOff, offset: text.count)
      case .limit: throw Failure(reason: .refused(error.problem), offset: error.offset)
      case .syntax: throw Failure(reason: .malformed(error.problem), offset: error.offset)
      }
    }
  }

  private static func read(_ document: JSONNode, links: DocumentLinks) throws(Failure) -> ParsedFeed {
    // `version` is the only thing that every JSON Feed has.
    if document["version"]?.text?.contains("jsonfeed.org/version/") == true { return try JSONFeedReader(links: links).read(document) }
    if let rss = document["rss"], rss.isObject { return try RSSInJSON.read(rss, links: links) }
    throw Failure(reason: .notAFeed("it is JSON of another kind"), offset: document.range.lowerBound)
  }
}
