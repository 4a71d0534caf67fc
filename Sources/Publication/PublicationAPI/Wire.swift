import Foundation

/// How the wire types become bytes: JSON, dates as RFC 3339 in UTC.
public enum Wire {
  /// Encodes one value.
  /// - Throws: `EncodingError`.
  public static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(date.formatted(.iso8601))
    }
    return try encoder.encode(value)
  }

  /// Decodes one value; dates may have fractional seconds.
  /// - Throws: `DecodingError`.
  public static func decode<Value: Decodable>(_ type: Value.Type = Value.self, from data: Data) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      let text = try container.decode(String.self)
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
      guard let date = try? style.parse(text) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is no RFC 3339 date")
      }
      return date
    }
    return try decoder.decode(type, from: data)
  }

  /// Decodes a list and leaves out what this version does not understand, such as a product of a kind that came later.
  /// - Throws: `DecodingError` when it is no list.
  public static func decodeKnown<Item: Decodable>(_ type: [Item].Type = [Item].self, from data: Data) throws -> [Item] {
    try decode([Known<Item>].self, from: data).compactMap(\.item)
  }

  private struct Known<Item: Decodable>: Decodable {
    let item: Item?
    init(from decoder: any Decoder) { item = try? Item(from: decoder) }
  }
}
