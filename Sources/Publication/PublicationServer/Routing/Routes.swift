import PublicationAPI

extension Router {
  /// The whole HTTP API of a publication.
  static let publication = Router(routes: [
    .open(.get, "/v1/publication") { try await $0.publicationInfo($1) },
    .open(.get, "/v1/keys") { try $0.keys($1) },
    .open(.get, "/v1/pictures/*") { try await $0.picture($1) },
    .open(.post, "/v1/session") { try await $0.signIn($1) },
    Route(.get, "/v1/session") { try .json($1.signedIn) },
    Route(.delete, "/v1/session") { try await $0.signOut($1) },
    Route(.get, "/v1/posts") { try await $0.posts($1) },
    Route(.get, "/v1/posts/*") { try await $0.post($1) },
    Route(.put, "/v1/posts/*/reaction") { try await $0.mark(.reaction, true, $1) },
    Route(.delete, "/v1/posts/*/reaction") { try await $0.mark(.reaction, false, $1) },
    Route(.put, "/v1/posts/*/bookmark") { try await $0.mark(.bookmark, true, $1) },
    Route(.delete, "/v1/posts/*/bookmark") { try await $0.mark(.bookmark, false, $1) },
    Route(.get, "/v1/fanclubs") { try await $0.fanClubs($1) },
    Route(.get, "/v1/fanclubs/*") { try await $0.fanClub($1) },
    Route(.put, "/v1/fanclubs/*/follow") { try await $0.follow(true, $1) },
    Route(.delete, "/v1/fanclubs/*/follow") { try await $0.follow(false, $1) },
    Route(.get, "/v1/paywalls/*") { try await $0.paywall($1) },
    Route(.get, "/v1/products") { try await $0.products($1) },
    Route(.put, "/v1/orders/*") { try await $0.beginOrder($1) },
    Route(.get, "/v1/orders/*") { try await $0.order($1) },
    Route(.post, "/v1/orders/*/charge") { try await $0.charge($1) },
    Route(.get, "/v1/orders") { try await $0.orders($1) },
    Route(.get, "/v1/entitlements") { try await $0.entitlements($1) },
  ])
}
