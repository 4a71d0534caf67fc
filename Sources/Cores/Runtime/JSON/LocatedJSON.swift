import Foundation

/// Reads JSON files that people write by hand, and reports where a bad one is wrong and what was expected there.
///
/// Strict: a syntax error, a wrong type, a missing field, an unknown one, a word that is not among those allowed and a field that is there
/// twice are all refused, and so is `null` in the place of an optional field. A field is known if the type asks for it, so any `Decodable`
/// type will do; an error that a type's `init(from:)` throws is placed by its coding path. Dates are RFC 3339 text, URLs text.
///
///     let plan = try LocatedJSON.decode(Plan.self, from: data, file: "plan.json")
///     // plan.json, line 3, column 12: there is no “statsu” here; did you mean “status”?
public enum LocatedJSON {
  /// Where a file is wrong, and what was expected there; or why it cannot be read at all.
  public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file, as it was named.
    public let file: String
    /// The line, from 1; 0 for a file that cannot be read, which has no place to name.
    public let line: Int
    /// The column in characters, from 1; one more than the line has when the error is at its end. 0 with line 0.
    public let column: Int
    /// A clause without a period: what was expected, and what was found.
    public let problem: String

    public init(file: String, line: Int, column: Int, problem: String) {
      self.file = file
      self.line = line
      self.column = column
      self.problem = problem
    }

    /// For a file that is not there, is a folder, may not be read, and the like.
    /// - Parameters:
    ///   - file: its name or path.
    ///   - error: what reading it threw.
    public init(file: String, unreadable error: any Error) {
      self.init(file: file, line: 0, column: 0, problem: "cannot be read: \(error.systemReason)")
    }

    /// One line for a terminal, without a period.
    public var description: String { line == 0 ? "\(file) \(problem)" : "\(file), line \(line), column \(column): \(problem)" }
  }

  /// What happens to fields that the type did not ask for.
  public enum UnknownFields: Sendable {
    /// They are an error: for files.
    case refused
    /// They are passed over: for what newer programs send.
    case ignored
  }

  /// A value's own bytes, as in the file: for JSON that is passed on without being decoded.
  public struct Verbatim: Decodable, Equatable, Sendable {
    /// UTF-8, from the value's first character to its last.
    public let bytes: Data

    /// Reads what ``LocatedJSON`` decodes, and nothing else.
    /// - Throws: `DecodingError` under any other decoder.
    public init(from decoder: any Decoder) throws {
      guard let decoder = decoder as? LocatedDecoder else {
        throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "only LocatedJSON keeps bytes"))
      }
      bytes = decoder.verbatim
    }
  }

  /// A value, and its place.
  public struct Placed<Value: Decodable>: Decodable {
    /// The value that was read.
    public let value: Value
    /// The line that it begins in, from 1.
    public let line: Int
    /// The column that it begins at, in characters, from 1.
    public let column: Int

    /// Reads what ``LocatedJSON`` decodes; under any other decoder line and column are 0.
    /// - Throws: what `Value` throws.
    public init(from decoder: any Decoder) throws {
      (line, column) = (decoder as? LocatedDecoder)?.place ?? (0, 0)
      value = try Value(from: decoder)
    }
  }

  /// A step on the way to a value, for errors that a type places itself: `["outcomes", 2, "product"]`.
  public struct Step: CodingKey, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// The field's name, or the place in the list.
    public let stringValue: String
    /// The place in a list, from 0.
    public let intValue: Int?

    /// The step to a field of an object, by its name.
    public init(stringValue: String) {
      self.stringValue = stringValue
      intValue = nil
    }
    /// A place in a list, from 0.
    public init(intValue: Int) {
      stringValue = "\(intValue)"
      self.intValue = intValue
    }
    /// The step to a field of an object, by its name.
    public init(stringLiteral value: String) { self.init(stringValue: value) }
    /// A place in a list, from 0.
    public init(integerLiteral value: Int) { self.init(intValue: value) }
  }

  /// The bytes of a file. Blocking.
  /// - Throws: ``Failure``, without a place, when it cannot be read.
  public static func contents(of file: String) throws(Failure) -> Data {
    do { return try Data(contentsOf: URL(fileURLWithPath: file)) } catch { throw Failure(file: file, unreadable: error) }
  }

  /// Reads a value.
  /// - Parameters:
  ///   - type: what the file describes.
  ///   - data: the file's contents.
  ///   - file: what errors name the file.
  ///   - unknownFields: how fields that the type did not decode are treated.
  ///   - userInfo: what the types may ask their decoder for.
  /// - Throws: ``Failure``.
  public static func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, from data: Data, file: String, unknownFields: UnknownFields = .refused,
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws(Failure) -> Value {
    let text = JSONText(data, file: file)
    let reading = LocatedReading(text: text, root: try text.parse(), userInfo: userInfo)
    do {
      let value = try LocatedDecoder(reading.root, [], reading).value(type)
      if unknownFields == .refused { try reading.refuseUnknown() }
      return value
    } catch {
      throw reading.failure(error, at: reading.root, [])
    }
  }

  /// Reads a text for its form alone.
  /// - Throws: ``Failure``, when it is no JSON or names a field twice.
  public static func check(_ data: Data, file: String) throws(Failure) { _ = try JSONText(data, file: file).parse() }
}

extension DecodingError {
  /// A sensible value that cannot be, placed by ``LocatedJSON``.
  /// - Parameters:
  ///   - path: where in the whole file: a container's `codingPath` and what follows.
  ///   - problem: a clause: what was expected and what was found.
  public static func located(_ path: [any CodingKey], _ problem: String) -> DecodingError {
    .dataCorrupted(Context(codingPath: path, debugDescription: problem))
  }
}
