import Runtime

/// RSS 2.0 written as JSON (https://github.com/scripting/Scripting-News/blob/master/rss-in-json/README.md): an element is a member,
/// attributes are members of an object whose text is `#value`, repeated elements are an array.
enum RSSInJSON {
  static func read(_ rss: JSONNode, links: DocumentLinks) throws(JSONFormat.Failure) -> ParsedFeed {
    var reader = RSSReader(links: links, format: .rssInJSON)
    try report(rss.members, to: &reader)
    return reader.feedAtEnd()
  }

  /// Calls the reader of RSS as the parser of the same document in XML would.
  private static func report(_ members: [JSONNode.Member], to reader: inout RSSReader) throws(JSONFormat.Failure) {
    for member in members {
      let name = XMLName(member: member.name)
      for element in member.node.elements {
        switch reader.start(name, ElementAttributes(element), base: nil) {
        case .skip: continue
        case .refuse(let reason): throw .init(reason: .refused(reason), offset: element.range.lowerBound)
        case .enter:
          try report(element.members, to: &reader)
          reader.leave()
        case .text, .html, .xhtml: reader.content(of: name, element.text ?? element["#value"]?.text ?? "", base: nil)
        }
      }
    }
  }
}
