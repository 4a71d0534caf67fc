import ContentCache
import FeatureKit
import FeedFormats
import Foundation
import PublicationAPI
import PublicationClient
import ReaderContent
import Runtime

/// A post's page: shows at once what the cache knows, fetches the body, and opens by itself when the reader gets access.
@MainActor public final class ArticleViewModel: Refreshable, PostShowing, ContentScreen, Titled {
  /// What the coordinator shall do.
  public enum Output: Equatable, Sendable {
    /// Open a page in the browser: an http, https or mailto URL.
    case openWeb(String)
    /// Put the address of a page where the reader can paste it from.
    case copyLink(String)
    /// Write a mail with the title and the address of a page.
    case mail(title: String, link: String)
    /// Offer access; the post is what the reader wanted to read.
    case openPaywall(PaywallRecord.ID, post: Post.ID)
    /// Open a fan club's page.
    case openFanClub(FanClub.ID)
    /// Open the post's comments.
    case openComments(Post.ID)
    /// Show the reader, as a short message, what a pass opened and how many are left.
    case passSpent(String)
    /// Close the page, since there is nothing on it.
    case goBack
  }

  /// What the reader did.
  public enum Input: Codable, Equatable, Sendable {
    /// Loads the post again: the button, or F5.
    case refreshTapped
    /// Tries again what failed.
    case retryTapped
    /// Adds the reader's heart, or removes their reaction of any kind.
    case reactionToggled
    /// Reacts in this way, or takes the reaction away when it was this one.
    case reactionChosen(Reaction)
    /// Opens the comments.
    case commentsTapped
    /// Marks the post as unread, or as read again.
    case readTapped
    /// Adds or removes the reader's bookmark.
    case bookmarkTapped
    /// Opens the fan club's page.
    case clubTapped
    /// Opens the paywall, which offers access to the post.
    case unlockTapped
    /// Spends a pass on this post. A second press while that is under way does nothing.
    case passTapped
    /// Opens a link of the body in the browser; does nothing for other addresses.
    case linkTapped(String)
    /// Opens a file of the post in the desktop's program for it.
    case attachmentTapped(Attachment)
    /// Opens the post's page on the web in the browser, where it has one.
    case openInBrowserTapped
    /// Copies the address of that page.
    case copyLinkTapped
    /// Writes a mail with that address.
    case mailTapped
    /// The reader scrolled: the page opens there the next time.
    case scrolled(to: ReadingPlace?)
    /// Leaves a page that has nothing to show.
    case backTapped
    /// The reader has read the message.
    case messageDismissed
  }

