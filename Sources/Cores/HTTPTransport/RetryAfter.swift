import Foundation

extension Headers {
  /// `Retry-After` (RFC 9110, 10.2.3): seconds, or a date that is compared with the answer's own `Date`, so that no clock is needed. At most
  /// a day; `nil` when there is none that can be read.
  public var retryAfter: Duration? {
    guard let value = self["Retry-After"] else { return nil }
    if let seconds = Int(value) { return seconds < 0 ? nil : .seconds(min(seconds, 86_400)) }
    guard let until = HTTPDate.read(value), let sent = self["Date"].flatMap(HTTPDate.read) else { return nil }
    return .seconds(min(max(until.timeIntervalSince(sent), 0), 86_400))
  }
}
