import ContentCache
import Foundation
import PublicationAPI
import PublicationClient
import Runtime

/// The reader's actions: each has changed the cache when it returns, survives the end of the app, and is sent as soon as possible.
extension ContentStore {
  /// The actions that the publication has not confirmed: "3 changes waiting", with the reason.
  public var outboxStatus: LastValue<OutboxStatus> { actions.outboxStatus }

  /// Sends pending actions at once, instead of at the next try: for the reader's own request.
  /// - Returns: see `ActionController`.
  @discardableResult public func retryNow() -> Task<Void, Never>? { actions.retryNow() }

  /// The reader's choices for a post that wait to be sent, in a sentence; `nil` for none, and for those that are being sent.
  public func waiting(about id: Post.ID) -> String? {
    guard outboxStatus.value.problem != nil, posts.isPending(id) else { return nil }
    let reacts = actions.isDelayed(ReactionAction.self, on: id)
    let marks = actions.isDelayed(BookmarkAction.self, on: id)
    return switch (reacts, marks) {
    case (true, true): "Your reaction and your bookmark wait to be sent."
    case (true, false): "Your reaction waits to be sent."
    case (false, true): "Your bookmark waits to be sent."
    case (false, false): nil
    }
  }

  /// The same of what the reader chose for a fan club.
  public func waiting(aboutClub id: FanClub.ID) -> String? {
    guard outboxStatus.value.problem != nil, fanClubs.isPending(id), actions.isDelayed(FollowAction.self, on: id) else { return nil }
    return "Your choice to \(fanClubs[id]?.followed == true ? "follow" : "stop following") waits to be sent."
  }

  /// Sets the reader's reaction to a post, or removes it when it was this one; does nothing for an unknown post.
  public func react(_ id: Post.ID, _ reaction: Reaction) {
    guard let post = posts[id] else { return }
    set(ReactionSetting.self, of: [id], in: posts, to: post.reaction == reaction ? nil : reaction)
  }

  /// Adds the reader's heart, or removes their reaction of any kind; does nothing for an unknown post.
  public func toggleReaction(_ id: Post.ID) {
    guard let post = posts[id] else { return }
    set(ReactionSetting.self, of: [id], in: posts, to: post.reaction == nil ? .love : nil)
  }

  /// Adds the reader's bookmark, or removes it; does nothing for an unknown post.
  public func toggleBookmark(_ id: Post.ID) {
    guard let post = posts[id] else { return }
    set(BookmarkSetting.self, of: [id], in: posts, to: !post.bookmarked)
  }

  /// Marks a post as read, or as unread; does nothing for one that is so already, or unknown.
  public func markRead(_ id: Post.ID, _ read: Bool = true) { set(ReadSetting.self, of: [id], in: posts, to: read) }

  /// Marks all posts as read that appeared until a moment, also those that are not here.
  /// - Parameter clubs: whose posts; `nil` for all.
  /// - Returns: what takes it back.
  @discardableResult public func markAllRead(until: Date, in clubs: Set<FanClub.ID>? = nil) -> ReadUndo {
    guard !isClosed else { return ReadUndo() }
    // The publication counts in whole seconds.
    let until = Date(timeIntervalSince1970: until.timeIntervalSince1970.rounded(.up))
    var marks = [ReadAllAction(id: identifiers.next(), until: until)]
    if let all = clubs?.sorted() {
      let parts = stride(from: 0, to: all.count, by: ReadRequest.mostClubs).map { Set(all[$0...].prefix(ReadRequest.mostClubs)) }
      marks = parts.map { ReadAllAction(id: identifiers.next(), until: until, clubs: $0) }
    }
    actions.perform(marks)
    return ReadUndo(marks: marks)
  }

  /// Marks posts as read.
  /// - Returns: what takes it back.
  @discardableResult public func markRead(_ ids: some Sequence<Post.ID>) -> ReadUndo {
    let unread = ids.filter { posts[$0]?.read == false }
    set(ReadSetting.self, of: unread, in: posts, to: true)
    return ReadUndo(posts: unread)
  }

  /// Undoes marking posts as read: exactly those that were unread before are unread again, except those that were read by themselves since.
  public func undo(_ undo: ReadUndo) {
    guard !isClosed else { return }
    actions.perform(undo.marks.map { UnreadAllAction(id: identifiers.next(), mark: $0.id, clubs: $0.clubs) })
    set(ReadSetting.self, of: undo.posts, in: posts, to: false)
  }

