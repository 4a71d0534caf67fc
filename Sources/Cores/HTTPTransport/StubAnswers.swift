import Foundation
import Runtime

/// Canned answers; a tester writes them as JSON. `Resources/stub-answers/sample.json` shows every field, `schema.json` beside it says what
/// each may be.
///
///     {"rules": [
///       {"method": "GET", "path": "/v1/posts/*/comments", "body": {"items": []}},
///       {"path": "/v1/flags", "sequence": [{"status": 503, "delay": 2}, {"bodyFile": "flags.json"}]}
///     ]}
public struct StubAnswers: Equatable, Sendable {
  /// One canned answer, and how long it takes.
  public struct Answer: Equatable, Sendable {
    /// The status, headers and body.
    public var response: Response
    /// How long it takes, in seconds.
    public var delay: Double

    public init(_ response: Response, delay: Double = 0) {
      self.response = response
      self.delay = delay
    }
  }

  /// What comes after the last answer of a sequence.
  public enum After: String, Sendable, CaseIterable, Decodable {
    /// The last answer again.
    case last
    /// The first answer, and so on.
    case first
    /// What the publication says.
    case pass
  }

  /// Some requests, and what they are answered.
  public struct StubRule: Equatable, Sendable {
    /// Only requests with this method; `nil` for every method.
    public var method: Request.Method?
    /// The path, without its query: `*` stands for any part between two slashes, or of one, `**` for anything.
    public var path: String
    /// One answer after the other.
    public var answers: [Answer]
    /// What comes after the last one.
    public var after: After
    /// The line of the file; 0 for a rule that is from none.
    public var line: Int

    public init(_ method: Request.Method? = nil, _ path: String, answers: [Answer], after: After = .last, line: Int = 0) {
      self.method = method
      self.path = path
      self.answers = answers
      self.after = after
      self.line = line
    }

    /// Whether it is for this request.
    public func matches(_ request: Request) -> Bool {
      (method == nil || method == request.method) && PathPattern.matches(Array(path.utf8), Array(request.path.utf8))
    }

    /// The answer to the request that is the `count`th that it matches, from 0; `nil` for the publication's.
    func answer(_ count: Int) -> Answer? {
      switch after {
      case .last: answers[min(count, answers.count - 1)]
      case .first: answers[count % answers.count]
      case .pass: count < answers.count ? answers[count] : nil
      }
    }
  }

  /// The rules, in order: the first that matches and has an answer decides.
  public var rules: [StubRule]
  /// The files that bodies come from, as paths.
  public var bodyFiles: Set<String> = []

  /// Rules whose bodies come from no files. Without rules, the publication answers every request.
  public init(rules: [StubRule] = []) { self.rules = rules }
}

enum PathPattern {
  /// Whether a path fits a pattern, byte for byte; `*` stands for anything without a slash, `**` for anything.
  static func matches(_ pattern: [UInt8], _ path: [UInt8]) -> Bool {
    let star = UInt8(ascii: "*")
    // Which beginnings of the path each beginning of the pattern matches: no pattern takes more than length times length steps.
    var ends = [true] + [Bool](repeating: false, count: path.count)
    var index = 0
    while index < pattern.count {
      let isStar = pattern[index] == star
      let isAny = isStar && index + 1 < pattern.count && pattern[index + 1] == star
      var next = [Bool](repeating: false, count: path.count + 1)
      for end in 0...path.count {
        if isStar {
          next[end] = ends[end] || (end > 0 && next[end - 1] && (isAny || path[end - 1] != UInt8(ascii: "/")))
        } else {
          next[end] = end > 0 && ends[end - 1] && path[end - 1] == pattern[index]
        }
      }
      ends = next
      index += isAny ? 2 : 1
    }
    return ends[path.count]
  }
}
