import Foundation
import Runtime

/// JSON of programs that may mean harm: what a provider publishes and answers, and the header of a token, which anybody may make up.
///
/// The documents of a provider are up to a megabyte. Foundation's decoder would read a key set of 340,000 empty keys, and to compare one name
/// with marks without end takes seconds, wherever that is done: see `StreamSafeText`.
enum StrictJSON {
  /// More values than any such document has.
  private static let rules = JSONParser.Rules(maximumDepth: 128, maximumValues: 10_000)

  /// - Returns: `nil` for what is no such value, breaks RFC 8259, has too many values, or a letter with more marks than any language needs.
  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) -> Value? {
    guard (try? JSONParser.parse(data, rules)) != nil else { return nil }
    return try? JSONDecoder().decode(type, from: data)
  }
}
