import Foundation

/// Dates in header fields (RFC 9110, 5.6.7).
public enum HTTPDate {
  /// The form that senders use, and the two obsolete ones that a recipient has to read (RFC 9110, section 5.6.7).
  private static let forms = ["EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy"]

  /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`. Years of two digits are those
  /// from 1970 to 2069, so that no clock is needed.
  /// - Returns: nil for anything else.
  public static func read(_ text: String) -> Date? {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.twoDigitStartDate = Date(timeIntervalSince1970: 0)
    for form in forms {
      formatter.dateFormat = form
      if let date = formatter.date(from: text) { return date }
    }
    return nil
  }
}
