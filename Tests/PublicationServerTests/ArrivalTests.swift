import HTTPTransport
import PublicationAPI
import Testing

@testable import PublicationServer

/// How many readers come into being at identity providers.
@Suite struct ArrivalTests {
  private let arrivals = Arrivals()

  /// - Returns: the refusal; `nil` when the reader may be added.
  private func add(_ client: String?, by issuer: String = "a", at uptime: Duration) -> Response? {
    do throws(Refusal) { try arrivals.add(from: client, by: issuer, named: "Example", at: uptime) } catch { return error.response }
    return nil
  }

  @Test func aClientBringsTwentyWithinAnHour() throws {
    for number in 0..<20 { #expect(add("203.0.113.5", by: "\(number % 3)", at: .seconds(number)) == nil) }
    let refused = try #require(add("203.0.113.5", by: "another", at: .milliseconds(99_500)))
    #expect(refused.status == 429 && refused.headers["Retry-After"] == "3501")
    #expect(try refused.problem.code == .tooManyAttempts)
    #expect(try refused.problem.title == "There were too many new readers from your network within an hour. Try again later.")
    #expect(add("203.0.113.6", at: .seconds(100)) == nil)
    // One place is free for each hour that is over, and whoever was refused took none.
    #expect(add("203.0.113.5", at: .milliseconds(3_599_999)) != nil)
    #expect(add("203.0.113.5", at: .seconds(3600)) == nil)
    #expect(add("203.0.113.5", at: .seconds(3600)) != nil)
    #expect(add("203.0.113.5", at: .seconds(3601)) == nil)
  }

  @Test func aProviderBringsAThousandWithinAnHour() throws {
    for number in 0..<1000 { #expect(add(number.isMultiple(of: 2) ? nil : "client \(number)", at: .milliseconds(number)) == nil) }
    for client in [nil, "another"] {
      let refused = try #require(add(client, at: .seconds(10)))
      #expect(refused.status == 429 && refused.headers["Retry-After"] == "3590")
      #expect(try refused.problem.title == "There were too many new readers by Example within an hour. Try again later.")
      #expect(add(client, by: "b", at: .seconds(10)) == nil)
    }
    #expect(add(nil, at: .seconds(3600)) == nil)
  }

  @Test func clientsThatCannotBeToldApartAreNotOne() {
    for number in 0..<100 { #expect(add(nil, at: .seconds(number)) == nil) }
  }
}
