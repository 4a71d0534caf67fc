import Foundation

/// Dates in header fields (RFC 9110, 5.6.7).
public enum HTTPDate {
  /// Reads the form that everybody sends, `Sun, 06 Nov 1994 08:49:37 GMT`.
  /// - Returns: nil for anything else, the two obsolete forms among it.
  public static func read(_ text: String) -> Date? {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.date(from: text)
  }
}
