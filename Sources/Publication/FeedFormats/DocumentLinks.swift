/// The relative links of one document, resolved as long as that takes no longer than the document itself.
///
/// Resolving a link takes time in proportion to the length of its base, also where the result is thrown away. So all links of a document
/// share one room. It is an object, since the parser of the document and its readers share it.
final class DocumentLinks {
  /// The base that the document's origin gives.
  let base: String?
  /// How many bytes of bases may still be read.
  private var left: Int

  /// - Parameters:
  ///   - source: the document's origin, see ``FeedParser/document(_:source:contentType:limit:)``.
  ///   - bytes: its length.
  init(source: String, bytes: Int) {
    base = Links.base(source)
    // The shortest element with a link has about fifteen bytes. The base of a feed seldom has more than four times as many.
    left = 4 * Links.mostAdded(to: bytes)
  }

  /// A link as ``Links/resolve(_:_:_:)`` has it.
  func resolve(_ link: String, _ base: String?) -> String { Links.resolve(link, base, &left) }

  /// The same, for what has a room of its own as well.
  func resolve(_ link: String, _ base: String?, _ room: inout Int) -> String {
    let both = min(room, left)
    var rest = both
    let resolved = Links.resolve(link, base, &rest)
    room -= both - rest
    left -= both - rest
    return resolved
  }

  /// A link as an absolute http or https one; `nil` for one that leads elsewhere, or nowhere without a base, and for one that is too long
  /// for lists.
  func web(_ link: String, _ base: String?) -> String? {
    let url = resolve(link, base)
    return Links.isListed(url) ? url : nil
  }
}
