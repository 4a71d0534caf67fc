/// The state of a payment, from its three facts. Status text, buttons and analytics all read this, and nothing else stores success.
public enum AuthorizationState: Equatable, Sendable {
  /// The person has not agreed; leaving now is a cancellation.
  case notAuthorized
  /// The person agreed; the provider has not answered yet.
  case authorizing
  /// The provider gave no token; the sentence says why.
  case failed(String)
  /// There is a token; the store decides whether it can be charged.
  case authorized

  /// The state that three facts come to. Nothing else joins them.
  /// - Parameters:
  ///   - started: whether the person has agreed.
  ///   - tokenError: why the provider gave no token, for people.
  ///   - hasToken: whether the provider gave a token.
  public static func from(started: Bool, tokenError: String?, hasToken: Bool) -> AuthorizationState {
    // A token counts first: with one, money may move. An error counts before the start too, since the provider may fail before it asks.
    if hasToken { return .authorized }
    if let tokenError { return .failed(tokenError) }
    return started ? .authorizing : .notAuthorized
  }
}
