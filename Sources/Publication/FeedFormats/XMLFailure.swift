import CXML2

extension FeedError {
  /// What libxml2 found, in words.
  init(_ failure: XMLFeedParser.Failure?, _ entities: Set<String>, source: String, skippedLines: Int) {
    guard let failure else {
      self.init(.malformed("it cannot be read as XML"), source: source)
      return
    }
    let reason = failure.reason ?? Self.reason(failure, entities)
    let line = failure.line > 0 ? failure.line + skippedLines : nil
    self.init(reason, source: source, line: line, column: failure.column > 0 ? failure.column : nil)
  }

  private static func reason(_ failure: XMLFeedParser.Failure, _ entities: Set<String>) -> Reason {
    let message = failure.message
    if message.contains("XML_PARSE_HUGE") || message.contains("too big") || message.contains("too long") {
      return message.contains("depth") ? .refused("it is nested too deeply") : .refused("one of its texts is too long")
    }
    if failure.isAtEnd { return .cutOff }
    if message.contains("proper UTF-8") { return .wrongEncoding("some bytes mean nothing in it") }
    switch failure.code {
    case XML_ERR_UNSUPPORTED_ENCODING: return .wrongEncoding("nobody knows the one it names")
    case XML_ERR_UNKNOWN_ENCODING, XML_ERR_INVALID_ENCODING, XML_ERR_ENCODING_NAME, XML_I18N_CONV_FAILED:
      return .wrongEncoding("some bytes mean nothing in it")
    case XML_ERR_UNDECLARED_ENTITY, XML_WAR_UNDECLARED_ENTITY, XML_ERR_ENTITY_LOOP:
      return entities.isEmpty ? .malformed(message) : .refused("it uses entities of its own")
    default: return failure.isBeforeRoot ? .notAFeed("it does not begin like XML") : .malformed(message)
    }
  }
}
