import PublicationAPI

extension APIClient {
  /// Signs in; needs no token.
  /// - Throws: ``ClientError``; a problem with ``Problem/Code/wrongCredentials`` when email and password do not match.
  public func signIn(_ credentials: Credentials) async throws(ClientError) -> SignedIn {
    try await call(.post, .session, body: credentials, as: .none)
  }

  /// Whose a token is.
  /// - Throws: ``ClientError``; a problem with ``Problem/Code/sessionEnded`` when it has ended.
  public func reader(token: String) async throws(ClientError) -> Reader { try await call(.get, .session, as: .token(token)) }

  /// Ends a token's session on the server.
  /// - Throws: ``ClientError``.
  public func signOut(token: String) async throws(ClientError) { try await send(.delete, .session, as: .token(token)) }
}