  /// Follows a fan club, or stops; a club that is not known is left alone.
  public func toggleFollow(_ id: FanClub.ID) {
    guard let club = fanClubs[id] else { return }
    set(FollowSetting.self, of: [id], in: fanClubs, to: !club.followed)
  }

  /// Removes a fan club that the reader added, with its posts: from the publication, and then from all data here. Pending actions on it are
  /// dropped. Nothing changes before the answer, since other readers may use it.
  /// - Returns: whether it is gone; if not, the reader was shown why.
  public func removeFanClub(_ id: FanClub.ID) async -> Bool {
    let client = client
    do { try await request("fanclub.remove") { try await client.removeFanClub(id) } } catch {
      guard !isClosed else { return false }
      // The answer to an earlier try was lost.
      guard (error as? ClientError)?.isNotFound == true else {
        failed("“\(fanClubs[id]?.name.onOneLine ?? "The feed")” was not removed. \(RequestError(explaining: error).sentence)")
        return false
      }
    }
    guard !isClosed else { return false }
    let gone = Set(postCache.ids { $0.fanClubID == id })
    let remarks = Set(commentCache.ids { gone.contains($0.postID) })
    actions.drop { kind, entity in
      switch kind {
      case FollowSetting.kind: entity == id
      case CommentAction.kind: remarks.contains(entity)
      default: gone.contains(entity)
      }
    }
    forget(refusedComments.filter { gone.contains($0.post) })
    commentDrafts = commentDrafts.filter { !gone.contains($0.key) }
    counted.subtract(gone)
    postCache.remove { $0.fanClubID == id }
    commentCache.remove { gone.contains($0.postID) }
    clubCache.remove([id])
    listsAreStale()
    return true
  }

  /// Writes a comment under a post. White space around it is left out, and so are control characters, which pasted text may have.
  /// - Returns: the comment's identifier in ``comments``; `nil` for a text that is empty or longer than ``Comment/longest`` or
  ///   ``Comment/largest``.
  @discardableResult public func comment(on post: Post.ID, _ text: String) -> Comment.ID? {
    let lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n").unicodeScalars
    let plain = String(String.UnicodeScalarView(lines.filter { $0 == "\n" || $0 == "\t" || $0.properties.generalCategory != .control }))
    let text = plain.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !isClosed, (1...Comment.longest).contains(text.count), text.utf8.count <= Comment.largest else { return nil }
    let action = CommentAction(
      id: identifiers.next(), comment: identifiers.next(), post: post, text: text, author: author, written: clock.now, counted: 1)
    actions.perform(action)
    return action.entityID
  }

  /// Deletes one of the reader's own comments; does nothing for any other, or an unknown one.
  public func deleteComment(_ id: Comment.ID) {
    guard !isClosed, let comment = comments[id], comment.isMine, let uuid = UUID(uuidString: id) else { return }
    // A pending comment was counted by its own action, which this one supersedes.
    let counted = comments.isPending(id) ? nil : -1
    actions.perform(
      CommentAction(
        id: identifiers.next(), comment: uuid, post: comment.postID, text: nil, author: author, written: clock.now, counted: counted))
  }

  private func set<S: Setting>(_: S.Type, of ids: some Sequence<String>, in cache: any CacheReading<S.Value>, to choice: S.Choice) {
    guard !isClosed else { return }
    let others = ids.filter { id in cache[id].map { S.choice(in: $0) != choice } ?? false }
    actions.perform(others.map { SettingAction<S>(id: identifiers.next(), of: $0, choice) })
  }

