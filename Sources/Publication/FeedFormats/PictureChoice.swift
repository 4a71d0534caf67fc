/// Chooses the picture of an item: the best kind, of one kind the widest, else the first.
struct PictureChoice {
  /// Where a picture was named, worst first.
  enum Kind: Int {
    case body, element, thumbnail, cover, enclosure, media
  }

  private(set) var url: String?
  private var kind = Kind.body
  private var width = 0

  mutating func offer(_ url: String?, _ kind: Kind, width: String? = nil) {
    guard let url = url?.nonEmpty else { return }
    let width = width.flatMap { Int($0) } ?? 0
    guard self.url == nil || (kind.rawValue, width) > (self.kind.rawValue, self.width) else { return }
    self.url = url
    self.kind = kind
    self.width = width
  }

  /// Whether a file of that type, else with that name, is a picture.
  static func isPicture(type: String?, medium: String? = nil, url: String?) -> Bool {
    if let medium { return medium.lowercased() == "image" }
    if let type { return type.lowercased().hasPrefix("image/") }
    let path = (url ?? "").lowercased().prefix { $0 != "?" && $0 != "#" }
    return [".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif"].contains { path.hasSuffix($0) }
  }
}
