/// What the elements of HTML mean to a reader of articles.
enum HTMLElements {
  /// Left out with everything in them.
  static let dropped: Set<String> = [
    "script", "style", "iframe", "form", "select", "button", "textarea", "template", "title", "svg", "canvas", "noframes", "frameset",
    "datalist", "applet",
  ]

  /// These begin on a new line and end one.
  static let blocks: Set<String> = [
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html", "legend", "li",
    "listing", "main", "menu", "nav", "ol", "optgroup", "option", "p", "plaintext", "pre", "section", "summary", "table", "tbody", "tfoot",
    "thead", "tr", "ul", "xmp",
  ]

  static let styles: [String: ArticleBody.Style] = [
    "em": .emphasis, "i": .emphasis, "cite": .emphasis, "dfn": .emphasis, "var": .emphasis, "address": .emphasis,
    "figcaption": .emphasis, "strong": .strong, "b": .strong, "th": .strong, "dt": .strong, "caption": .strong, "summary": .strong,
    "code": .code, "kbd": .code, "samp": .code, "tt": .code, "del": .struck, "s": .struck, "strike": .struck, "sup": .superscript,
    "sub": .subscript,
  ]

  /// A link that may be opened: http, https or mailto, absolute.
  static func link(_ written: String?, _ base: String?) -> String? {
    guard let written, let url = cleaned(written, base) else { return nil }
    return Links.isWeb(url) || url.prefix(7).lowercased() == "mailto:" ? url : nil
  }

  /// A picture or recording that may be loaded: http or https, absolute.
  static func webURL(_ written: String?, _ base: String?) -> String? {
    guard let written, let url = cleaned(written, base), Links.isWeb(url) else { return nil }
    return url
  }

  /// Resolved, with what an address cannot hold left out or escaped.
  private static func cleaned(_ written: String, _ base: String?) -> String? {
    // Nobody follows an address of this length, and nobody but an attacker writes one.
    guard written.utf8.count <= 8192 else { return nil }
    let plain = String(written.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F })
    return Links.resolve(plain, base).replacing(" ", with: "%20")
  }
}
