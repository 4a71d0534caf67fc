import Foundation

/// The formats that are written in JSON.
enum JSONFormat {
  /// - Parameter text: UTF-8, as far as is known.
  static func read(_ text: Data, source: String) throws(DocumentError) -> ParsedFeed {
    if let offset = TextEncoding.firstInvalid(in: text) {
      throw DocumentError(.wrongEncoding(TextEncoding.meaningless), at: offset, in: text)
    }
    do throws(JSONParser.Failure) {
      return try read(JSONParser.parse(text), source: source)
    } catch {
      throw DocumentError(error.reason, at: error.offset, in: text)
    }
  }

  private static func read(_ document: JSON, source: String) throws(JSONParser.Failure) -> ParsedFeed {
    // `version` is the only thing that every JSON Feed has.
    if document["version"]?.text?.contains("jsonfeed.org/version/") == true { return try JSONFeedReader(source: source).read(document) }
    if let rss = document["rss"], rss.isObject { return try RSSInJSON.read(rss, source: source) }
    throw JSONParser.Failure(reason: .notAFeed("it is JSON of another kind"), offset: document.offset)
  }
}