  /// The single source of truth.
  @ViewState public private(set) var state = State()
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }

  /// Identifies the post that the page shows.
  public let id: Post.ID
  private let paywallID: PaywallRecord.ID
  private let store: ContentStore
  private let formatting: Formatting
  private let payments: Observe<Bool>
  private let output: @MainActor (Output) -> Void

  private var observations: [Observation] = []
  private var paymentsObservation: Observation?
  private lazy var loader = EntityLoader(store) { [store, id] in
    try await store.loadPost(id, refetch: $0)
  } onEnd: { [weak self] in
    self?.loaded($0)
  }
  private var isRefreshing = false
  /// Whether the last answer had a body; `nil` before there was one.
  private var wasServed: Bool?
  /// Whether the reader had access when the last request started.
  private var accessAtRequest: Bool?
  private var isSpending = false
  private var read: (html: String, blocks: [ArticleBody.Block])?
  private var reading: String?
  /// Opening it marks it as read once; a later choice of the reader stays.
  private var wasMarkedRead = false

  /// - Parameters:
  ///   - id: the post.
  ///   - paywallID: what "Unlock" leads to.
  ///   - store: the reader's content.
  ///   - formatting: how dates and counts are written.
  ///   - badge: what is special about the store; `nil` for nothing.
  ///   - payments: calls with whether the reader has agreed to a payment that has not ended.
  ///   - output: called with what the coordinator is to do.
  public init(
    _ id: Post.ID, paywallID: PaywallRecord.ID, store: ContentStore, formatting: Formatting, badge: String? = nil,
    payments: @escaping Observe<Bool> = LastValue(false).observe,
    output: @escaping @MainActor (Output) -> Void
  ) {
    self.id = id
    self.paywallID = paywallID
    self.store = store
    self.formatting = formatting
    self.payments = payments
    self.output = output
    state.badge = badge
  }

  /// The page is on screen: loads the first time, and again when that failed or the reader's access changed meanwhile.
  public func appear() {
    guard observations.isEmpty else { return }
    observations = [
      store.posts.observe(id) { [weak self] in self?.update() }, store.passes.observe { [weak self] _ in self?.update() },
      store.outboxStatus.observe { [weak self] _ in self?.update() },
    ]
    store.enter(self)
    if accessAtRequest == nil || loader.failure != nil { load() } else { accessChanged() }
    update()
  }

  /// The page is off screen and does nothing until it comes back.
  public func disappear() {
    observations = []
    paymentsObservation = nil
    store.leave(self)
  }

  /// See `Titled`.
  public var title: String? { state.post?.title }

  /// Handles an input of the reader.
  public func send(_ input: Input) {
    switch input {
    case .refreshTapped: refreshTapped()
    case .retryTapped: retryTapped()
    case .reactionToggled: reactionToggled()
    case .reactionChosen(let kind): reactionChosen(kind)
    case .commentsTapped: commentsTapped()
    case .readTapped: readTapped()
    case .bookmarkTapped: bookmarkTapped()
    case .clubTapped: clubTapped()
    case .unlockTapped: unlockTapped()
    case .passTapped: passTapped()
    case .linkTapped(let url): linkTapped(url)
    case .attachmentTapped(let attachment): attachmentTapped(attachment)
    case .openInBrowserTapped: openInBrowserTapped()
    case .copyLinkTapped: copyLinkTapped()
    case .mailTapped: mailTapped()
    case .scrolled(let place): scrolled(to: place)
    case .backTapped: backTapped()
    case .messageDismissed: messageDismissed()
    }
  }
  /// See `PostShowing`.
  public func shows(_ post: Post.ID) -> Bool { id == post }
  /// See `Refreshable`.
  public func refresh() { send(.refreshTapped) }

  private func refreshTapped() {
    isRefreshing = true
    load()
    store.onAccessCheckNeeded?()
    // Passes may have been bought, spent or given back elsewhere. Of one that opened this post `ContentStore` finds out by itself.
    if let post = store.posts[id], post.premium, !post.unlocked, !store.hasPremium { Task { [store] in try? await store.refreshPasses() } }
    update()
  }

  private func retryTapped() { refreshTapped() }

  private func reactionToggled() { store.toggleReaction(id) }
  private func reactionChosen(_ kind: Reaction) { store.react(id, kind) }
  private func commentsTapped() { if store.posts[id] != nil { output(.openComments(id)) } }
  private func readTapped() { if let post = store.posts[id] { store.markRead(id, !post.read) } }
  private func bookmarkTapped() { store.toggleBookmark(id) }
  private func clubTapped() { if let post = store.posts[id] { output(.openFanClub(post.fanClubID)) } }
  private func unlockTapped() { if case .locked = state.text, !state.isUnlocking { output(.openPaywall(paywallID, post: id)) } }
  private func passTapped() {
    guard case .locked = state.text, state.passOffer != nil, !state.isUnlocking else { return }
    isSpending = true
    update()
    Task { [weak self, store, id] in
      do {
        try await store.unlock(id)
        self?.unlockEnded(nil)
      } catch {
        self?.unlockEnded("This post was not unlocked. \(RequestError(explaining: error).sentence)")
      }
    }
  }
  private func linkTapped(_ url: String) {
    guard let scheme = URL(string: url)?.scheme?.lowercased(), ["http", "https", "mailto"].contains(scheme) else { return }
    output(.openWeb(url))
  }
  private func attachmentTapped(_ attachment: Attachment) { output(.openWeb(attachment.url)) }
  private func openInBrowserTapped() { withLink { output(.openWeb($0)) } }
  private func copyLinkTapped() { withLink { output(.copyLink($0)) } }
  private func mailTapped() { withLink { output(.mail(title: state.post?.title ?? "", link: $0)) } }
  /// The buttons are not there for a post without a link, but the keys are.
  private func withLink(_ body: (String) -> Void) {
    if let link = state.post?.link { body(link) } else if state.post != nil { update(message: "This post has no page on the web.") }
  }
  /// Where the reader was in the text; `nil` for its beginning.
  public var place: ReadingPlace? { store.readingPlaces[id] }
  private func scrolled(to place: ReadingPlace?) {
    if !store.isClosed, store.readingPlaces[id] != place { store.readingPlaces[id] = place }
  }
  private func backTapped() { if case .gone = state.phase { output(.goBack) } }
  private func messageDismissed() { state.message = nil }

  /// Says again how long ago the post appeared.
  public func timePassed() { update() }

  /// Requests the body again, which the publication sends or refuses by the reader's access.
  public func accessChanged() {
    guard store.hasPremium != accessAtRequest, store.posts[id]?.premium == true else { return }
    wasServed = nil
    load()
    update()
  }

  /// Shows the sentence to the reader.
  public func actionFailed(_ sentence: String) { update(message: sentence) }

  /// See `ContentScreen`.
  public func retryUnreachable() -> Bool {
    guard loader.retryUnreachable() else { return false }
    accessAtRequest = store.hasPremium
    return true
  }

  private func load() {
    accessAtRequest = store.hasPremium
    loader.load()
  }

  private func unlockEnded(_ failure: String?) {
    isSpending = false
    if failure == nil {
      // Answers on their way are to earlier requests.
      loader.dropAnswer()
      isRefreshing = false
      wasServed = true
    }
    update(message: failure)
    if failure == nil, let left = store.passes.value {
      let rest = left == 0 ? "That was your last pass." : "You have \(formatting.count(left, "pass", "passes")) left."
      output(.passSpent("This post stays open to you. \(rest)"))
    }
  }

  private func loaded(_ result: Result<Post, any Error>) {
    isRefreshing = false
    if case .success(let post) = result { wasServed = post.body != nil }
    update()
  }

  /// Turns HTML into blocks off the main actor.
  private func readBody(_ html: String, base: String?) {
    guard reading != html else { return }
    reading = html
    let effects = store.effects
    Task { [weak self] in
      let blocks = try? await effects.run("article.read") { ArticlePortions.of(ArticleBody(html: html, base: base).blocks) }
      guard let self, reading == html else { return }
      reading = nil
      read = (html, blocks ?? [])
      update()
    }
  }

  /// Makes the state: the only place where several facts become what the page shows.
  private func update(message: String? = nil) {
    guard !observations.isEmpty, !store.isClosed else { return }
    var new = state
    if let message { new.message = message }
    // A post that was served, and is not here now, was removed since.
    guard !loader.isNotFound, wasServed == nil || store.posts[id] != nil else {
      new.phase = .gone("This post is no longer here.")
      (new.post, new.text, new.attachments) = (nil, nil, [])
      state = new
      return
    }
    let failed = loader.failedPhase
    guard let post = store.posts[id] else {
      new.phase = failed ?? .loading
      state = new
      return
    }
    (new.text, new.phase) = show(post, failed: failed)
    let hasBody = if case .body = new.text { true } else { false }
    new.attachments = hasBody ? post.enclosures.compactMap { Attachment($0, formatting: formatting) } : []
    new.isUnlocking = isSpending || isOpening(post, new)
    // A text that is here and being read is neither yet.
    new.note = !loader.isUnreachable || new.phase == .loading ? nil : new.phase == .ready ? Self.offlineNote : Self.beginningNote
    new.isRefreshing = isRefreshing && new.phase == .ready
    var row = PostRow(post, hasPremium: store.hasPremium, waiting: store.waiting(about: id), formatting: formatting)
    if case .locked = new.text { row.isLocked = true } else { row.isLocked = false }
    // For a feed that names no picture, the row has the first picture of the text, which would be shown twice here.
    if case .body(let blocks) = new.text, let picture = row.picture, blocks.contains(where: { $0.shows(picture) }) { row.picture = nil }
    new.post = row
    new.hasDraft = store.commentDrafts[id] != nil
    let passes = row.isLocked ? store.passes.value ?? 0 : 0
    if !new.isUnlocking { new.passOffer = passes > 0 ? "Unlock with a pass (\(formatting.count(passes)) left)" : nil }
    new.isPaying = row.isLocked && state.isPaying
    state = new
    // After the state: what these do is told before they return, and changes the state again.
    observePayments(row.isLocked)
    markRead(new.phase)
  }

  /// For a locked text alone: the journal is read, and the store is asked, as long as they are observed.
  private func observePayments(_ isLocked: Bool) {
    guard isLocked != (paymentsObservation != nil) else { return }
    paymentsObservation = isLocked ? payments { [weak self] in self?.state.isPaying = $0 } : nil
  }

  /// Whether the reader has access now to a locked text, which is being loaded.
  private func isOpening(_ post: Post, _ new: State) -> Bool {
    guard case .teaser = new.text, new.phase == .loading, store.hasPremium || post.unlocked else { return false }
    return if case .locked = state.text { true } else { state.isUnlocking }
  }

  private static let offlineNote = "This is the text as it was when you read it last."
  /// Shown above the opening: below it, a reader would take the opening for the whole post.
  private static let beginningNote = "Only the opening of this post is on this computer."

  private func markRead(_ phase: EntityPhase) {
    guard !wasMarkedRead, phase == .ready else { return }
    wasMarkedRead = true
    store.markRead(id)
  }

  private func show(_ post: Post, failed: EntityPhase?) -> (State.Text, EntityPhase) {
    // The publication decides who may read; before its answer, the data here decide.
    if let body = post.body, !post.premium || wasServed ?? (store.hasPremium || post.unlocked) {
      if read?.html != body { readBody(body, base: post.url) }
      return read.map { (.body($0.blocks), .ready) } ?? (.teaser(post.teaser), .loading)
    }
    if let failed { return (.teaser(post.teaser), failed) }
    // A locked post stays as it is while the reader asks again.
    if isRefreshing, wasServed == false, post.premium, !store.hasPremium, !post.unlocked { return (.locked(teaser: post.teaser), .ready) }
    if loader.isLoading || wasServed == nil { return (.teaser(post.teaser), .loading) }
    if !post.premium { return (.teaser(post.teaser), .ready) }
    if !store.hasPremium { return (.locked(teaser: post.teaser), .ready) }
    return (.teaser(post.teaser), .failed("Your access has not reached the publication yet. Try again in a moment."))
  }
}
