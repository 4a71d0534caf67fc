import HTTPTransport
import Runtime

/// Signs a person in at an OpenID provider, by its page in the system's browser (RFC 8252).
///
///     let directory = ProviderDirectory(provider, transport: transport, clock: SystemClock())
///     let signIn = BrowserSignIn(directory, app: "Reader", for: "https://read.example.org", clock: SystemClock())
///     let granted = try await signIn.signIn { url in openInBrowser(url) }
///
/// The provider's own tokens are dropped: what remains is the ID token, for a backend that verifies it again.
public struct BrowserSignIn: Sendable {
  /// What a sign-in gives.
  public struct Grant: Equatable, Sendable {
    /// The ID token, as the provider signed it.
    public var token: String
    /// The secret behind its nonce, ``IDToken/nonce(for:at:)``. The backend demands it: without it a token that got lost is of no use.
    public var nonceSecret: String
    /// What the token says.
    public var claims: IDToken
  }

  /// How long a page is waited for.
  public static let patience = Duration.seconds(300)
  private let directory: ProviderDirectory
  private let app: String
  private let backend: String
  private let clock: any AppClock
  private let random: any RandomSource

  /// - Parameters:
  ///   - directory: the provider's metadata and keys.
  ///   - app: what people call this app: the page that the browser ends with names it.
  ///   - backend: the origin of the backend that takes the token, as this app reaches it. The token is of no use to any other, which could
  ///     otherwise pass it on.
  ///   - clock: what the wait for the page is measured by.
  ///   - random: gives the secrets of a sign-in, which nobody may guess.
  public init(
    _ directory: ProviderDirectory, app: String, for backend: String, clock: any AppClock, random: any RandomSource = SystemRandom()
  ) {
    self.directory = directory
    self.app = app
    self.backend = backend
    self.clock = clock
    self.random = random
  }

  /// Opens the provider's page, waits for its answer, and exchanges that for an ID token, which is verified.
  ///
  /// Cancelling the task ends the wait, and frees the port at once.
  /// - Parameter open: opens the page in the system's browser.
  /// - Throws: ``OpenIDError``.
  public func signIn(open: @Sendable (_ url: String) async -> Void) async throws(OpenIDError) -> Grant {
    let metadata = try await directory.currentMetadata()
    let listener = try LoopbackListener(ports: directory.provider.ports, app: app)
    defer { listener.close() }
    let request = try AuthorizationRequest(
      to: metadata, of: directory.provider, port: listener.port, for: backend, random: random)
    let code = try await answer(to: request, from: metadata, at: listener, open)
    listener.close()
    let token = try await directory.exchange(code, of: request)
    let claims = try await directory.verified(token, nonce: IDToken.nonce(for: request.nonceSecret, at: backend))
    return Grant(token: token, nonceSecret: request.nonceSecret, claims: claims)
  }

  private func answer(
    to request: AuthorizationRequest, from metadata: ProviderMetadata, at listener: LoopbackListener,
    _ open: @Sendable (String) async -> Void
  ) async throws(OpenIDError) -> String {
    let timer = Task { [clock] in
      try await clock.sleep(for: Self.patience)
      listener.close()
    }
    defer { timer.cancel() }
    let answer = await withTaskCancellationHandler {
      async let answer = listener.answer { request.answer($0, from: metadata) }
      await open(request.url)
      return await answer
    } onCancel: {
      listener.close()
    }
    switch answer {
    case .code(let code): return code
    case .failure(let error): throw error
    case .unrelated, nil: throw Task.isCancelled ? .cancelled : .timedOut
    }
  }
}

extension IDToken {
  /// The nonce of a token for one backend, made with a secret: base64url of the SHA-256 of both.
  ///
  /// A token of another backend has another nonce: who is given a token cannot use it elsewhere, even where both name the same client.
  /// - Parameters:
  ///   - secret: the app's.
  ///   - backend: the origin that the app reaches; a backend must not take it from a request.
  /// - Throws: ``OpenIDError/unusable(_:)`` when the library fails.
  public static func nonce(for secret: String, at backend: String) throws(OpenIDError) -> String {
    try AuthorizationRequest.digest("\(secret) \(backend)")
  }
}
