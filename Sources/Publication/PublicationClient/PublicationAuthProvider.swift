import PublicationAPI
import SessionService

/// A publication as the backend of a session. A value: safe from any thread.
public struct PublicationAuthProvider: AuthProvider {
  private let client: APIClient
  private let address: String?

  /// - Parameters:
  ///   - client: its own token is not used: each call carries the token that it is about.
  ///   - address: where the publication is, for sentences about it; `nil` when there is no choice.
  public init(_ client: APIClient, at address: String? = nil) {
    self.client = client
    self.address = address
  }

  /// Signs in: `POST /v1/session`.
  public func signIn(email: String, password: Secret) async throws(AuthError) -> (token: Secret, user: User) {
    do {
      let answer = try await client.signIn(Credentials(email: email, password: password.revealed))
      return (Secret(answer.token), User(answer.reader))
    } catch {
      throw AuthError(error, at: address)
    }
  }

  /// Asks whose a token is: `GET /v1/session`.
  public func check(_ token: Secret) async throws(AuthError) -> User {
    do { return User(try await client.reader(token: token.revealed)) } catch { throw AuthError(error, at: address) }
  }

  /// Ends a token's session: `DELETE /v1/session`.
  public func signOut(_ token: Secret) async { try? await client.signOut(token: token.revealed) }
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
    case .sessionEnded where error.isPublications: self = .ended
    case .retryLater(.unreachable, _): self = .unreachable(error.sentence(at: address))
    default: self = .rejected(error.sentence(at: address))
    }
  }
}
