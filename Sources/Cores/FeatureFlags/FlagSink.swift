/// Where the events of flags are handed to, such as a server that counts them.
public protocol FlagSink: Sendable {
  /// Hands events over; some may have been handed over before.
  /// - Parameters:
  ///   - events: the events, in their order.
  ///   - user: whose events they are; they must not be sent under another user's name.
  /// - Throws: ``FlagError``; anything else is taken for ``FlagError/unreachable``.
  func send(_ events: [FlagEvent], of user: String) async throws
}
