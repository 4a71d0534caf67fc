import PublicationAPI

extension APIClient {
  /// Signs in; needs no token.
  /// - Throws: ``ClientError``; a problem with ``Problem/Code/wrongCredentials`` when email and password do not match.
  public func signIn(_ credentials: Credentials) async throws(ClientError) -> SignedIn {
    try await call(.post, .session, body: credentials, as: .none)
  }

  /// Has a code mailed to an address.
  /// - Throws: ``ClientError``.
  public func requestCode(for email: String) async throws(ClientError) -> CodeChallenge {
    try await call(.post, .sessionCode, body: CodeRequest(email: email), as: .none)
  }

  /// Begins a session by a code that was mailed.
  /// - Throws: ``ClientError``; a problem with ``Problem/Code/wrongCode``, or with ``Problem/Code/codeExpired`` when no try is left.
  public func signIn(_ credentials: CodeCredentials) async throws(ClientError) -> SignedIn {
    try await call(.post, .mailedSession, body: credentials, as: .none)
  }

  /// Begins a session by an ID token.
  /// - Throws: ``ClientError``; a problem with ``Problem/Code/identityRejected`` when it signs in no reader. Its sentence is for the reader.
  public func signIn(_ credentials: IDTokenCredentials) async throws(ClientError) -> SignedIn {
    try await call(.post, .openIDSession, body: credentials, as: .none)
  }

  /// The accounts at identity providers that sign the reader in, the earliest first.
  /// - Throws: ``ClientError``.
  public func identities() async throws(ClientError) -> [ReaderIdentity] { try await call(.get, .identities) }

  /// Adds one to them.
  /// - Throws: ``ClientError``; its sentence is for the reader.
  public func addIdentity(_ credentials: IDTokenCredentials) async throws(ClientError) {
    try await send(.put, .identities, body: credentials)
  }

  /// Takes the one of a provider away.
  /// - Throws: ``ClientError``; its sentence is for the reader.
  public func removeIdentity(of issuer: String) async throws(ClientError) {
    try await send(.delete, .identities, query: [(.issuer, issuer)])
  }

  /// Exchanges a refresh token for new tokens of its session; see `RefreshRequest` for what a lost answer means.
  /// - Throws: ``ClientError``; a problem with ``Problem/Code/sessionEnded`` or ``Problem/Code/sessionReused`` when the session is over.
  public func refresh(_ token: String) async throws(ClientError) -> SignedIn {
    try await call(.post, .sessionRefresh, body: RefreshRequest(refreshToken: token), as: .none)
  }

  /// Ends the session of a token, an access token or a refresh token, on the server.
  /// - Throws: ``ClientError``.
  public func signOut(token: String) async throws(ClientError) { try await send(.delete, .session, as: .token(token)) }

  /// Where the reader is signed in, the last seen first.
  /// - Throws: ``ClientError``.
  public func sessions() async throws(ClientError) -> [ReaderSession] { try await call(.get, .sessions) }

  /// Ends one session of the reader.
  /// - Throws: ``ClientError``; one that is over already is ``ClientError/isNotFound``.
  public func endSession(_ id: ReaderSession.ID) async throws(ClientError) { try await send(.delete, .session(id)) }

  /// Ends all sessions of the reader but the one that asks.
  /// - Returns: how many those were.
  /// - Throws: ``ClientError``.
  public func endOtherSessions() async throws(ClientError) -> Int {
    let ended: EndedSessions = try await call(.delete, .sessions)
    return ended.count
  }

  /// Changes the reader's password, and ends all other sessions.
  /// - Throws: ``ClientError``; a problem with ``Problem/Code/wrongCredentials`` when the current password is another one, with
  ///   ``Problem/Code/badRequest`` when the new one is too short or too common. Its sentence is for the reader.
  public func changePassword(_ change: PasswordChange) async throws(ClientError) { try await send(.put, .password, body: change) }
}
