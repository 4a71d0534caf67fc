import CXML2

extension DocumentError {
  /// What libxml2 found, in words.
  init(_ failure: XMLFeedParser.Failure) {
    let place = TextPlace(line: max(failure.line, 1), column: max(failure.column, 1))
    self.init(failure.reason ?? Self.reason(failure), place)
  }

  private static func reason(_ failure: XMLFeedParser.Failure) -> FeedError.Reason {
    let message = failure.message
    if message.contains("XML_PARSE_HUGE") || message.contains("Huge input lookup") || message.contains("too big")
      || message.contains("too long")
    {
      return message.contains("depth") ? .refused("it is nested too deeply") : .refused("one of its texts is too long")
    }
    if failure.isAtEnd { return .cutOff }
    if message.contains("proper UTF-8") { return .wrongEncoding(TextEncoding.meaningless) }
    return failure.isBeforeRoot ? .notAFeed("it does not begin like XML") : .malformed(message)
  }
}
