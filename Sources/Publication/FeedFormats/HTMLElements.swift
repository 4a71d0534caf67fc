/// What the elements of HTML mean to a reader of articles.
enum HTMLElements {
  /// Left out with everything in them.
  static let dropped: Set<String> = [
    "script", "style", "iframe", "form", "select", "button", "textarea", "template", "title", "svg", "canvas", "noframes", "frameset",
    "datalist", "applet",
  ]

  /// These start on a new line and end one.
  static let blocks: Set<String> = [
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html", "legend", "li",
    "listing", "main", "menu", "nav", "ol", "optgroup", "option", "p", "plaintext", "pre", "section", "summary", "table", "tbody", "td",
    "tfoot", "th", "thead", "tr", "ul", "xmp",
  ]

  /// Elements whose end tags authors leave out: the start of one ends others, unless another element is in between.
  static let ended: [String: (names: Set<String>, scope: Set<String>)] = [
    "li": (["li"], ["ul", "ol", "menu", "dir"]), "dt": (["dt", "dd"], ["dl"]), "dd": (["dt", "dd"], ["dl"]),
    "td": (["td", "th"], ["tr", "table"]), "th": (["td", "th"], ["tr", "table"]), "tr": (["tr"], ["table"]),
    "thead": (["thead", "tbody", "tfoot"], ["table"]), "tbody": (["thead", "tbody", "tfoot"], ["table"]),
    "tfoot": (["thead", "tbody", "tfoot"], ["table"]),
  ]

  static let styles: [String: ArticleBody.Style] = [
    "em": .emphasis, "i": .emphasis, "cite": .emphasis, "dfn": .emphasis, "var": .emphasis, "address": .emphasis,
    "strong": .strong, "b": .strong, "dt": .strong, "summary": .strong, "code": .code, "kbd": .code, "samp": .code, "tt": .code,
    "del": .struck, "s": .struck, "strike": .struck, "sup": .superscript, "sub": .subscript,
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

  /// A picture's address. A lazily loaded one has its real address beside a placeholder.
  static func picture(_ attributes: HTMLAttributes, _ base: String?) -> String? {
    for name in ["data-src", "data-lazy-src", "data-original", "src"] {
      if let url = webURL(attributes[name], base) { return url }
    }
    // Several sizes of one picture; the first will do.
    return webURL(attributes["srcset"].flatMap { $0.split(maxSplits: 1, whereSeparator: \.isWhitespace).first.map(String.init) }, base)
  }

  /// A size in pixels, such as `600` or `600px`.
  static func pixels(_ written: String) -> Int? {
    guard !written.contains("%") else { return nil }
    return Int(written.prefix { $0.isASCII && $0.isNumber })
  }

  /// Resolved, with what an address cannot hold left out or escaped.
  private static func cleaned(_ written: String, _ base: String?) -> String? {
    // No link has an address of this length, except an attacker's.
    guard written.utf8.count <= Links.longest else { return nil }
    let plain = String(written.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F })
    return Links.resolve(plain, base).replacingASCII(" ", "%20")
  }
}
