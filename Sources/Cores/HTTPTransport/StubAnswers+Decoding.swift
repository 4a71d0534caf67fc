import Foundation
import Runtime

/// The files that canned answers come from. Blocking; called on a thread of their own.
public struct StubAnswerFiles: Sendable {
  /// The bytes of a file; may throw anything.
  public var read: @Sendable (_ path: String) throws -> Data
  /// A text that differs each time a file was saved; `nil` when it is not there.
  public var stamp: @Sendable (_ path: String) -> String?

  public init(read: @escaping @Sendable (String) throws -> Data, stamp: @escaping @Sendable (String) -> String?) {
    self.read = read
    self.stamp = stamp
  }

  /// The files of this machine.
  public static let onDisk = StubAnswerFiles { path in
    try Data(contentsOf: URL(fileURLWithPath: path))
  } stamp: { path in
    // Editors write into the file, or put a new one in its place.
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes.map { "\($0[.modificationDate] ?? "") \($0[.size] ?? "") \($0[.systemFileNumber] ?? "")" }
  }
}

extension CodingUserInfoKey {
  /// How a body file is read: `@Sendable (String) throws -> Data`.
  fileprivate static let bodyReader = CodingUserInfoKey(rawValue: "bodyReader")
}

extension StubAnswers: Decodable {
  private enum CodingKeys: String, CodingKey {
    case schema = "$schema"
    case rules
  }

  /// Reads a file.
  /// - Parameters:
  ///   - json: the file's bytes.
  ///   - path: the file; bodies are looked for from its folder.
  ///   - files: reads the bodies.
  /// - Throws: `LocatedJSON.Failure`, also for a body that cannot be read.
  public init(json: Data, path: String, files: StubAnswerFiles = .onDisk) throws(LocatedJSON.Failure) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let read: @Sendable (String) throws -> Data = { try files.read($0.hasPrefix("/") ? $0 : folder + $0) }
    var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    if let key = CodingUserInfoKey.bodyReader { userInfo[key] = read }
    self = try LocatedJSON.decode(StubAnswers.self, from: json, file: path, userInfo: userInfo)
    bodyFiles = Set(bodyFiles.map { $0.hasPrefix("/") ? $0 : folder + $0 })
  }

  /// Reads what people write.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    _ = try fields.decodeIfPresent(String.self, forKey: .schema)
    let written = try fields.decode([LocatedJSON.Placed<RuleFields>].self, forKey: .rules)
    self.init(
      rules: written.map { placed in
        let rule = placed.value
        return StubRule(rule.method, rule.path, answers: rule.answers.map(\.answer), after: rule.after, line: placed.line)
      })
    bodyFiles = Set(written.flatMap { $0.value.answers.compactMap(\.bodyFile) })
  }
}

private struct RuleFields: Decodable {
  let method: Request.Method?
  let path: String
  let answers: [AnswerFields]
  let after: StubAnswers.After

  enum CodingKeys: String, CodingKey { case method, path, sequence, after }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    method = try fields.decodeIfPresent(Request.Method.self, forKey: .method)
    path = try fields.decode(String.self, forKey: .path)
    guard path.hasPrefix("/") else {
      throw DecodingError.located(fields.codingPath + [CodingKeys.path], "expected a path that begins with “/”, found “\(path)”")
    }
    guard fields.contains(.sequence) else {
      answers = [try AnswerFields(from: decoder)]
      after = .last
      return
    }
    answers = try fields.decode([AnswerFields].self, forKey: .sequence)
    if answers.isEmpty { throw DecodingError.located(fields.codingPath + [CodingKeys.sequence], "expected at least one answer") }
    after = try fields.decodeIfPresent(StubAnswers.After.self, forKey: .after) ?? .last
  }
}

private struct AnswerFields: Decodable {
  let answer: StubAnswers.Answer
  let bodyFile: String?

  enum CodingKeys: String, CodingKey { case status, headers, body, bodyFile, delay }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    func refused(_ key: CodingKeys, _ problem: String) -> DecodingError { .located(fields.codingPath + [key], problem) }
    let status = try fields.decodeIfPresent(Int.self, forKey: .status) ?? 200
    guard (100...599).contains(status) else { throw refused(.status, "expected a status from 100 to 599, found \(status)") }
    let delay = try fields.decodeIfPresent(Double.self, forKey: .delay) ?? 0
    guard (0...86_400).contains(delay) else { throw refused(.delay, "expected seconds from 0 to 86400, found \(delay)") }
    var response = Response(status)
    bodyFile = try fields.decodeIfPresent(String.self, forKey: .bodyFile)
    if let bodyFile {
      if fields.contains(.body) { throw refused(.bodyFile, "“bodyFile” does not go with “body”") }
      guard let key = CodingUserInfoKey.bodyReader, let read = decoder.userInfo[key] as? @Sendable (String) throws -> Data else {
        throw refused(.bodyFile, "bodies in files are read with StubAnswers(json:path:)")
      }
      do { response.body = try read(bodyFile) } catch {
        throw refused(.bodyFile, "“\(bodyFile)” cannot be read: \(error.systemReason)")
      }
      response.headers["Content-Type"] = bodyFile.hasSuffix(".json") ? "application/json" : nil
    } else if fields.contains(.body) {
      // A text is the body itself; anything else is sent as it is written.
      if let text = try? fields.decode(String.self, forKey: .body) {
        response.body = Data(text.utf8)
        response.headers["Content-Type"] = "text/plain; charset=utf-8"
      } else {
        response.body = try fields.decode(LocatedJSON.Verbatim.self, forKey: .body).bytes
        response.headers["Content-Type"] = "application/json"
      }
    }
    for (name, value) in try fields.decodeIfPresent([String: String].self, forKey: .headers) ?? [:] { response.headers[name] = value }
    answer = StubAnswers.Answer(response, delay: delay)
  }
}
