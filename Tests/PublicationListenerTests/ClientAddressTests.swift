import Foundation
import HTTPTransport
import TestSupport
import Testing

@testable import PublicationListener

/// Who asks, as limits count: the other end, or whom a named proxy forwards for.
@Suite struct ClientAddressTests {
  @Test(
    arguments: [
      ("203.0.113.5", [], "203.0.113.5"), ("127.0.0.1", [], nil), ("127.0.0.1", ["203.0.113.9"], nil),
      ("192.0.2.1", ["203.0.113.9"], "203.0.113.9"), ("192.0.2.1", ["10.0.0.1, 203.0.113.9"], "203.0.113.9"),
      ("192.0.2.1", ["198.51.100.1, 203.0.113.9", "192.0.2.2"], "203.0.113.9"), ("192.0.2.1", [], "192.0.2.1"),
      ("203.0.113.5", ["198.51.100.1"], "203.0.113.5"), ("::1", [], nil), ("192.0.2.1", [""], "192.0.2.1"),
      ("192.0.2.1", ["203.0.113.9:1000"], "203.0.113.9"), ("192.0.2.1", ["[2001:db8::1]:80"], "2001:db8::/64"),
      ("192.0.2.1", ["[2001:db8::1]"], "2001:db8::/64"), ("192.0.2.1", ["[::1]:80"], nil),
      ("2001:DB8:1:2:3::4", [], "2001:db8:1:2::/64"), ("2001:db8:1:2:ffff::", [], "2001:db8:1:2::/64"),
      ("fe80::1%eth0", [], "fe80::/64"), ("::ffff:203.0.113.7", [], "203.0.113.7"), ("::FFFF:cb00:7107", [], "203.0.113.7"),
      ("::ffff:192.0.2.1", ["203.0.113.9"], "203.0.113.9"), ("::ffff:127.0.0.1", [], nil),
      ("192.0.2.1", ["unknown"], "192.0.2.1"), ("192.0.2.1", ["203.0.113.9, _hidden"], "192.0.2.1"),
      ("192.0.2.1", ["9.9.9.8:x"], "192.0.2.1"), ("192.0.2.1", ["[2001:db8::1"], "192.0.2.1"),
      ("2001:db8:a::1", ["203.0.113.9"], "203.0.113.9"), ("2001:db8:a::2", ["203.0.113.9"], "2001:db8:a::/64"),
    ] as [(String, [String], String?)])
  func onlyNamedProxiesAreBelieved(peer: String, forwarded: [String], client: String?) {
    #expect(ClientAddress.choose(peer: peer, forwarded: forwarded, trusting: ["192.0.2.1", "192.0.2.2", "2001:DB8:A:0::1"]) == client)
  }

  /// There is room for thousands in a head, and each of them would have to be read.
  @Test func noMoreProxiesThanThereAre() {
    let proxy = "192.0.2.1"
    let through = { ["203.0.113.9", Array(repeating: proxy, count: $0).joined(separator: ", ")] }
    #expect(ClientAddress.choose(peer: proxy, forwarded: through(19), trusting: [proxy]) == "203.0.113.9")
    #expect(ClientAddress.choose(peer: proxy, forwarded: through(20), trusting: [proxy]) == proxy)
    let fields = ["203.0.113.9,,", ",", String(repeating: ",", count: 15_000)]
    #expect(ClientAddress.choose(peer: proxy, forwarded: fields, trusting: [proxy]) == "203.0.113.9")
    let long = String(repeating: " ", count: 200) + "203.0.113.9"
    #expect(ClientAddress.choose(peer: proxy, forwarded: [long], trusting: [proxy]) == proxy)
  }

  @Test func aNamedProxyIsBelieved() async throws {
    var limits = Listener.Limits()
    limits.trustedProxies = ["127.0.0.1"]
    let echo = try EchoListener(limits: limits)
    let client = try RawClient(port: echo.listener.port)
    for fields in ["X-Forwarded-For: 203.0.113.5\r\n", "X-Forwarded-For: 10.0.0.1, 2001:db8::1\r\n", ""] {
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\(fields)\r\n")
      #expect(try await client.answer().status == 200)
    }
    #expect(echo.requests.map(\.client) == ["203.0.113.5", "2001:db8::/64", nil])
    #expect(echo.proxies == [])
    await echo.listener.stop()
  }

  @Test func aProxyThatIsNotNamedIsToldOfOnce() async throws {
    var limits = Listener.Limits()
    limits.trustedProxies = ["192.0.2.1"]
    let echo = try EchoListener(limits: limits)
    for (fields, proxies) in [("", []), ("X-Forwarded-For: 203.0.113.5\r\n", ["127.0.0.1"]), ("x-forwarded-for: x\r\n", ["127.0.0.1"])] {
      let client = try RawClient(port: echo.listener.port)
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\(fields)\r\n")
      #expect(try await client.answer().status == 200)
      #expect(echo.proxies == proxies)
    }
    #expect(echo.requests.map(\.client) == [nil, nil, nil])
    await echo.listener.stop()
  }

  /// Connections count for the other end, unless that is a named proxy.
  @Test(.enabled(if: RawClient.ownAddress != nil, "this machine has no address but loopback"), arguments: [false, true])
  func aClientHasAQuarterOfThePlaces(isNamed: Bool) async throws {
    let address = try #require(RawClient.ownAddress)
    var limits = Listener.Limits()
    limits.connections = 8
    if isNamed { limits.trustedProxies = [address] }
    let echo = try EchoListener(limits: limits)
    echo.hold()
    let first = try RawClient(port: echo.listener.port, from: address)
    try await first.send("GET /first HTTP/1.1\r\n")
    // Whoever is being answered keeps the place.
    var others: [RawClient] = []
    for number in 1...2 {
      let client = try RawClient(port: echo.listener.port, from: address)
      try await client.send("GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
      await echo.waitForRequests(number)
      others.append(client)
    }
    #expect(echo.requests.map(\.client) == [address, address])
    echo.release()
    try? await first.send("Host: x\r\nConnection: close\r\n\r\n")
    #expect(try await first.rest().hasSuffix("GET /first 0") == isNamed)
    for (number, client) in others.enumerated() { #expect(try await client.answer().body == "GET /\(number + 1) 0") }
    await echo.listener.stop()
  }
}
