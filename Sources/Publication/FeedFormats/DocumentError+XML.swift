import CXML2

extension DocumentError {
  /// What libxml2 found, in words.
  init(_ failure: XMLFeedParser.Failure, _ entities: Set<String>) {
    let place = TextPlace(line: max(failure.line, 1), column: max(failure.column, 1))
    self.init(failure.reason ?? Self.reason(failure, entities), place)
  }

  private static func reason(_ failure: XMLFeedParser.Failure, _ entities: Set<String>) -> FeedError.Reason {
    let message = failure.message
    if message.contains("XML_PARSE_HUGE") || message.contains("Huge input lookup") || message.contains("too big")
      || message.contains("too long")
    {
      return message.contains("depth") ? .refused("it is nested too deeply") : .refused("one of its texts is too long")
    }
    if failure.isAtEnd { return .cutOff }
    if message.contains("proper UTF-8") { return .wrongEncoding(TextEncoding.meaningless) }
    switch failure.code {
    case XML_ERR_UNDECLARED_ENTITY, XML_WAR_UNDECLARED_ENTITY, XML_ERR_ENTITY_LOOP:
      return entities.isEmpty ? .malformed(message) : .refused("it uses entities of its own")
    default: return failure.isBeforeRoot ? .notAFeed("it does not begin like XML") : .malformed(message)
    }
  }
}
