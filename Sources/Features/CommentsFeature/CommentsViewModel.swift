import ContentCache
import FeatureKit
import Foundation
import PublicationAPI
import ReaderContent
import Runtime

/// The comments under a post, and a field to write one. Isolated to the main actor.
@MainActor public final class CommentsViewModel: Refreshable {
  /// What the reader did.
  public enum Input: Codable, Equatable, Sendable {
    /// Loads the comments again: the button, or F5.
    case refreshTapped
    /// Tries again what failed.
    case retryTapped
    /// The last row is in sight.
    case reachedEnd
    /// The reader has read the message.
    case messageDismissed
    /// Opens the article of the post that the comments are on.
    case postTapped
    /// Follows a link in a comment.
    case linkTapped(String)
    /// The text of the field changed: the comment that the reader is writing.
    case draftChanged(String)
    /// Sends what the reader wrote: it is in the list at once, and the field empty.
    case sendTapped
    /// Deletes one of the reader's own comments; one that was not sent yet never will be.
    case deleteTapped(Comment.ID)
  }

  /// The single source of truth.
  @ViewState public private(set) var state = State()
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }
  /// Called with the rows to draw again, among those that were read.
  public var onRowsChanged: ((Set<Comment.ID>) -> Void)? {
    get { list.onRowsChanged }
    set { list.onRowsChanged = newValue }
  }

  private let post: Post.ID
  private let store: ContentStore
  private let formatting: Formatting
  private let output: @MainActor (Output) -> Void
  private let list: EntityList<Comment>
  /// What the reader wrote here, in this run or an earlier one: at the end of the list also while that is not loaded to its end, or at all.
  private var written: [Comment.ID] = []
  private var observations: [Observation] = []
  /// Without an answer the page does without a headline; its list says what is wrong.
  private lazy var loader = EntityLoader(store) { [store, post] in
    try await store.loadPost(post, refetch: $0)
  } onEnd: { [weak self] _ in
    self?.update()
  }

  /// - Parameters:
  ///   - post: whose comments.
  ///   - store: the reader's content.
  ///   - formatting: how dates and counts are written.
  ///   - output: called with what the coordinator is to do.
  public init(_ post: Post.ID, store: ContentStore, formatting: Formatting, output: @escaping @MainActor (Output) -> Void) {
    self.post = post
    self.store = store
    self.formatting = formatting
    self.output = output
    list = .comments(of: post, store: store)
    list.observe { [weak self] _ in self?.update() }
    list.onRetryUnreachable = { [weak self] in self?.loader.retryUnreachable() ?? false }
    state.draft = store.commentDrafts[post] ?? ""
    judge(&state)
  }

  /// What a row shows; `nil` for a comment that is gone.
  public func row(for id: Comment.ID) -> CommentRow? {
    list.value(id).map { comment in
      CommentRow(
        id: id, author: comment.isMine ? "You" : comment.author, text: comment.text, date: formatting.date(comment.posted),
        isMine: comment.isMine, isWaiting: store.comments.isPending(id))
    }
  }

  /// The page is on screen: loads the first time, and reads the cache again after that.
  public func appear() {
    guard observations.isEmpty else { return }
    observations = [
      store.posts.observe(post) { [weak self] in self?.update() },
      // What was sent looks different from what waits, also when the publication changed nothing about it.
      store.outboxStatus.observe { [weak self] _ in self?.waitingChanged() },
    ]
    list.appear()
    // A comment's post may not be known here, as when a link leads to its comments.
    if store.posts[post] == nil { loader.load() }
    update()
  }

  /// The page is off screen and does nothing until it comes back.
  public func disappear() {
    observations = []
    list.disappear()
  }

  /// Handles an input of the reader.
  public func send(_ input: Input) {
    switch input {
    case .refreshTapped: refreshTapped()
    case .retryTapped: retryTapped()
    case .reachedEnd: reachedEnd()
    case .messageDismissed: messageDismissed()
    case .postTapped: postTapped()
    case .linkTapped(let url): linkTapped(url)
    case .draftChanged(let text): draftChanged(text)
    case .sendTapped: sendTapped()
    case .deleteTapped(let id): deleteTapped(id)
    }
  }
  /// See `Refreshable`.
  public func refresh() { send(.refreshTapped) }

  private func refreshTapped() { list.refreshTapped() }
  private func retryTapped() { list.retryTapped() }
  private func reachedEnd() { list.reachedEnd() }
  private func messageDismissed() { list.messageDismissed() }
  private func postTapped() { output(.openPost(post)) }
  private func linkTapped(_ url: String) {
    guard let scheme = URL(string: url)?.scheme?.lowercased(), ["http", "https"].contains(scheme) else { return }
    output(.openWeb(url))
  }

  private func draftChanged(_ text: String) { set(draft: text) }

  private func sendTapped() {
    guard state.canSend, let id = store.comment(on: post, state.draft) else { return }
    written.append(id)
    set(draft: "")
    update()
  }

  private func deleteTapped(_ id: Comment.ID) {
    store.deleteComment(id)
    update()
  }

  /// What the reader wrote here and was not sent yet, oldest first.
  private func waiting() -> [Comment.ID] {
    let ids = store.comments.ids { [post] in $0.postID == post && $0.isMine }.filter { store.comments.isPending($0) }
    return ids.sorted { first, second in
      (store.comments[first]?.posted ?? .distantPast, first) < (store.comments[second]?.posted ?? .distantPast, second)
    }
  }

  /// The loaded rows are shown; a failure of further ones is shown beneath.
  private func showRows(_ comments: inout ListState) {
    switch comments.phase {
    case .ready: return
    case .empty: break
    case .loading: comments.isRefreshing = true
    case .offline(let sentence), .failed(let sentence): comments.loadMoreFailure = sentence
    }
    comments.phase = .ready
  }

  private func waitingChanged() {
    let mine = state.comments.ids.filter { store.comments[$0]?.isMine == true }
    if !mine.isEmpty { onRowsChanged?(Set(mine)) }
  }

  private func set(draft: String) {
    store.commentDrafts[post] = draft.isEmpty ? nil : draft
    var new = state
    new.draft = draft
    judge(&new)
    state = new
  }

  /// From how many characters on it is said how many are left.
  private static let scarce = 200

  private func judge(_ state: inout State) {
    let text = state.draft.trimmingCharacters(in: .whitespacesAndNewlines)
    let length = text.count
    let surplus = length - Comment.longest
    let isLarge = text.utf8.count > Comment.largest
    state.surplus =
      surplus > 0
      ? "\(formatting.count(surplus, "character", "characters")) too many" : isLarge ? "too many accents or emoji" : nil
    state.room = (-Self.scarce...0).contains(surplus) ? "\(formatting.count(-surplus, "character", "characters")) left" : nil
    state.canSend = length > 0 && state.surplus == nil && state.canWrite
  }

  /// Makes the state: the only place where several facts become what the page shows.
  private func update() {
    guard !observations.isEmpty, !store.isClosed else { return }
    var new = state
    let cached = store.posts[post]
    new.title = cached?.title ?? new.title
    new.isGone = cached == nil && loader.isNotFound
    new.isLocked = cached.map { $0.premium && !$0.unlocked && !store.hasPremium } ?? false
    new.comments = list.state
    let there = Set(new.comments.ids)
    written.removeAll { store.comments[$0] == nil }
    written += waiting().filter { !written.contains($0) }
    new.comments.ids += written.filter { !there.contains($0) }
    if !new.comments.ids.isEmpty { showRows(&new.comments) }
    // The text of a refused comment goes back into the field, so that the reader need not write it again.
    if let refused = store.takeRefusedComment(on: post) {
      new.draft = new.draft.isEmpty ? refused : "\(refused)\n\n\(new.draft)"
      store.commentDrafts[post] = new.draft
    }
    judge(&new)
    state = new
  }
}
