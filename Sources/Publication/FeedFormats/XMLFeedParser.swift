import CXML2
import Foundation

/// Reads one XML document through libxml2's event interface (SAX2) and passes its elements to the reader of its format.
///
/// Nothing is fetched, what a document declares is left out, and libxml2's own limits on depth and length stay in force. It is a value behind a pointer while libxml2 works: reports of three letters each come by the
/// thousand, and each would be counted and checked on its way into an object.
struct XMLFeedParser {
  private let links: DocumentLinks
  private var reader: (any XMLFeedReader)?
  private var context: xmlParserCtxtPtr?

  private var names = ElementNames()
  private var bases: [(depth: Int, url: String)] = []
  private var depth = 0
  private var skippedDepth: Int?
  private var writer: MarkupWriter?
  private var writerDepth = 0
  private var written: XMLName?
  private var sawRoot = false
  private var failure: Failure?

  /// The first thing that was wrong.
  struct Failure {
    var code: xmlParserErrors
    var message: String
    var line: Int
    var column: Int
    var isAtEnd: Bool
    var isBeforeRoot: Bool
    var reason: FeedError.Reason?
  }

  private static let tooManyNames = FeedError.Reason.refused("it has too many different names")

  /// - Parameter links: those of the document.
  init(links: DocumentLinks) { self.links = links }

  /// Whether ``XMLRepair`` may put right what was wrong.
  var mayBeRepaired: Bool { failure.map { $0.reason == nil && XMLRepair.mayHelp($0.code) } ?? false }

  /// - Parameter text: UTF-8, checked here; the document's encoding declaration is ignored.
  mutating func parse(_ text: Data) throws(DocumentError) -> FeedDocument {
    _ = XMLLibrary.isReady
    // libxml2 takes a zero there for UTF-16 or UTF-32, also when it is told to ignore encodings.
    if text.prefix(4).contains(0) { throw DocumentError(.notAFeed("it does not begin like XML")) }
    let text = try DocumentType.removed(from: text)
    if let offset = text.withUnsafeBytes({ XMLLimits.offsetOfFlood($0) }) {
      throw DocumentError(.refused("one of its elements has too many attributes"), at: offset, in: text)
    }
    withUnsafeMutablePointer(to: &self) { parser in text.withUnsafeBytes { Self.run(parser, $0) } }
    if let failure { throw DocumentError(failure) }
    guard var reader else { throw DocumentError(.malformed("it cannot be read as XML")) }
    return reader.finish()
  }

