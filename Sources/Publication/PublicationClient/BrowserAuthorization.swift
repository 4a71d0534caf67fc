import HTTPTransport
import OpenIDConnect
import PublicationAPI
import Runtime
import SessionService
import Synchronization

/// Has readers sign in at the identity providers of a publication, in the system's browser.
///
/// The provider answers the app, which hands the ID token on: the publication verifies it again, and gives its own tokens. What a provider
/// publishes is fetched once for all sign-ins of a run, and then as ``ProviderDirectory`` says. Safe from any thread.
public final class BrowserAuthorization: Sendable {
  private let client: APIClient
  private let transport: any Transport
  private let clock: any AppClock
  private let random: any RandomSource
  private let origin: String
  private let address: String?
  /// Opens a page in the system's browser.
  public let open: @Sendable (_ url: String) async -> Void
  /// The pages that are waited for, by issuer.
  private let pages = Mutex<[String: String]>([:])
  private let directories = Mutex<[OpenIDProvider: ProviderDirectory]>([:])

  /// - Parameters:
  ///   - client: asks which providers there are.
  ///   - transport: reaches them at absolute addresses, and follows no redirects.
  ///   - clock: how long a page is waited for.
  ///   - random: gives the secrets of a sign-in, which nobody may guess.
  ///   - origin: the publication's, as the app reaches it: no other publication can use what comes of a sign-in.
  ///   - address: where the publication is, for sentences about it; `nil` when there is no choice.
  ///   - open: opens a page in the system's browser.
  public init(
    _ client: APIClient, transport: any Transport, clock: any AppClock, random: any RandomSource, origin: String,
    at address: String? = nil, open: @escaping @Sendable (_ url: String) async -> Void
  ) {
    self.client = client
    self.transport = transport
    self.clock = clock
    self.random = random
    self.origin = Origin(of: origin)?.text ?? origin
    self.address = address
    self.open = open
  }

  /// Opens a provider's page and waits for its answer.
  /// - Parameters:
  ///   - issuer: one of the publication's.
  ///   - device: the name of this sign-in in the list of sessions.
  /// - Throws: ``AuthError``. Its sentence is for people; a cancelled one ends at once.
  public func credentials(from issuer: String, device: String?) async throws(AuthError) -> IDTokenCredentials {
    let providers: [IdentityProvider]
    do { providers = try await client.publication().identityProviders } catch { throw AuthError(error, at: address) }
    guard let provider = providers.first(where: { $0.issuer == issuer }) else {
      throw .rejected("The publication does not offer this way to sign in any more.")
    }
    let registration = OpenIDProvider(
      issuer: provider.issuer, clientID: provider.clientID, clientSecret: provider.clientSecret, ports: provider.ports)
    defer { show(nil, of: issuer) }
    do throws(OpenIDError) {
      let signIn = BrowserSignIn(directory(of: registration), app: "Matinee", for: origin, clock: clock, random: random)
      let granted = try await signIn.signIn { [self] url in
        show(url, of: issuer)
        await open(url)
      }
      return IDTokenCredentials(issuer: issuer, idToken: granted.token, nonceSecret: granted.nonceSecret, device: device)
    } catch {
      let sentence = error.sentence(of: provider.name)
      if case .unreachable = error { throw .unreachable(sentence) }
      throw .rejected(sentence)
    }
  }

  /// The page of a provider that is waited for; `nil` for none. Whichever window of the browser answers it, the sign-in goes on.
  public func page(of issuer: String) -> String? { pages.withLock { $0[issuer] } }

  private func show(_ page: String?, of issuer: String) { pages.withLock { $0[issuer] = page } }

  private func directory(of provider: OpenIDProvider) -> ProviderDirectory {
    directories.withLock { directories in
      if let directory = directories[provider] { return directory }
      let directory = ProviderDirectory(provider, transport: transport, clock: clock)
      directories[provider] = directory
      return directory
    }
  }
}
