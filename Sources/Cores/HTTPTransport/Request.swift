import Foundation
import Runtime

/// An HTTP request, with what a client of a publication needs.
public struct Request: Equatable, Sendable {
  /// A method of HTTP, among those that a client of a publication needs.
  public enum Method: String, Equatable, Sendable, CaseIterable, Decodable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
    case head = "HEAD"
  }

  /// What is to be done with the target.
  public var method: Method
  /// An absolute path with its query, percent-encoded (`/v1/posts?limit=20`), which the transport resolves against its origin; or an
  /// absolute `http` or `https` URL, which only a network transport answers.
  public var target: String
  /// The header fields.
  public var headers: Headers
  /// The body; empty for none.
  public var body: Data
  /// The sender's address, as the listener knows it; `nil` in process, and where the listener cannot tell clients apart.
  public var client: String?

  /// A request without a ``client``. `target` has the form that ``target`` describes, and is made safe (`StreamSafeText`); nothing checks
  /// it.
  public init(_ method: Method, _ target: String, headers: Headers = [:], body: Data = Data()) {
    self.method = method
    self.target = target.streamSafe
    self.headers = headers
    self.body = body
  }

  /// The part of ``target`` before `?`, still percent-encoded.
  public var path: Substring { target[..<(target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex)] }

  /// The query's names and values, decoded, in order.
  public var query: [(name: String, value: String)] {
    // By bytes: a listener splits what strangers sent, and characters take twenty times as long.
    target.utf8.dropFirst(path.utf8.count + 1).split(separator: UInt8(ascii: "&")).map { pair in
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      return (Self.decodeParameter(parts[0]), parts.count > 1 ? Self.decodeParameter(parts[1]) : "")
    }
  }

  private static func decodeParameter(_ part: Substring.UTF8View) -> String {
    decode(part, space: UInt8(ascii: "+")) ?? String(decoding: part, as: UTF8.self).streamSafe
  }

  /// A part of a ``target`` without its percent-encoding, made safe (`StreamSafeText`). By bytes: strangers send long ones, and Foundation
  /// takes milliseconds for one.
  /// - Parameter space: what stands for a space; `nil` for nothing but its code.
  /// - Returns: `nil` for what is no percent-encoded UTF-8.
  package static func decode(_ part: Substring.UTF8View, space: UInt8? = nil) -> String? {
    var bytes: [UInt8] = []
    // In an array, where each byte is found in a sixth of the time.
    var rest = Array(part)[...]
    while let byte = rest.popFirst() {
      if byte == space {
        bytes.append(UInt8(ascii: " "))
      } else if byte != UInt8(ascii: "%") {
        bytes.append(byte)
      } else if let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) {
        bytes.append(high << 4 | low)
      } else {
        return nil
      }
    }
    return String(validating: bytes, as: UTF8.self)?.streamSafe
  }

  /// The value of a hexadecimal digit.
  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The first value of a query parameter.
  public func query(_ name: String) -> String? { query.first { $0.name == name }?.value }
}
