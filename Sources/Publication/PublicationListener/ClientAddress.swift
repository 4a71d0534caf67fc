import CMicroHTTPD
import Foundation
import HTTPTransport

/// Who sent a request, as far as limits are concerned.
enum ClientAddress {
  /// The address of the other end; of a trusted proxy the one that it forwards for. Nil for loopback, where it tells nobody apart: it is
  /// this machine's own programs, or a proxy that was not named.
  static func of(_ connection: OpaquePointer, _ headers: Headers, trusting proxies: Set<String>) -> String? {
    guard let peer = peer(connection) else { return nil }
    return choose(
      peer: peer, forwarded: headers.fields.filter { $0.name.lowercased() == "x-forwarded-for" }.map(\.value), trusting: proxies)
  }

  /// - Parameter forwarded: the values of `X-Forwarded-For`, to each of which a proxy adds at the right whom it got the request from.
  static func choose(peer: String, forwarded: [String], trusting proxies: Set<String>) -> String? {
    var address = peer
    var chain = forwarded.flatMap { $0.split(separator: ",") }.map { $0.trimmingCharacters(in: .whitespaces) }
    // From the right: what stands further left may have been written by anybody.
    while proxies.contains(address), let next = chain.popLast(), !next.isEmpty { address = String(next.prefix(64)) }
    return isLoopback(address) ? nil : address
  }

  private static func isLoopback(_ address: String) -> Bool {
    address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
  }

  private static func peer(_ connection: OpaquePointer) -> String? {
    guard let address = matinee_mhd_client(connection) else { return nil }
    let length = address.pointee.sa_family == sa_family_t(AF_INET6) ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    guard getnameinfo(address, socklen_t(length), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
