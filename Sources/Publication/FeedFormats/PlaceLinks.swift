import Foundation
import Runtime

/// The links of a text that lead to another place of the same text, such as a footnote and back.
struct PlaceLinks {
  /// The names of the elements that were read so far.
  private var ids: Set<String> = []
  /// The address on the web for each stored link; `nil` for none.
  private var targets: [String: String?] = [:]

  /// - Returns: whether the name is new; the first element of a name is the one that is meant.
  mutating func add(_ id: String) -> Bool { id.utf8.count <= Self.longest && ids.insert(id).inserted }

  private static let longest = 256

  /// A link as it is stored until the whole text is read: `#` and a name. `nil` when it leads elsewhere.
  /// - Parameter base: the page that the text is on.
  mutating func link(_ written: String?, _ base: String?) -> String? {
    guard let written = written?.trimmed, let mark = written.firstIndex(of: "#") else { return nil }
    let name = written[written.index(after: mark)...]
    guard !name.isEmpty, name.utf8.count <= 3 * Self.longest else { return nil }
    guard mark == written.startIndex || Self.isSamePage(Links.resolve(String(written[..<mark]), base), base) else { return nil }
    let storedLink = "#" + (name.removingPercentEncoding ?? String(name)).streamSafe
    targets[storedLink] = .some(HTMLElements.link(written, base))
    return storedLink
  }

  /// Whether two addresses are those of one page, which feeds write with or without TLS, a slash at the end, or tracking parameters.
  private static func isSamePage(_ link: String, _ base: String?) -> Bool {
    guard let base, let link = URLComponents(string: link), let base = URLComponents(string: base), link.host != nil else { return false }
    let paths = [link.path.streamSafe, base.path.streamSafe].map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    return link.host?.streamSafe.lowercased() == base.host?.streamSafe.lowercased() && link.port == base.port && paths[0] == paths[1]
      && (link.query?.streamSafe == base.query?.streamSafe || link.query == nil)
  }

  /// The blocks with these links as they stay: links without a target lead to the web again, and names without a link are left out.
  func settled(in blocks: [ArticleBody.Block]) -> [ArticleBody.Block] {
    if targets.isEmpty, ids.isEmpty { return blocks }
    return blocks.map(settled)
  }

  private func settled(_ block: ArticleBody.Block) -> ArticleBody.Block {
    switch block {
    case .paragraph(let inlines): return .paragraph(inlines.map(settled))
    case .heading(let level, let inlines): return .heading(level: level, inlines.map(settled))
    case .list(let items): return .list(items.map { .init($0.marker, $0.blocks.map(settled)) })
    case .quote(let blocks): return .quote(blocks.map(settled))
    case .table(var table):
      table.caption = table.caption.map(settled)
      for (row, cells) in table.rows.enumerated() {
        for cell in cells.indices { table.rows[row][cell].blocks = cells[cell].blocks.map(settled) }
      }
      return .table(table)
    case .image(var image):
      image.link = settled(image.link)
      image.caption = image.caption.map(settled)
      return .image(image)
    case .code, .rule: return block
    }
  }

  private func settled(_ inline: ArticleBody.Inline) -> ArticleBody.Inline {
    var inline = inline
    inline.link = settled(inline.link)
    if !inline.ids.isEmpty { inline.ids.removeAll { targets["#" + $0] == nil } }
    return inline
  }

  private func settled(_ link: String?) -> String? {
    guard let link, let target = targets[link] else { return link }
    return ids.contains(String(link.dropFirst())) ? link : target
  }
}
