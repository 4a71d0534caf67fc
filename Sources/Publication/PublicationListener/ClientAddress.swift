import CMicroHTTPD
import Foundation
import HTTPTransport

/// Who sent a request, for limits: an IPv4 address, or the /64 network of an IPv6 address, since one client has all of it.
enum ClientAddress {
  /// The client at the other end; behind a trusted proxy the one that it forwards for. Nil for loopback, where clients cannot be
  /// distinguished: this machine's own programs, or a proxy that is not configured.
  static func of(_ connection: OpaquePointer, _ headers: Headers, trusting proxies: Set<String>) -> String? {
    guard let peer = peer(connection) else { return nil }
    return choose(
      peer: peer, forwarded: headers.fields.filter { $0.name.lowercased() == "x-forwarded-for" }.map(\.value), trusting: proxies)
  }

  /// The client at the other end of a connection itself; nil where ``of(_:_:trusting:)`` is, and for a trusted proxy.
  static func other(_ connection: OpaquePointer, than proxies: Set<String>) -> String? {
    guard let peer = peer(connection), !isTrusted(peer, proxies) else { return nil }
    return choose(peer: peer, forwarded: [], trusting: [])
  }

  /// The address of a proxy on this machine that forwards for others, and is not among those that are named.
  static func unnamedProxy(_ connection: OpaquePointer, _ headers: Headers, trusting proxies: Set<String>) -> String? {
    guard headers["X-Forwarded-For"] != nil, let peer = peer(connection), !isTrusted(peer, proxies) else { return nil }
    guard let bytes = bytes(peer), isLoopback(bytes) else { return nil }
    return bytes.count == 4 ? name(bytes) : peer
  }

  /// - Parameter forwarded: the values of `X-Forwarded-For`, to each of which a proxy appends the address that it got the request from.
  static func choose(peer: String, forwarded: [String], trusting proxies: Set<String>) -> String? {
    var address = peer
    // From the right: entries further left may be forged. An entry that is no address ends the chain at the proxy.
    for next in chain(forwarded) {
      guard isTrusted(address, proxies), bytes(next) != nil else { break }
      address = next
    }
    guard let bytes = bytes(address) else { return address }
    return isLoopback(bytes) ? nil : name(bytes)
  }

  /// No request passes more proxies, while a head has room for thousands of addresses.
  private static let longestChain = 20

  /// The last addresses of the fields, last first.
  private static func chain(_ forwarded: [String]) -> [String] {
    var chain: [String] = []
    for field in forwarded.reversed() {
      var rest = field.utf8[...]
      while chain.count < longestChain, !rest.isEmpty {
        let start = rest.lastIndex(of: UInt8(ascii: ",")).map { rest.index(after: $0) } ?? rest.startIndex
        // A longer one than an address with brackets, zone and port is none.
        let text = rest[start...].prefix(100)
        if !text.isEmpty { chain.append(String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespaces)) }
        rest = rest[..<start].dropLast()
      }
    }
    return chain
  }

  private static func isTrusted(_ address: String, _ proxies: Set<String>) -> Bool {
    guard let address = bytes(address) else { return false }
    return proxies.contains { bytes($0) == address }
  }

  private static func isLoopback(_ bytes: [UInt8]) -> Bool { bytes.count == 4 ? bytes[0] == 127 : bytes == loopback }

  private static let loopback = [UInt8](repeating: 0, count: 15) + [1]
  private static let mapped = [UInt8](repeating: 0, count: 10) + [255, 255]

  /// The four bytes of an IPv4 address, also of one in IPv6, or the sixteen of an IPv6 address; without the port or the zone that may
  /// follow. Nil for any other text.
  private static func bytes(_ text: String) -> [UInt8]? {
    if let four = packed(withoutPort(text), AF_INET, 4) { return four }
    guard let sixteen = packed(String(withoutPort(text).prefix { $0 != "%" }), AF_INET6, 16) else { return nil }
    return sixteen.starts(with: mapped) ? Array(sixteen.suffix(4)) : sixteen
  }

  /// The address of `9.9.9.8:1000` or `[::1]:80`; any other text as it is.
  private static func withoutPort(_ text: String) -> String {
    let isBracketed = text.hasPrefix("[")
    guard isBracketed || text.count(where: { $0 == ":" }) == 1, let end = text.lastIndex(of: isBracketed ? "]" : ":") else { return text }
    let port = text[end...].drop { $0 == "]" }
    guard port.isEmpty || (port.first == ":" && UInt16(port.dropFirst()) != nil) else { return text }
    return String(text[..<end].dropFirst(isBracketed ? 1 : 0))
  }

  private static func packed(_ text: String, _ family: Int32, _ size: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: size)
    return inet_pton(family, text, &bytes) == 1 ? bytes : nil
  }

  private static func name(_ bytes: [UInt8]) -> String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let network = bytes.count == 4 ? bytes : bytes.prefix(8) + [UInt8](repeating: 0, count: 8)
    inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, network, &text, socklen_t(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) + (bytes.count == 4 ? "" : "/64")
  }

  private static func peer(_ connection: OpaquePointer) -> String? {
    guard let address = matinee_mhd_client(connection) else { return nil }
    let length = address.pointee.sa_family == sa_family_t(AF_INET6) ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    guard getnameinfo(address, socklen_t(length), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
