import PublicationAPI

extension APIClient {
  /// Signs in; needs no token.
  /// - Throws: ``ClientError``; a problem with ``Problem/Code/wrongCredentials`` when email and password do not match.
  public func signIn(_ credentials: Credentials) async throws(ClientError) -> SignedIn {
    try await call(.post, .session, body: credentials, as: .none)
  }

  /// Exchanges a refresh token for new tokens of its session; see `RefreshRequest` for what a lost answer means.
  /// - Throws: ``ClientError``; a problem with ``Problem/Code/sessionEnded`` or ``Problem/Code/sessionReused`` when the session is over.
  public func refresh(_ token: String) async throws(ClientError) -> SignedIn {
    try await call(.post, .sessionRefresh, body: RefreshRequest(refreshToken: token), as: .none)
  }

  /// Ends the session of a token, an access token or a refresh token, on the server.
  /// - Throws: ``ClientError``.
  public func signOut(token: String) async throws(ClientError) { try await send(.delete, .session, as: .token(token)) }
}
