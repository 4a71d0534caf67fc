import XCTest

@testable import FeedFormats

final class FeedDateTests: XCTestCase {
  /// The moment in RFC 3339, or `nil`.
  private func parsed(_ text: String) -> String? { FeedDate.parse(text).map { $0.formatted(.iso8601) } }

  private func check(_ expected: String?, _ texts: String..., line: UInt = #line) {
    for text in texts { XCTAssertEqual(parsed(text), expected, text, line: line) }
  }

  func testRFC3339() {
    check("2003-12-13T18:30:02Z", "2003-12-13T18:30:02Z", "2003-12-13t18:30:02z", "2003-12-13T19:30:02+01:00", "2003-12-13T13:30:02-0500")
    check("2003-12-13T18:30:02Z", "2003-12-13 18:30:02", "2003-12-13T18:30:02", " 2003-12-13T18:30:02Z\n", "2003-12-13 18:30:02 +0000")
    check("2003-12-13T18:30:00Z", "2003-12-13T18:30Z", "2003-12-13T18:30+00:00")
    check("2003-12-13T00:00:00Z", "2003-12-13", "2003/12/13")
    check("2003-12-01T00:00:00Z", "2003-12")
    check("2003-01-01T00:00:00Z", "2003")
    check("2004-02-29T00:00:00Z", "2004-02-29")
    check("2003-12-13T18:30:02Z", "2003-12-13T18:30:02.25Z", "2003-12-13T18:30:02,25Z", "2003-12-13T18:30:02.123456789Z")
  }

  func testFractionsAreKept() throws {
    let date = try XCTUnwrap(FeedDate.parse("2003-12-13T18:30:02.25+01:00"))
    XCTAssertEqual(date.timeIntervalSince1970, 1_071_336_602.25, accuracy: 0.0001)
  }

  func testRFC822() {
    check("2002-09-07T00:00:01Z", "Sat, 07 Sep 2002 00:00:01 GMT", "Sat, 7 Sep 2002 0:00:01 UT", "07 Sep 2002 00:00:01 Z")
    check("2002-09-07T00:00:00Z", "7 Sep 02 00:00 UTC", "Sat, 07 Sep 2002 02:00 +0200", "Fri, 06 Sep 2002 19:00:00 -0500")
    check("1994-09-07T10:00:00Z", "Wed, 07 Sep 94 10:00:00 GMT")
    // Four digits are the year, also where that is none that feeds have.
    check(nil, "07 Sep 1000 10:00:00 GMT")
  }

  func testZoneNames() {
    let hours = [
      "EST": 5, "EDT": 4, "CST": 6, "CDT": 5, "MST": 7, "MDT": 6, "PST": 8, "PDT": 7, "AKST": 9, "HST": 10, "AST": 4, "GMT": 0, "UT": 0,
      "UTC": 0, "Z": 0, "WET": 0, "BST": -1, "CET": -1, "CEST": -2, "EET": -2, "EEST": -3, "MSK": -3, "JST": -9, "AEST": -10, "NZST": -12,
    ]
    for (name, shift) in hours {
      let date = FeedDate.parse("Sat, 07 Sep 2002 12:00:00 \(name)")
      XCTAssertEqual(date?.timeIntervalSince1970, 1_031_400_000 + Double(shift) * 3600, name)
    }
    check("2002-09-07T06:30:00Z", "Sat, 07 Sep 2002 12:00:00 IST")
    check("2002-09-07T12:00:00Z", "Sat, 07 Sep 2002 12:00:00 A", "Sat, 07 Sep 2002 12:00:00 XYZT", "Sat, 07 Sep 2002 12:00:00")
  }

  func testSloppyForms() {
    let noon = "2019-05-29T12:00:00Z"
    check(noon, "Wed, 29 May 2019 12:00:00 GMT ", "Wed,29 May 2019 12:00:00 GMT", "Wednesday, 29 May 2019 12:00:00 GMT")
    check(noon, "29 May 2019 12:00:00 +0000 (UTC)", "Wed, 29-May-2019 12:00:00 GMT", "29-May-19 12:00:00 GMT", "Wed May 29 12:00:00 2019")
    check(noon, "Wed May 29 12:00:00 GMT 2019", "Wed May 29 08:00:00 EDT 2019", "May 29, 2019 12:00 PM", "May 29, 2019, 2:00 pm +02:00")
    check(noon, "Wed, 29 May 2019 12:00:00 +00:00", "Tues, 29 May 2019 13:00:00 GMT+1", "Wed,  29  May  2019  12:00:00.000  GMT")
    check("2019-05-29T00:00:00Z", "29 May 2019", "May 29, 2019", "Wed, 29 May 2019 12:00:00 AM GMT", "Tue, 28 May 2019 24:00:00 GMT")
    check("2019-09-03T00:00:00Z", "3 Sept 2019", "3 September 2019", "September 3, 2019")
    check("2017-01-01T00:00:00Z", "Sat, 31 Dec 2016 23:59:60 GMT")
  }

  func testWhatIsNoDate() {
    check(nil, "", "yesterday", "0001-01-01T00:00:00Z", "2003-13-01", "2003-02-30", "2003-02-29", "Sat, 32 Sep 2002 00:00:00 GMT")
    check(nil, "Sat, 07 Sep 2002 25:00:00 GMT", "Sat, 07 Sep 2002 10:61:00 GMT", "07 2002", "Sep 2002 10:00", "12:00:00", "99999999")
    check(nil, "2003-12-13T18:30:02+99:00", String(repeating: "1", count: 5000), "Sat, 07 Sep 2002 10:00:00 \u{1F3AC}")
    check(nil, "--", "+", "-", "1:", "((((((((")
  }
}
