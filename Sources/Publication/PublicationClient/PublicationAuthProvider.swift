import PublicationAPI
import SessionService

/// A publication as the backend of a session. A value: safe from any thread.
public struct PublicationAuthProvider: AuthProvider {
  private let client: APIClient
  private let address: String?
  private let device: String?
  private let browser: BrowserAuthorization?

  /// - Parameters:
  ///   - client: its own tokens are not used: each call carries the token that it is about.
  ///   - address: where the publication is, for sentences about it; `nil` when there is no choice.
  ///   - device: the name of this sign-in in the list of sessions, such as the computer's name.
  ///   - browser: asks identity providers; `nil` where no page can be opened.
  public init(_ client: APIClient, at address: String? = nil, device: String? = nil, browser: BrowserAuthorization? = nil) {
    self.client = client
    self.address = address
    self.device = device
    self.browser = browser
  }

  /// Has a code mailed: `POST /v1/session/code`.
  public func requestCode(for email: String) async throws(AuthError) -> Secret {
    do { return Secret(try await client.requestCode(for: email).challenge) } catch { throw AuthError(error, at: address) }
  }

  /// Signs in: `POST /v1/session`, `POST /v1/session/mailed`, or `POST /v1/session/openid`.
  public func signIn(with credential: Credential) async throws(AuthError) -> SessionGrant {
    switch credential {
    case .password(let email, let password):
      return try await grant { () throws(ClientError) in
        try await client.signIn(Credentials(email: email, password: password.revealed, device: device))
      }
    case .mailedCode(let code, let challenge, let newPassword):
      return try await grant { () throws(ClientError) in
        try await client.signIn(
          CodeCredentials(challenge: challenge.revealed, code: code, device: device, newPassword: newPassword?.revealed))
      }
    case .browser(let issuer):
      guard let browser else { throw .rejected("No page can be opened here.") }
      let credentials = try await browser.credentials(from: issuer, device: device)
      return try await grant { () throws(ClientError) in try await client.signIn(credentials) }
    }
  }

  private func grant(_ signIn: () async throws(ClientError) -> SignedIn) async throws(AuthError) -> SessionGrant {
    do { return SessionGrant(try await signIn()) } catch { throw AuthError(error, at: address) }
  }

  /// Asks for new tokens: `POST /v1/session/refresh`.
  public func refresh(_ token: Secret) async throws(AuthError) -> SessionGrant {
    do { return SessionGrant(try await client.refresh(token.revealed)) } catch { throw AuthError(error, at: address) }
  }

  /// Ends a token's session: `DELETE /v1/session`.
  public func signOut(_ token: Secret) async { try? await client.signOut(token: token.revealed) }
}

extension SessionGrant {
  fileprivate init(_ answer: SignedIn) {
    self.init(access: Secret(answer.accessToken), refresh: Secret(answer.refreshToken), user: User(answer.reader))
  }
}

extension User {
  /// The reader of a publication, as the session knows them.
  public init(_ reader: Reader) { self.init(id: reader.id, email: reader.email, name: reader.name) }
}

extension AuthError {
  /// What an error of a call means to a sign-in or a check of a session.
  /// - Parameter address: where the publication is, for the sentence; `nil` when there is no choice.
  public init(_ error: ClientError, at address: String?) {
    switch error.disposition {
    case _ where error.code == .wrongCredentials: self = .wrongCredentials
    case _ where error.code == .wrongCode: self = .wrongCode(error.sentence)
    case _ where error.code == .codeExpired: self = .codeExpired(error.sentence)
    case _ where error.code == .sessionReused: self = .reused
    case .sessionEnded where error.isPublications: self = .ended
    case .retryLater(.unreachable, _): self = .unreachable(error.sentence(at: address))
    default: self = .rejected(error.sentence(at: address))
    }
  }
}
