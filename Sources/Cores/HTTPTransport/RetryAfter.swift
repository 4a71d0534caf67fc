import Foundation

extension Headers {
  /// `Retry-After` (RFC 9110, 10.2.3): seconds, or a date. That is compared with the answer's own `Date`, so that a wrong clock here does
  /// not matter, and with the time here only where the answer has no `Date`. At most a day; `nil` when there is none that can be read.
  /// - Parameter now: the local time when the answer arrived.
  public func retryAfter(at now: Date) -> Duration? {
    guard let value = self["Retry-After"] else { return nil }
    if !value.isEmpty, value.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      return .seconds(min(Int(value) ?? .max, Self.longestPause))
    }
    guard let until = HTTPDate.read(value) else { return nil }
    let sent = self["Date"].flatMap(HTTPDate.read) ?? now
    // Half a second before it is still before.
    return .seconds(Int(min(max(until.timeIntervalSince(sent), 0), Double(Self.longestPause)).rounded(.up)))
  }

  private static let longestPause = 86_400
}
