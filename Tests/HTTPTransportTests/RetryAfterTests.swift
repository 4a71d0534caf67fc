import Foundation
import HTTPTransport
import Testing

@Suite struct RetryAfterTests {
  /// Mon, 06 Nov 2023 12:00:00 GMT.
  private static let now = Date(timeIntervalSince1970: 1_699_272_000)

  @Test(
    arguments: [
      ("120", nil, 120), ("0", nil, 0), ("007", nil, 7), ("86401", nil, 86_400), ("99999999999999999999999", nil, 86_400),
      ("", nil, nil), ("-1", nil, nil), ("+1", nil, nil), ("1.5", nil, nil), ("soon", nil, nil), ("2023-11-06T12:01:30Z", nil, nil),
      // All three forms of a date, by the clock here.
      ("Mon, 06 Nov 2023 12:01:30 GMT", nil, 90), ("Monday, 06-Nov-23 12:01:30 GMT", nil, 90), ("Mon Nov  6 12:01:30 2023", nil, 90),
      ("Mon, 06 Nov 2023 11:59:59 GMT", nil, 0), ("Sun, 06 Nov 1994 08:49:37 GMT", nil, 0), ("Wed, 06 Nov 2069 12:00:00 GMT", nil, 86_400),
      ("Tue, 07 Nov 2023 12:00:01 GMT", nil, 86_400),
      // By the server's own, where it says it: the clock here may be wrong.
      ("Mon, 06 Nov 2023 18:01:30 GMT", "Mon, 06 Nov 2023 18:00:00 GMT", 90), ("120", "Mon, 06 Nov 2023 18:00:00 GMT", 120),
      ("Mon, 06 Nov 2023 12:01:30 GMT", "Mon, 06 Nov 2023 18:00:00 GMT", 0),
      ("Mon, 06 Nov 2023 12:01:30 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", 86_400), ("Mon, 06 Nov 2023 12:01:30 GMT", "today", 90),
    ] as [(String, String?, Int?)])
  func anAnswerAsksFor(_ value: String, _ sent: String?, _ seconds: Int?) {
    var headers: Headers = ["Retry-After": value]
    headers["Date"] = sent
    #expect(headers.retryAfter(at: Self.now) == seconds.map { .seconds($0) })
  }

  @Test func withinASecondItIsNotYetThen() {
    let headers: Headers = ["Retry-After": "Mon, 06 Nov 2023 12:01:30 GMT"]
    #expect(headers.retryAfter(at: Self.now.addingTimeInterval(0.25)) == .seconds(90))
    #expect(Headers().retryAfter(at: Self.now) == nil)
  }
}
