import HTTPTransport
import PublicationAPI

extension Router {
  /// The whole HTTP API of a publication.
  static let publication = Router(routes: [
    .open(.get, .publication) { publication, _ in try await publication.about.info() },
    .open(.get, .keys) { publication, _ in try await publication.receipts.list() },
    .open(.get, .picture("*")) { try await $0.about.picture($1) },
    // Sign-ins wait in the queue for hashing passwords, which has its own limits.
    .open(.post, .session, takesTurns: false, taking: Credentials.self) { try await $0.sessionResource.signIn($1, $2) },
    .open(.post, .sessionRefresh, taking: RefreshRequest.self) { try await $0.sessionResource.refresh($2) },
    .open(.post, .sessionCode, taking: CodeRequest.self) { try await $0.codeResource.request($1, $2) },
    .open(.post, .mailedSession, taking: CodeCredentials.self) { try await $0.codeResource.signIn($1, $2) },
    .open(.post, .openIDSession, bodyLimit: Router.tokenBodyLimit, asksProvider: true, taking: IDTokenCredentials.self) {
      try await $0.identityResource.signIn($1, $2)
    },
    Route(.get, .identities) { try await $0.identityResource.list($1) },
    Route(.put, .identities, taking: IDTokenCredentials.self) { try await $0.identityResource.link($1, $2) },
    Route(.delete, .identities) { try await $0.identityResource.unlink($1) },
    Route(.get, .session) { try Response.json($1.signedIn.shown) },
    // By whichever of its tokens the client has.
    .open(.delete, .session) { try await $0.sessionResource.signOut($1) },
    Route(.get, .sessions) { try await $0.sessionResource.list($1) },
    Route(.delete, .sessions) { try await $0.sessionResource.endOthers($1) },
    Route(.delete, .session("*")) { try await $0.sessionResource.end($1) },
    Route(.put, .password, taking: PasswordChange.self) { try await $0.sessionResource.changePassword($1, $2) },
    Route(.get, .posts) { try await $0.posts.list($1) },
    Route(.get, .post("*"), mayBeLong: true) { try await $0.posts.post($1) },
    Route(.put, .reaction(to: "*")) { publication, call in
      // Without a body it is one from when there was one kind, the heart.
      let kind = call.request.body.isEmpty ? .love : try await call.body(ReactionRequest.self).kind
      return try await publication.posts.react(call, kind)
    },
    Route(.delete, .reaction(to: "*")) { try await $0.posts.mark(.reaction, false, $1) },
    Route(.put, .bookmark(of: "*")) { try await $0.posts.mark(.bookmark, true, $1) },
    Route(.delete, .bookmark(of: "*")) { try await $0.posts.mark(.bookmark, false, $1) },
    Route(.put, .readMark(of: "*")) { try await $0.posts.mark(.read, true, $1) },
    Route(.delete, .readMark(of: "*")) { try await $0.posts.mark(.read, false, $1) },
    Route(.put, .readMarks, taking: ReadRequest.self) { try await $0.posts.markRead($1, $2) },
    Route(.delete, .readMarks(of: "*")) { try await $0.posts.unmarkRead($1) },
    Route(.get, .comments(of: "*")) { try await $0.comments.list($1) },
    Route(.put, .comment("*", on: "*"), taking: CommentRequest.self) { try await $0.comments.put($1, $2) },
    Route(.delete, .comment("*", on: "*")) { try await $0.comments.delete($1) },
    Route(.get, .search) { try await $0.search.find($1) },
    Route(.get, .fanClubs) { try await $0.fanClubs.list($1) },
    Route(.get, .fanClub("*")) { try await $0.fanClubs.fanClub($1) },
    Route(.delete, .fanClub("*")) { try await $0.fanClubs.remove($1) },
    Route(.put, .follow("*")) { try await $0.fanClubs.follow(true, $1) },
    Route(.delete, .follow("*")) { try await $0.fanClubs.follow(false, $1) },
    Route(.post, .refresh("*")) { try await $0.importResource.refresh($1) },
    Route(.put, .feedImport("*"), bodyLimit: Router.importBodyLimit, documentLimit: Import.documentLimit) { publication, call in
      // Anything else is the document itself.
      let request: ImportRequest? = call.request.mediaType == "application/json" ? try await call.body() : nil
      return try await publication.importResource.start(call, request)
    },
    Route(.get, .feedImport("*")) { try $0.importResource.progress($1) },
    Route(.delete, .feedImport("*")) { try await $0.importResource.cancel($1) },
    Route(.get, .paywall("*")) { try await $0.catalog.paywall($1) },
    Route(.get, .products) { try await $0.catalog.products($1) },
    Route(.put, .order("*"), taking: OrderRequest.self) { try await $0.orders.start($1, $2) },
    Route(.get, .order("*")) { try await $0.orders.order($1) },
    Route(.post, .charge("*"), taking: ChargeRequest.self) { try await $0.charging.charge($1, $2) },
    Route(.post, .checkout(of: "*")) { try await $0.checkouts.start($1, $0.orders) },
    Route(.get, .checkout(of: "*")) { try await $0.checkouts.state($1, $0.orders) },
    Route(.delete, .checkout(of: "*")) { try await $0.charging.cancelCheckout($1) },
    Route(.get, .orders, mayBeLong: true) { try await $0.orders.list($1) },
    Route(.get, .entitlements, mayBeLong: true) { try await $0.receipts.entitlements($1) },
    .open(.get, .flags) { try await $0.flagResource.list($1) },
    Route(.post, .events, taking: FlagEventBatch.self) { try await $0.flagResource.count($1, $2) },
    Route(.post, .analytics, taking: AnalyticsBatch.self) { try await $0.analytics.count($1, $2) },
    Route(.post, .receiptCheck, taking: ReceiptRequest.self) { try await $0.receipts.verify($1, $2) },
    Route(.get, .balances) { try await $0.balances.list($1) },
    Route(.put, .unlock("*"), mayBeLong: true) { try await $0.balances.unlock($1) },
    .open(.get, .postPage("*")) { try await $0.postPages.page($1) },
    .open(.get, .checkoutPage("*")) { try await $0.checkouts.page($1) },
    .open(.post, .checkoutApproval("*")) { try await $0.checkouts.answer(approved: true, $1) },
    .open(.post, .checkoutRefusal("*")) { try await $0.checkouts.answer(approved: false, $1) },
    .operated(.get, .operatorOrders) { try await $0.orders.listAll($1, $0.readers) },
    .operated(.post, .operatorApproval(of: "*")) { try await $0.charging.decide(true, $1) },
    .operated(.post, .operatorRefusal(of: "*")) { try await $0.charging.decide(false, $1) },
    .operated(.post, .operatorRefund(of: "*"), taking: RefundRequest.self) { try await $0.charging.refund($1, $2) },
    .operated(.get, .operatorFlags) { publication, _ in try await publication.flagResource.all() },
    .operated(.put, .operatorFlag("*"), taking: FlagRuleRequest.self) { try await $0.flagResource.set($1, $2) },
    .operated(.get, .operatorFlag("*")) { try await $0.flagResource.report($1) },
    .operated(.get, .operatorAnalytics) { try await $0.analytics.counts($1) },
    .operated(.get, .operatorReaders) { try await $0.readerResource.list($1) },
    .operated(.post, .operatorReaders, taking: NewReaderRequest.self) { try await $0.readerResource.add($2) },
    .operated(.delete, .operatorReader("*")) { try await $0.readerResource.remove($1) },
    .operated(.put, .operatorPassword(of: "*"), taking: PasswordRequest.self) { try await $0.readerResource.setPassword($1, $2) },
    .operated(.delete, .operatorSessions(of: "*")) { try await $0.readerResource.endSessions($1) },
    .operated(.put, .operatorMinimumVersion, taking: MinimumVersionRequest.self) { try await $0.service.setMinimumVersion($2) },
    .operated(.put, .operatorMaintenance, taking: MaintenanceRequest.self) { try await $0.service.begin($2) },
    .operated(.delete, .operatorMaintenance) { publication, _ in try await publication.service.end() },
    .operated(.post, .operatorKeys, taking: KeyRequest.self) { try await $0.receipts.rotate($2) },
  ])
}
