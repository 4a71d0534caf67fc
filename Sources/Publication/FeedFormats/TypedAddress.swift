import Foundation

extension WebLinks {
  /// The address of a feed that a person typed, with a scheme. White space around it is removed, and so is `feed:`, by which some pages
  /// pass it to feed readers. Without a scheme it gets `https`, or `http` on this computer and in its network, where servers are seldom
  /// encrypted.
  public static func typed(_ text: String) -> String {
    var text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if text.lowercased().hasPrefix("feed:") {
      text = String(text.dropFirst(5))
      if text.hasPrefix("//") { text = String(text.dropFirst(2)) }
    }
    guard !text.contains("://") else { return text }
    return (URLComponents(string: "http://" + text)?.host.map(isNearby) == true ? "http://" : "https://") + text
  }

  /// Whether a host is this computer or in a private network: RFC 1918, 3927, 4193, 4291 and 6761.
  private static func isNearby(_ host: String) -> Bool {
    let host = host.lowercased().trimmingCharacters(in: ["[", "]"])
    if host == "localhost" || host.hasSuffix(".localhost") || host.hasSuffix(".local") { return true }
    // Only addresses have colons.
    if host.contains(":") { return host == "::1" || ["fc", "fd", "fe8", "fe9", "fea", "feb"].contains { host.hasPrefix($0) } }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { UInt8($0) }
    guard parts.count == 4, numbers.count == 4 else { return false }
    switch (numbers[0], numbers[1]) {
    case (127, _), (10, _), (192, 168), (169, 254), (172, 16...31): return true
    default: return false
    }
  }
}
