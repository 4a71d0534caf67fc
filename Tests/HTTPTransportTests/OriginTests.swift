import HTTPTransport
import Testing

@Suite struct OriginTests {
  @Test(arguments: [
    ("https://example.org", "https://example.org"), ("HTTPS://Example.ORG/", "https://example.org"),
    ("https://example.org:443", "https://example.org"), ("http://example.org:443", "http://example.org:443"),
    ("http://[::1]:8080", "http://[::1]:8080"), ("https://bücher.example", "https://xn--bcher-kva.example"),
  ])
  func anOriginIsWrittenInOneWay(address: String, text: String) throws {
    #expect(try Origin(address).text == text)
    #expect(Origin(of: address) == (try Origin(address)))
  }

  @Test(arguments: [
    ("example.org", "not “example.org”"), ("ftp://example.org", "not “ftp://example.org”"), ("https://", "not “https://”"),
    ("https://example.org:70000", "not “https://example.org:70000”"),
    ("https://example.org/a", "and “https://example.org/a” has a path"),
    ("https://example.org?a", "and “https://example.org?a” has a query"),
    ("https://a@example.org", "and “https://a@example.org” has a user name"),
  ])
  func whatIsNoOriginIsRefusedWithTheReason(address: String, reason: String) {
    #expect(#expect(throws: Origin.Failure.self) { try Origin(address) }?.reason == reason)
  }

  @Test func aURLHasTheOriginOfItsServer() throws {
    #expect(Origin(of: "https://example.org/a?b#c") == (try Origin("https://example.org")))
    #expect(Origin(of: "https://example.org:8443/a") != (try Origin("https://example.org")))
    #expect(Origin(of: "/a") == nil)
  }
}