  /// Until this returns the parser is used by the pointer alone.
  private static func run(_ parser: UnsafeMutablePointer<XMLFeedParser>, _ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self), let count = Int32(exactly: bytes.count),
      let context = xmlCreateMemoryParserCtxt(start, count)
    else { return }
    defer {
      xmlFreeParserCtxt(context)
      parser.pointee.context = nil
    }
    parser.pointee.context = context
    context.pointee.sax.pointee = makeHandler()
    xmlCtxtUseOptions(context, Int32(XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue))
    context.pointee.userData = UnsafeMutableRawPointer(parser)
    xmlParseDocument(context)
  }

  // MARK: What libxml2 reports

  fileprivate mutating func start(
    _ local: UnsafePointer<xmlChar>, prefix: UnsafePointer<xmlChar>?, uri: UnsafePointer<xmlChar>?, _ attributes: ElementAttributes
  ) {
    depth += 1
    // A document of fifty megabytes takes seconds; the caller throws the error away.
    if Task.isCancelled { return stop(.refused("nobody wants it any more")) }
    checkNames()
    // libxml2 searches those in force for each element.
    if context?.pointee.nsNr ?? 0 > 2 * XMLLimits.namespaces { return stop(.refused("it declares too many namespaces")) }
    guard skippedDepth == nil else { return }
    if let base = attributes.base { bases.append((depth, links.resolve(base, bases.last?.url ?? links.base))) }
    if writer != nil {
      writer?.start(String(cString: local), attributes, base: bases.last?.url)
      return
    }
    guard sawRoot else { return startRoot(local, prefix: prefix, uri: uri, attributes) }
    guard let name = names.name(local, prefix: prefix, uri: uri) else { return stop(Self.tooManyNames) }
    let content = reader?.start(name, attributes, base: bases.last?.url) ?? .skip
    switch content {
    case .skip:
      skippedDepth = depth
      return
    case .enter: break
    case .refuse(let reason): stop(.refused(reason))
    case .text, .html, .xhtml:
      writer = MarkupWriter(content, links)
      writerDepth = depth
      written = name
    }
  }

  private mutating func startRoot(
    _ local: UnsafePointer<xmlChar>, prefix: UnsafePointer<xmlChar>?, uri: UnsafePointer<xmlChar>?, _ attributes: ElementAttributes
  ) {
    sawRoot = true
    let vocabulary = XMLVocabulary(uri: uri.map { String(cString: $0) }, prefix: prefix.map { String(cString: $0) })
    let name = XMLName(vocabulary, String(cString: local))
    reader = XMLFormat.reader(root: name, links: links)
    // The elements in an RSS document's own namespace are RSS, under any name.
    if name.local.lowercased() == "rss" { names.rssURI = uri }
    guard reader == nil else { return }
    stop(name.local.lowercased() == "html" ? .webPage : .notAFeed("it is XML of another kind, “\(name.local)”"))
  }

  fileprivate mutating func end(_ local: UnsafePointer<xmlChar>) {
    defer {
      if let last = bases.last, last.depth == depth { bases.removeLast() }
      depth -= 1
    }
    if let skippedDepth {
      if depth == skippedDepth { self.skippedDepth = nil }
      return
    }
    if writer != nil {
      guard depth == writerDepth else {
        writer?.end(String(cString: local))
        return
      }
      let text = writer?.text ?? ""
      writer = nil
      if let name = written { reader?.content(of: name, text, base: bases.last?.url) }
    } else if depth > 1 {
      reader?.leave()
    }
  }

  fileprivate mutating func text(_ start: UnsafePointer<xmlChar>, _ count: Int32, isLiteral: Bool) {
    guard skippedDepth == nil else { return }
    writer?.add(UnsafeBufferPointer(start: start, count: Int(count)), isLiteral: isLiteral)
  }

  /// Called for each event that adds names to libxml2's dictionary.
  fileprivate mutating func checkNames() {
    if let names = context?.pointee.dict, xmlDictSize(names) > XMLLimits.names { stop(Self.tooManyNames) }
  }

  fileprivate mutating func failed(_ error: xmlError) {
    let code = xmlParserErrors(rawValue: UInt32(max(error.code, 0)))
    guard error.level == XML_ERR_FATAL else { return }
    // From here on libxml2 passes nothing on, and only looks for more errors, of which a flood takes half a minute.
    defer { halt() }
    // What follows the end of the root loses no item.
    guard failure == nil, !(sawRoot && depth == 0) else { return }
    failure = Failure(
      code: code, message: error.message.map { String(cString: $0).collapsed } ?? "it is not well formed", line: Int(error.line),
      column: Int(error.int2), isAtEnd: isAtEnd, isBeforeRoot: !sawRoot)
  }

  /// Whether fewer bytes are left than the longest character has.
  private var isAtEnd: Bool {
    guard let input = context?.pointee.input, let current = input.pointee.cur, let end = input.pointee.end else { return true }
    let left = UnsafeBufferPointer(start: current, count: end - current)
    // A mark that is cut off itself, such as `<![CDA`, is read as a tag with a strange name.
    return left.count < 4 || (left.count < 9 && (left.starts(with: "!".utf8) || left.starts(with: "<!".utf8)))
  }

  fileprivate mutating func stop(_ reason: FeedError.Reason) {
    guard failure == nil, let context else { return }
    let (line, column) = (xmlSAX2GetLineNumber(context), xmlSAX2GetColumnNumber(context))
    failure = Failure(
      code: XML_ERR_OK, message: "", line: Int(line), column: Int(column), isAtEnd: false, isBeforeRoot: false, reason: reason)
    halt()
  }

  /// Ends the reading where libxml2 looks next.
  ///
  /// `xmlStopParser` frees the text, of which the functions that report an error go on to read.
  private func halt() {
    context?.pointee.instate = XML_PARSER_EOF
    context?.pointee.disableSAX = 1
  }
}

/// libxml2 as a whole.
enum XMLLibrary {
  /// Its tables are set up once, before the first of several threads uses them.
  static let isReady: Bool = {
    xmlInitParser()
    return true
  }()
}

private func parser(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<XMLFeedParser>? {
  pointer?.assumingMemoryBound(to: XMLFeedParser.self)
}

/// The callbacks of libxml2; `data` is the ``XMLFeedParser`` that they work for.
private func makeHandler() -> xmlSAXHandler {
  var handler = xmlSAXHandler()
  handler.initialized = UInt32(XML_SAX2_MAGIC)
  handler.startElementNs = { data, local, prefix, uri, _, _, count, _, attributes in
    guard let local else { return }
    parser(data)?.pointee.start(local, prefix: prefix, uri: uri, ElementAttributes(start: attributes, count: Int(count)))
  }
  handler.endElementNs = { data, local, _, _ in
    guard let local else { return }
    parser(data)?.pointee.end(local)
  }
  handler.characters = { data, text, count in
    if let text { parser(data)?.pointee.text(text, count, isLiteral: false) }
  }
  handler.ignorableWhitespace = handler.characters
  handler.cdataBlock = { data, text, count in
    if let text { parser(data)?.pointee.text(text, count, isLiteral: true) }
  }
  handler.processingInstruction = { data, _, _ in parser(data)?.pointee.checkNames() }
  handler.serror = { data, error in
    if let error { parser(data)?.pointee.failed(error.pointee) }
  }
  return handler
}
