import Foundation

extension Headers {
  /// Where the next page of a list is (`Link` with `rel="next"`, RFC 8288): a path of the server that answered, with its query. `nil` on the
  /// last page, and for a link that leads to another server.
  public var nextLink: String? {
    for link in self["Link"]?.split(separator: ",") ?? [] {
      let parts = link.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
      guard let target = parts.first, target.hasPrefix("</"), !target.hasPrefix("<//"), target.hasSuffix(">") else { continue }
      if parts.dropFirst().contains(where: { ["rel=\"next\"", "rel=next"].contains($0.lowercased()) }) {
        return String(target.dropFirst().dropLast())
      }
    }
    return nil
  }
}
