import Foundation

extension ParsedOutline {
  /// A document that every feed reader imports (OPML 2.0, http://opml.org/spec2.opml): the ``feeds``, one below the other, without folders.
  ///
  /// Names are written as plain text, as most programs read them; the specification allows reading them as HTML.
  public var opml: Data {
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<opml version=\"2.0\">", "  <head>", "    <title>\(Self.escaped(title))</title>",
      "  </head>",
      "  <body>",
    ]
    for feed in feeds {
      let url = feed.feedURL ?? ""
      let name = feed.title.isEmpty ? url : feed.title
      // OPML has this type for feeds of every format.
      var attributes = [("type", "rss"), ("text", name), ("title", name), ("xmlUrl", url)]
      if let home = feed.homeURL { attributes.append(("htmlUrl", home)) }
      if !feed.about.isEmpty { attributes.append(("description", feed.about)) }
      lines.append("    <outline \(attributes.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: " "))/>")
    }
    return Data((lines + ["  </body>", "</opml>", ""]).joined(separator: "\n").utf8)
  }

  private static func escaped(_ text: String) -> String {
    // On one line, and without what XML cannot hold in any form (XML 1.0, 2.2).
    let possible = text.unicodeScalars.map { "\t\n\r".unicodeScalars.contains($0) ? " " : $0 }
      .filter { $0.value >= 0x20 && $0.value & 0xFFFE != 0xFFFE }
    var bytes: [UInt8] = []
    Array(String(String.UnicodeScalarView(possible)).utf8).withUnsafeBufferPointer { bytes.appendEscaped($0, isAttribute: true) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
