import CXML2
import Foundation
import Runtime

/// Reads HTML through libxml2's event interface, which accepts every document and builds no tree that could be too deep.
enum HTMLReader {
  /// How many open elements libxml2 has to remember; it compares every stray end tag with all of them.
  private static let maximumDepth: Int32 = 256

  static func read(_ html: String, into builder: ArticleBuilder) {
    // Most short texts hold no markup at all.
    var html = html
    let isPlain = html.withUTF8 { bytes in
      let isPlain = !bytes.contains { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") || $0 == 0 }
      if isPlain { builder.text(bytes) }
      return isPlain
    }
    guard !isPlain else { return }
    _ = XMLLibrary.isReady
    // A NUL would end the document for libxml2.
    if html.utf8.contains(0) { html = html.replacingASCII("\0", "") }
    if html.utf8.count > 2_000 { html = AttributeNames.limited(in: html) }
    html.withUTF8 { parse($0, builder) }
  }

  private static func parse(_ bytes: UnsafeBufferPointer<UInt8>, _ builder: ArticleBuilder) {
    guard let count = Int32(exactly: bytes.count), count > 0 else { return }
    let context = bytes.withMemoryRebound(to: CChar.self) { text in
      text.baseAddress.flatMap { htmlCreateMemoryParserCtxt($0, count) }
    }
    guard let context else { return }
    defer { htmlFreeParserCtxt(context) }
    let events = HTMLEvents(builder: builder, context: context)
    context.pointee.sax.pointee = makeHandler()
    let options = HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NONET.rawValue | HTML_PARSE_IGNORE_ENC.rawValue
    htmlCtxtUseOptions(context, Int32(options))
    xmlSwitchEncoding(context, XML_CHAR_ENCODING_UTF8)
    withExtendedLifetime(events) {
      context.pointee.userData = Unmanaged.passUnretained(events).toOpaque()
      htmlParseDocument(context)
    }
  }

  /// What the callbacks need.
  fileprivate final class HTMLEvents {
    let builder: ArticleBuilder
    private let context: htmlParserCtxtPtr

    init(builder: ArticleBuilder, context: htmlParserCtxtPtr) {
      self.builder = builder
      self.context = context
    }

    /// When libxml2's stack is full, the newest element is popped again; its end tag is then a stray one, which is harmless. Only an
    /// element that is dropped with its content has to stay until its end is reported.
    func start(_ name: UnsafePointer<xmlChar>, _ attributes: HTMLAttributes) {
      let isFull = context.pointee.nameNr > maximumDepth
      guard !isFull || !builder.isDropping else { return forget() }
      builder.start(String(cString: name), attributes)
      if isFull, !builder.isDropping { forget() }
    }

    private func forget() {
      guard let names = context.pointee.nameTab else { return }
      context.pointee.nameNr -= 1
      context.pointee.name = names[Int(context.pointee.nameNr) - 1]
    }
  }
}

/// The attributes of an element of HTML: valid only while its start is reported.
struct HTMLAttributes {
  fileprivate let start: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?

  /// The value of an attribute, trimmed; `nil` when it is absent or empty.
  subscript(name: String) -> String? { find(name).flatMap { $0[1] }.flatMap { String(cString: $0).streamSafe.nonEmpty } }

  /// Whether an attribute is there, with a value or without.
  func has(_ name: String) -> Bool { find(name) != nil }

  private func find(_ name: String) -> UnsafeMutablePointer<UnsafePointer<xmlChar>?>? {
    guard var pair = start else { return nil }
    while let key = pair[0] {
      if strcasecmp(UnsafeRawPointer(key).assumingMemoryBound(to: CChar.self), name) == 0 { return pair }
      pair += 2
    }
    return nil
  }
}

private func events(_ pointer: UnsafeMutableRawPointer?) -> HTMLReader.HTMLEvents? {
  pointer.map { Unmanaged<HTMLReader.HTMLEvents>.fromOpaque($0).takeUnretainedValue() }
}

private func makeHandler() -> xmlSAXHandler {
  var handler = xmlSAXHandler()
  handler.initialized = UInt32(XML_SAX2_MAGIC)
  handler.startElement = { data, name, attributes in
    if let name { events(data)?.start(name, HTMLAttributes(start: attributes)) }
  }
  handler.endElement = { data, name in
    if let name { events(data)?.builder.end(String(cString: name)) }
  }
  handler.characters = { data, text, count in
    if let text { events(data)?.builder.text(UnsafeBufferPointer(start: text, count: Int(count))) }
  }
  handler.ignorableWhitespace = handler.characters
  // Scripts and styles come this way; the builder drops them by their element.
  handler.cdataBlock = handler.characters
  // Errors are the rule here.
  handler.serror = { _, _ in }
  return handler
}