  func registerActions() {
    // Actions are sent as this reader, even if another one has signed in by then.
    let client = client.pinned() ?? client
    register(ReactionSetting.self, postCache, client)
    register(BookmarkSetting.self, postCache, client)
    register(ReadSetting.self, postCache, client)
    register(FollowSetting.self, clubCache, client)
    actions.register(
      ReadAllAction.self, cache: postCache,
      confirmed: { [weak self] in
        self?.reached()
        self?.uncounted.formUnion($0.clubs ?? Set(self?.fanClubs.ids { $0.unread ?? 0 > 0 } ?? []))
        self?.countUnread()
      }
    ) { action in
      try await client.markRead(until: action.until, in: action.clubs?.sorted(), as: action.id)
      return nil
    }
    actions.register(
      UnreadAllAction.self, cache: postCache,
      confirmed: { [weak self] action in
        self?.reached()
        self?.uncounted.formUnion(self?.fanClubs.ids { $0.unread != nil && action.clubs?.contains($0.id) ?? true } ?? [])
        self?.countUnread()
      }
    ) { action in
      try await client.unmarkRead(action.mark)
      return nil
    }
    actions.register(
      CommentAction.self, cache: commentCache,
      relatedChange: { [weak self] action in
        guard let self, let counted = action.counted else { return nil }
        return RelatedChange(of: action.id, on: action.post, in: postCache) { $0.comments = max(0, $0.comments + counted) }
      },
      confirmed: { [weak self] in
        self?.reached()
        self?.count($0.post)
        self?.countUnread()
      },
      refused: { [weak self] in self?.forget($0.post, in: self?.postCache, $1) },
      handBack: { [weak self] comment in
        guard let self, comment.text != nil else { return false }
        refusedComments.append(comment)
        return true
      }
    ) { try await $0.send(by: client) }
    let refusals = [
      ReactionSetting.kind: ReactionSetting.refusal, BookmarkSetting.kind: BookmarkSetting.refusal, ReadSetting.kind: ReadSetting.refusal,
      FollowSetting.kind: FollowSetting.refusal, ReadAllAction.kind: "Not everything was marked as read.",
      UnreadAllAction.kind: "What was marked as read stays so.",
      CommentAction.kind: "Your comment was not saved.",
    ]
    actions.onUnreachable = { [weak self] in
      if let error = $0 as? ClientError, error.isOffline { self?.outOfReach.value = error.sentence }
      if case .problem(let problem, _) = $0 as? ClientError, problem.code == .maintenance { self?.waitsForMaintenance = true }
    }
    actions.onFailure = { [weak self] failure in
      guard let self, let what = refusals[failure.kind, default: "Your change was not saved."] else { return }
      let sentence = "\(what) \(failure.sentence)"
      guard let comment = refusedComments.first(where: { $0.id == failure.actionID }) else { return failed(sentence) }
      commentRefused(on: comment.post, sentence)
    }
  }

  private func register<S: Setting>(_: S.Type, _ cache: Cache<S.Value>, _ client: APIClient) {
    actions.register(
      SettingAction<S>.self, cache: cache, confirmed: { [weak self] in self?.confirmed(S.self, $0.entityID) },
      refused: { [weak self] in self?.forget($0.entityID, in: cache, $1) }
    ) {
      try await S.send($0.choice, of: $0.entityID, by: client)
    }
  }

  /// Removes an entity everywhere after the publication answered an action with its removal.
  private func forget<Value>(_ id: String, in cache: Cache<Value>?, _ error: any Error) {
    if (error as? ClientError)?.isNotFound == true { cache?.remove([id]) }
  }

  private func confirmed<S: Setting>(_: S.Type, _ id: String) {
    reached()
    if S.self == ReadSetting.self, let club = posts[id]?.fanClubID { uncounted.insert(club) }
    countUnread()
  }

  /// Adds new posts of the publication to the unread counts of their clubs. A post that is reported again changes nothing.
  public func newPostsSeen(_ posts: some Sequence<Post.ID>) {
    guard !isClosed else { return }
    uncounted.formUnion(posts.filter { counted.insert($0).inserted }.compactMap { self.posts[$0]?.fanClubID })
    countUnread()
  }

  /// Only the publication knows how many posts of a club are unread: it has posts that are not known here. The count is requested once for
  /// each club, after all actions of the reader are sent; if the publication is unreachable, when it is reachable again.
  func countUnread() {
    guard !actions.hasPendingActions else { return }
    let clubs = uncounted.filter { fanClubs[$0]?.unread != nil }
    uncounted = []
    guard !clubs.isEmpty else { return }
    Task { [weak self] in
      // One after the other: after "mark all as read" there may be hundreds.
      for club in clubs.sorted() where self?.isClosed == false {
        do { _ = try await self?.loadFanClub(club, refetch: true) } catch {
          if RequestError(explaining: error).isUnreachable { self?.uncounted.insert(club) }
        }
      }
    }
  }

  /// The publication alone can say how many comments a post has.
  private func count(_ post: Post.ID) {
    let time = postCache.logicalTime()
    Task { [weak self, client] in
      guard let new = try? await self?.request("comment.count", { try await client.post(post) }), let self, !isClosed else { return }
      postCache.store([new], asOf: time)
    }
  }
}
