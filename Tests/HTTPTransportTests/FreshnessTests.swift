import Foundation
import Testing

@testable import HTTPTransport

@Suite struct FreshnessTests {
  @Test(arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
  func allThreeFormsOfADateAreRead(text: String) {
    #expect(HTTPDate.read(text) == Date(timeIntervalSince1970: 784_111_777))
  }

  @Test(arguments: ["", "now", "1994-11-06T08:49:37Z", "Sun, 32 Nov 1994 08:49:37 GMT"])
  func whatIsNoDateIsNone(text: String) { #expect(HTTPDate.read(text) == nil) }

  private static let now = HTTPDate.read("Mon, 06 Nov 2023 12:00:00 GMT") ?? .distantPast

  @Test(
    arguments: [
      (["Cache-Control": "max-age=60"], 60), (["Cache-Control": "public, MAX-AGE=\"60\", immutable"], 60),
      (["Cache-Control": "max-age=60", "Age": "50"], 10), (["Cache-Control": "max-age=60", "Age": "70"], 0),
      (["Cache-Control": "max-age=60", "Expires": "Mon, 06 Nov 2023 23:00:00 GMT"], 60), (["Cache-Control": "max-age=-5"], 0),
      (["Cache-Control": "max-age=nan"], 0), (["Cache-Control": "max-age=9e999"], 0), (["Cache-Control": "max-age=soon"], 0),
      (["Cache-Control": "max-age=60, " + String(repeating: "a,", count: 200_000) + "no-store"], 60),
      (["Cache-Control": "max-age"], 0), (["Cache-Control": "max-age=99999999999999999999"], 365 * 86_400),
      (["Cache-Control": "no-cache"], 0), (["Cache-Control": "no-cache, max-age=60"], 0), (["Cache-Control": "no-store"], nil),
      (["Cache-Control": "no-store, max-age=60"], nil), (["Vary": "*"], nil), (["Vary": "Accept"], 86_400), ([:], 86_400),
      (["Expires": "Mon, 06 Nov 2023 12:01:00 GMT"], 60), (["Expires": "0"], 0),
      (["Expires": "Mon, 06 Nov 2023 12:01:00 GMT", "Date": "Mon, 06 Nov 2023 12:00:30 GMT"], 30),
      (["Last-Modified": "Sun, 05 Nov 2023 12:00:00 GMT"], 8640), (["Last-Modified": "Mon, 06 Nov 2017 12:00:00 GMT"], 7 * 86_400),
      (["Last-Modified": "Tue, 07 Nov 2023 12:00:00 GMT"], 0),
    ] as [([String: String], Double?)])
  func anAnswerIsGoodFor(_ fields: [String: String], _ seconds: Double?) {
    var headers = Headers()
    for (name, value) in fields { headers.add(name, value) }
    #expect(Freshness.lifetime(of: headers, receivedAt: Self.now) == seconds)
  }
}
