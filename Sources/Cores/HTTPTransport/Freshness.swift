import Foundation

/// How long a stored answer may be used without a request (RFC 9111, for a private cache).
enum Freshness {
  /// In seconds; 0 when it has to be requested each time, nil when it must not be kept.
  static func lifetime(of headers: Headers, receivedAt now: Date) -> TimeInterval? {
    let directives = directives(headers)
    if directives["no-store"] != nil || headers["Vary"]?.contains("*") == true { return nil }
    if directives["no-cache"] != nil { return 0 }
    if let seconds = directives["max-age"] {
      // What is no number is stale at once (4.2.1).
      return within(TimeInterval(seconds ?? "").map { $0 - age(headers) } ?? 0)
    }
    let sent = headers["Date"].flatMap(HTTPDate.read) ?? now
    if let text = headers["Expires"] { return within(HTTPDate.read(text).map { $0.timeIntervalSince(sent) - age(headers) } ?? 0) }
    // A response that was last modified long ago will not change soon (4.2.2); without `Last-Modified`, a day.
    guard let modified = headers["Last-Modified"].flatMap(HTTPDate.read) else { return day }
    return min(within(sent.timeIntervalSince(modified) / 10), 7 * day)
  }

  private static let day: TimeInterval = 86_400

  static func within(_ seconds: TimeInterval) -> TimeInterval { seconds.isFinite ? min(max(seconds, 0), 365 * day) : 0 }

  static func age(_ headers: Headers) -> TimeInterval { within(headers["Age"].flatMap(TimeInterval.init) ?? 0) }

  /// How much of `Cache-Control` is read, in bytes.
  private static let longest = 1024

  /// `Cache-Control`, by lower-case name; the last of several wins.
  static func directives(_ headers: Headers) -> [String: String?] {
    var found: [String: String?] = [:]
    var left = longest
    for value in headers.values(of: "Cache-Control") where left > 0 {
      let text = value.utf8.prefix(left)
      left -= text.count
      for part in text.split(separator: UInt8(ascii: ",")) {
        let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1).map { String(decoding: bare($0), as: UTF8.self) }
        if let name = pair.first { found.updateValue(pair.count > 1 ? pair[1] : nil, forKey: name.lowercased()) }
      }
    }
    return found
  }

  /// Without spaces and quotation marks around it.
  private static func bare(_ text: Substring.UTF8View) -> Substring.UTF8View {
    let around = " \t\"".utf8
    guard let first = text.firstIndex(where: { !around.contains($0) }), let last = text.lastIndex(where: { !around.contains($0) }) else {
      return text.prefix(0)
    }
    return text[first...last]
  }
}

extension Headers {
  /// The freshness lifetime that remains: `max-age` minus the age (RFC 9111, 4.2), at most a year. `nil` without a readable `max-age`, and for
  /// `no-cache` and `no-store`.
  public var remainingFreshness: Duration? {
    let directives = Freshness.directives(self)
    guard directives["no-store"] == nil, directives["no-cache"] == nil, let text = directives["max-age"] ?? nil,
      let seconds = TimeInterval(text)
    else { return nil }
    return .seconds(Freshness.within(seconds - Freshness.age(self)))
  }
}
