import FeatureKit
import PublicationAPI
import PublicationClient
import SessionService

/// The accounts at identity providers that sign the reader in.
extension SessionsViewModel {
  /// Looks up which providers there are, and which of them sign the reader in. Without an answer the page shows none.
  func loadProviders() {
    let age = linkedAge
    perform("sessions.providers") { [client] in
      let offered = try await client.publication().identityProviders
      return (offered, offered.isEmpty ? [] : try await client.identities())
    } then: { model, answer in
      guard case .success((let offered, let linked)) = answer, age == model.linkedAge else { return }
      (model.offered, model.linked) = (offered, linked)
      model.show()
    }
  }

  func addProviderTapped(_ issuer: IdentityProvider.ID) {
    guard let authorize, linking == nil, let row = state.providers.first(where: { $0.id == issuer && $0.canAdd }) else { return }
    linking = issuer
    show { $0.failure = nil }
    authorizing = Task { [weak self, client, effects] in
      let answer: Result<Void, any Error>
      do {
        let credentials = try await effects.run("sessions.authorize") { try await authorize(issuer) }
        answer = .success(try await effects.run("sessions.addIdentity") { try await client.addIdentity(credentials) })
      } catch { answer = .failure(error) }
      let isCancelled = Task.isCancelled
      self?.linked(row, answer, isCancelled: isCancelled)
    }
  }

  private func linked(_ row: State.Provider, _ answer: Result<Void, any Error>, isCancelled: Bool) {
    linking = nil
    switch answer {
    case .success:
      linked.append(ReaderIdentity(issuer: row.id, isFirst: false))
      linkedAge += 1
      show()
      // Which account it is.
      loadProviders()
      output(.done("\(row.name) signs you in from now on."))
    case .failure where isCancelled:
      // It may have been added in the last moment.
      loadProviders()
      show { $0.failure = "Adding \(row.name) was cancelled. You can close its page in the browser." }
    case .failure(let error):
      show { $0.failure = (error as? AuthError)?.sentence ?? (error as? ClientError ?? .cancelled).sentence }
    }
  }

  /// The reader does not want to wait for the page.
  func cancelProviderTapped() { authorizing?.cancel() }

  func removeProviderTapped(_ issuer: IdentityProvider.ID) {
    guard linking == nil, let row = state.providers.first(where: { $0.id == issuer && $0.canRemove }) else { return }
    linking = issuer
    show { $0.failure = nil }
    perform("sessions.removeIdentity") { [client] in
      // One that is gone already is what the reader wanted.
      do { try await client.removeIdentity(of: issuer) } catch let error as ClientError where error.isNotFound {}
    } then: { model, answer in
      model.linking = nil
      switch answer {
      case .success:
        model.linked.removeAll { $0.issuer == issuer }
        model.linkedAge += 1
        model.show()
        model.output(.done("\(row.name) does not sign you in any more."))
      case .failure(let error): model.show { $0.failure = error.sentence }
      }
    }
  }

  func providerRow(_ provider: IdentityProvider) -> State.Provider {
    let identity = linked.first { $0.issuer == provider.issuer }
    let signsIn = identity.map { $0.account.map { "Signs you in as \($0)." } ?? "Signs you in." }
    let detail =
      switch identity?.isFirst {
      case nil: linking == provider.issuer ? "Sign in on its page in your browser. Matinee goes on by itself." : "Does not sign you in."
      case true?: "\(signsIn ?? "") Your account began with it, so it stays."
      case false?: signsIn ?? ""
      }
    return State.Provider(
      id: provider.issuer, name: provider.name, detail: detail, canAdd: identity == nil && authorize != nil,
      canRemove: identity?.isFirst == false, isWorking: linking == provider.issuer, isSensitive: linking == nil)
  }
}
