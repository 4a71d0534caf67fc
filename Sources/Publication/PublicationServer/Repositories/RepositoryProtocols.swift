import Foundation
import PublicationAPI

// What the publication stores, as its domain sees it. Each function is one step that happens wholly or not at all, so that an engine behind
// a network can take it in one transaction; the functions run where the publication runs. SQL is in the implementations alone.

/// Posts, pictures, clubs and products.
protocol ContentRepository {
  /// The publication's details; `nil` before it was founded.
  nonisolated(nonsending) func info() async throws -> PublicationInfo?
  /// Everything a publication starts with, and its first readers.
  /// - Returns: whether it was empty; else nothing was stored.
  nonisolated(nonsending) func found(
    _ content: PublicationContent, readers: [(reader: Reader, password: PasswordHash)]
  ) async throws -> Bool
  /// Adds missing products and paywalls to a founded publication, and updates existing ones.
  nonisolated(nonsending) func sell(_ products: [ProductRecord], _ paywalls: [PaywallRecord]) async throws
  nonisolated(nonsending) func picture(_ name: String) async throws -> PublicationContent.Picture?
  /// A post as one reader sees it.
  /// - Parameter withBody: whether its body and its enclosures are read, which may have megabytes.
  nonisolated(nonsending) func post(_ id: Post.ID, for reader: Reader.ID, withBody: Bool) async throws -> Post?
  /// A post as people without an account see it: without its body, and nothing of it is counted.
  nonisolated(nonsending) func sharedPost(_ id: Post.ID) async throws -> Post?
  /// Closes the connections for bodies and lists.
  nonisolated(nonsending) func close() async
  /// Posts without bodies, newest first, as one reader sees them; `nil` when there is no such club.
  nonisolated(nonsending) func posts(_ query: PostQuery, for reader: Reader.ID) async throws -> [Post]?
  nonisolated(nonsending) func fanClub(_ id: FanClub.ID, for reader: Reader.ID) async throws -> FanClub?
  /// Fan clubs by name, each with the key it sorts by.
  nonisolated(nonsending) func fanClubs(
    after: NamePosition?, limit: Int, for reader: Reader.ID
  ) async throws -> [(club: FanClub, position: NamePosition)]
  /// Sets a reader's reaction to a post, or removes it. Does nothing for an unknown post.
  nonisolated(nonsending) func setReaction(_ kind: Reaction?, to post: Post.ID, by reader: Reader.ID) async throws
  /// Sets or removes a reader's flag on a post; repeating it changes nothing. Does nothing for an unknown post.
  nonisolated(nonsending) func setMark(_ mark: Mark, of post: Post.ID, by reader: Reader.ID, _ isSet: Bool) async throws
  /// Marks the first of some posts as read, at most that many. There may be a million, and other requests wait for each step.
  /// - Returns: the rest of them; `nil` when there are no more.
  nonisolated(nonsending) func markRead(_ posts: ReadAll, by reader: Reader.ID, limit: Int) async throws -> ReadAll?
  /// Removes the marks of that request; a post that the reader read by itself since stays read.
  /// - Parameters:
  ///   - number: behind which of the reader's marks to start; `nil` for the first.
  ///   - limit: how many of them are read.
  /// - Returns: where to go on; `nil` when there are no more.
  nonisolated(nonsending) func unmarkRead(
    _ mark: String, by reader: Reader.ID, after number: Int64?, limit: Int
  ) async throws -> Int64?
  /// The same for following a club.
  nonisolated(nonsending) func setFollow(of club: FanClub.ID, by reader: Reader.ID, _ isSet: Bool) async throws
  /// Removes a club that the reader added, with its feed. It stays while others follow it, or did more to one of its posts than read it.
  /// Its posts are hidden at once, and removed by ``sweep(_:)``.
  nonisolated(nonsending) func removeClub(_ id: FanClub.ID, by reader: Reader.ID) async throws -> RemovalOutcome
  /// Whether ``removeClub(_:by:)`` would find that others use a club of the reader's. No other request waits for it.
  nonisolated(nonsending) func isUsedByOthers(_ club: FanClub.ID, than reader: Reader.ID) async throws -> Bool
  /// A product with its price in that currency, or in its first one.
  nonisolated(nonsending) func product(_ id: ProductRecord.ID, in currency: String?) async throws -> ProductRecord?
  nonisolated(nonsending) func paywall(_ id: PaywallRecord.ID) async throws -> PaywallRecord?
  /// Removes clubs whose import did not end, unless another reader uses them already; also while the publication is being closed.
  /// - Parameters:
  ///   - follows: the clubs that the import had the reader follow.
  ///   - reader: who imported them; `nil` for the publisher.
  /// - Returns: those of them whose posts are there until ``sweep(_:)``.
  nonisolated(nonsending) func takeBack(
    _ clubs: [FanClub.ID], follows: [FanClub.ID], of reader: Reader.ID?
  ) async throws -> [FanClub.ID]
  /// Clubs that were removed and whose posts are still there.
  nonisolated(nonsending) func removedClubs() async throws -> [FanClub.ID]
  /// Whether such clubs have more than that many posts together.
  nonisolated(nonsending) func hasRemovedPosts(moreThan count: Int) async throws -> Bool
  /// Removes some posts of a club that was removed, with all their data.
  /// - Returns: whether there are more; false for a club that is there.
  nonisolated(nonsending) func sweep(_ club: FanClub.ID) async throws -> Bool
  /// Stores a club and some of its posts, new or existing; the job's reader follows it, and counts as who added it when it is new.
  /// - Parameters:
  ///   - part: which of the feed's items.
  ///   - version: the version for the next conditional request, and its time.
  ///   - job: updated with the progress; once it was cancelled, nothing of that part is stored.
  /// - Throws: `CancellationError` then, and for a club that was removed while its feed was fetched.
  nonisolated(nonsending) func store(
    _ feed: ImportedFeed, _ part: Range<Int>, version: (FeedVersion, next: Int64)?, _ job: ImportJob?
  ) async throws -> ImportReport
}

/// Feeds of the web. Times are whole seconds since 1970.
protocol FeedRepository {
  /// The feeds that a reader added, and what these have.
  nonisolated(nonsending) func added(by reader: Reader.ID) async throws -> AddedFeeds
  /// The feed of a club; `nil` for a club without one.
  nonisolated(nonsending) func feed(of club: FanClub.ID) async throws -> StoredFeed?
  /// The feed that is, or was when it was added, at the first of these addresses that has one.
  nonisolated(nonsending) func feed(at urls: [String]) async throws -> StoredFeed?
  /// Those whose time has come, longest waiting first, behind one of them.
  nonisolated(nonsending) func due(at time: Int64, after place: FeedPlace?, limit: Int) async throws -> [StoredFeed]
  /// When the next one's time comes.
  nonisolated(nonsending) func nextDue() async throws -> Int64?
  /// Records where a feed is, the outcome of a fetch, and the next time: `nil` for never by the schedule.
  nonisolated(nonsending) func update(_ feed: StoredFeed, next: Int64?) async throws
  /// Records why a feed that a reader requested could not be read; nothing else changes.
  /// - Parameter quiet: until when its server wants no request; `nil` when it set no time.
  nonisolated(nonsending) func failed(_ club: FanClub.ID, _ problem: String, quiet: Int64?) async throws
  /// Adds clubs that are fetched on request, and that the job's reader follows and may remove; existing ones stay.
  /// - Parameters:
  ///   - part: which of the feeds.
  ///   - job: updated with the progress; once it was cancelled, nothing of that part is stored.
  nonisolated(nonsending) func add(
    _ feeds: [(club: FanClub, url: String)], _ part: Range<Int>, _ job: ImportJob?
  ) async throws -> AddedClubs
}

/// What readers say about posts.
protocol CommentRepository {
  /// A post's comments as one reader sees them, oldest first, each with its number in the order.
  nonisolated(nonsending) func comments(
    of post: Post.ID, after: Int64?, limit: Int, for reader: Reader.ID
  ) async throws -> [(comment: Comment, number: Int64)]
  /// How many seconds a reader has to wait before another comment; `nil` for none, or when the identifier exists, which adds nothing.
  nonisolated(nonsending) func pause(
    before id: Comment.ID, by reader: Reader.ID, at time: Int64, mostAnHour: Int
  ) async throws -> Int64?
  /// Writes a comment, new or the reader's own of that identifier, under a post that there is.
  nonisolated(nonsending) func put(
    _ id: Comment.ID, on post: Post.ID, by reader: Reader.ID, text: String, at time: Int64
  ) async throws -> CommentOutcome
  /// Deletes the reader's comment of that identifier; none can be written under it any more.
  /// - Returns: whether the comment is gone; false for another reader's.
  nonisolated(nonsending) func delete(_ id: Comment.ID, of post: Post.ID, by reader: Reader.ID, at time: Int64) async throws -> Bool
}

/// The words of posts. Searches have a thread of their own where the engine can have one, so that no other request waits for them.
protocol SearchRepository {
  /// Posts that have all the words where the reader may read, best or newest first, without bodies; for the first page also the best of
  /// the clubs that have them in their names.
  /// - Parameter seesAll: whether the reader may read the bodies of all premium posts.
  nonisolated(nonsending) func search(
    _ words: SearchWords, after: SearchPosition?, limit: Int, for reader: Reader.ID, seesAll: Bool
  ) async throws -> (clubs: [FanClubHit], hits: [SearchHit], order: SearchOrder)
  /// Whether more than that many posts are in the queue.
  nonisolated(nonsending) func hasQueue(longerThan count: Int) async throws -> Bool
  /// Takes those of removed clubs out of the queue.
  /// - Parameter limit: how many posts at the front of the queue are looked at.
  nonisolated(nonsending) func dropRemoved(limit: Int) async throws
  /// Some of the posts in the queue, at most that many, and whether there are more.
  nonisolated(nonsending) func queue(limit: Int) async throws -> (posts: [QueuedPost], hasMore: Bool)
  /// Indexes the words of posts of the queue. One that was changed since stays in the queue. Also indexes the names of some clubs in their
  /// queue.
  /// - Returns: whether any of these posts stayed, or clubs did.
  nonisolated(nonsending) func index(_ posts: [IndexedPost], clubs limit: Int) async throws -> Bool
  /// Closes the connections for searches.
  nonisolated(nonsending) func close() async
}

/// The readers and their sessions.
protocol ReaderRepository {
  /// - Returns: whether the address was free; else nothing was stored.
  nonisolated(nonsending) func add(_ reader: Reader, password: PasswordHash) async throws -> Bool
  /// The reader with that identifier; `nil` for an unknown or a removed one.
  nonisolated(nonsending) func reader(_ id: Reader.ID) async throws -> Reader?
  /// All readers by address, those behind one first.
  nonisolated(nonsending) func readers(after email: String?, limit: Int) async throws -> [Reader]
  /// The reader with that address, however its letters with accents are encoded (Unicode's canonical equivalence).
  nonisolated(nonsending) func reader(email: String) async throws -> (reader: Reader, password: PasswordHash)?
  /// The reader, the session and the expiry of an access token; `nil` for one that is unknown or no longer valid.
  nonisolated(nonsending) func reader(
    access digest: Data, at time: Int64
  ) async throws -> (reader: Reader, session: SessionFamily.ID, expires: Int64)?
  /// Starts a session of a reader who is still there and whose password is still that one.
  /// - Returns: `nil` otherwise: while the password was compared, the operator may have set another one.
  nonisolated(nonsending) func startSession(
    _ tokens: SessionFamily.Tokens, of reader: Reader.ID, password: PasswordHash, device: String?, at time: Int64
  ) async throws -> SessionFamily.ID?
  /// Exchanges a refresh token, as ``RefreshRequest`` says. One whose successor was used ends its session.
  nonisolated(nonsending) func exchange(
    _ old: SessionFamily.Refresh, for tokens: SessionFamily.Tokens, at time: Int64
  ) async throws -> SessionFamily.Exchange
  /// Whether that is the digest of the session's family.
  nonisolated(nonsending) func isFamily(_ digest: Data, of session: SessionFamily.ID) async throws -> Bool
  /// Ends the session of an access token that is in force, or of any refresh token of its family; not one that was ended for misuse.
  /// - Returns: which that was; `nil` when there was none.
  nonisolated(nonsending) func endSession(_ token: SessionFamily.Refresh, at time: Int64) async throws -> SessionFamily.ID?
  /// Ends one session of a reader.
  /// - Returns: whether there was such a session of theirs.
  nonisolated(nonsending) func endSession(_ id: SessionFamily.ID, of reader: Reader.ID) async throws -> Bool
  /// Ends a reader's sessions, but for one, and makes the codes worthless that were mailed to them.
  /// - Returns: those that there were.
  nonisolated(nonsending) func endSessions(of reader: Reader.ID, except session: SessionFamily.ID?) async throws -> [SessionFamily.ID]
  /// A reader's sessions, the last used first.
  nonisolated(nonsending) func sessions(of reader: Reader.ID, at time: Int64, limit: Int) async throws -> [SessionFamily.Listed]
  /// Sets another password, ends the reader's sessions, makes mailed codes worthless, and forgets the accounts at providers that they added,
  /// in one step.
  /// - Returns: those that there were.
  nonisolated(nonsending) func setPassword(_ password: PasswordHash, of reader: Reader.ID) async throws -> [SessionFamily.ID]
  /// Replaces a password, ends all of the reader's sessions but one, makes mailed codes worthless, and forgets the accounts at providers that
  /// they added, in one step.
  /// - Returns: the ended sessions; `nil` when the password was another one by then, and nothing was changed.
  nonisolated(nonsending) func changePassword(
    _ password: PasswordHash, from old: PasswordHash, of reader: Reader.ID, retaining session: SessionFamily.ID
  ) async throws -> [SessionFamily.ID]?
  /// Erases a reader's identity, and withdraws the payments that wait for them. Their purchases stay, for which the publication has to
  /// account. The rest goes in parts, by ``removeActivity(of:)`` and ``sweepMarks(of:)``.
  /// - Parameter password: one that no text matches.
  nonisolated(nonsending) func remove(_ reader: Reader.ID, password: PasswordHash, at time: Int64) async throws
  /// Readers who were removed and who still have something.
  nonisolated(nonsending) func removedReaders() async throws -> [Reader.ID]
  /// Removes some of what a removed reader did. A club that they added passes to a reader who uses it. One that no reader uses is removed.
  /// - Returns: the removed clubs whose posts are still there, and whether there is more; nothing for a reader who is there.
  nonisolated(nonsending) func removeActivity(of reader: Reader.ID) async throws -> (clubs: [FanClub.ID], hasMore: Bool)
  /// Removes some read marks of a reader who was removed, of whom there may be a million.
  /// - Returns: whether there are more; false for a reader who is there.
  nonisolated(nonsending) func sweepMarks(of reader: Reader.ID) async throws -> Bool
}

/// The accounts at identity providers that sign readers in. Times are whole seconds since 1970.
protocol IdentityRepository {
  /// The reader whom an account signs in, with the hash of their password.
  nonisolated(nonsending) func reader(of identity: Identity) async throws -> (reader: Reader, password: PasswordHash)?
  /// Adds a reader who came by an account.
  /// - Returns: whether they were added: not when another reader has the address or the account.
  nonisolated(nonsending) func add(_ reader: Reader, password: PasswordHash, by identity: Identity, at time: Int64) async throws -> Bool
  /// Adds an account to a reader's. An account that is theirs already stays. An account of another reader passes on when that reader came by
  /// it and did nothing since: a person who signs in by a provider before they add it becomes a second reader.
  nonisolated(nonsending) func link(_ identity: Identity, to reader: Reader.ID, at time: Int64) async throws -> Identity.Outcome
  /// Takes a reader's account of a provider away, unless they came by it.
  /// - Returns: whether it was.
  nonisolated(nonsending) func unlink(_ issuer: String, from reader: Reader.ID) async throws -> Bool
  /// A reader's accounts, the earliest first.
  nonisolated(nonsending) func identities(of reader: Reader.ID) async throws -> [ReaderIdentity]
}

/// Codes that are mailed. Times are whole seconds since 1970.
protocol CodeRepository {
  /// Stores a code.
  /// - Parameter isOwn: whether its reader asks, as far as one can tell: then the requests of other clients do not count.
  /// - Returns: whether it was: not when too many were asked for.
  nonisolated(nonsending) func add(_ code: MailedCode, isOwn: Bool) async throws -> Bool
  /// The code of a challenge that is still good.
  nonisolated(nonsending) func code(_ digest: Data, at time: Int64) async throws -> MailedCode?
  /// Counts a try, before it is compared: many at a time are not more than one after the other.
  /// - Returns: how many are left after it; `nil` when the code is no longer good.
  nonisolated(nonsending) func countTry(_ digest: Data, at time: Int64) async throws -> Int?
  /// Uses the code of a challenge up.
  /// - Returns: whether it was not used before.
  nonisolated(nonsending) func use(_ digest: Data) async throws -> Bool
}

/// What was ordered, tried and paid. Times are whole seconds since 1970.
protocol OrderRepository {
  /// Starts an order and gives it its number, unless there is one of that id.
  /// - Returns: the order of that id as it is now, and whether it was started by this call.
  nonisolated(nonsending) func start(_ order: StoredOrder) async throws -> (order: StoredOrder, isNew: Bool)
  nonisolated(nonsending) func order(_ id: Order.ID) async throws -> StoredOrder?
  nonisolated(nonsending) func order(code: String) async throws -> StoredOrder?
  /// Newest first, at most that many.
  nonisolated(nonsending) func orders(_ query: OrderQuery) async throws -> [StoredOrder]
  /// How many orders of a reader were started after a time and are neither paid nor given back, and how many wait for approval, however
  /// old.
  nonisolated(nonsending) func unpaid(of reader: Reader.ID, since time: Int64) async throws -> (begun: Int, waiting: Int)
  /// Paid orders that give access at that time, newest first.
  nonisolated(nonsending) func inForce(of reader: Reader.ID, at time: Int64) async throws -> [StoredOrder]
  /// The order that was paid last, by the clock at that time; `nil` when none is paid.
  nonisolated(nonsending) func lastPaid() async throws -> StoredOrder?
  nonisolated(nonsending) func isEntitled(_ reader: Reader.ID, to entitlement: String, at time: Int64) async throws -> Bool

  // Charging

  /// Records an attempt before the gateway's request: the one that is still open, or a new one after a definite refusal. It uses up the
  /// reader's agreement on a page.
  nonisolated(nonsending) func startAttempt(_ id: Order.ID, token: String, at time: Int64) async throws -> ChargeAttempt
  /// The attempt without an outcome, or with one that is not decided yet.
  nonisolated(nonsending) func openAttempt(of id: Order.ID) async throws -> ChargeAttempt?
  /// Records that a bank or another person has to agree first; the attempt stays open.
  nonisolated(nonsending) func wait(_ attempt: ChargeAttempt) async throws
  /// Writes down that the reader has to confirm on a page first, after which there is another attempt.
  nonisolated(nonsending) func interrupt(_ attempt: ChargeAttempt, page: StoredCheckout, at time: Int64) async throws
  /// Writes down a definite no.
  nonisolated(nonsending) func decline(_ attempt: ChargeAttempt, reason: String, at time: Int64) async throws
  /// Records the charge, and what it gives: access from now, access from the end of the present period of the same group, or a balance.
  nonisolated(nonsending) func pay(_ attempt: ChargeAttempt, charge: String, at time: Int64) async throws
  /// Tries without a recorded outcome.
  nonisolated(nonsending) func openAttempts() async throws -> [ChargeAttempt]
  /// The orders of a reader with such a try, newest first. Others' orders take no time here: they may be many.
  nonisolated(nonsending) func undecided(of reader: Reader.ID) async throws -> [StoredOrder]

  // Giving back

  /// Writes down that a charge is going to be given back, before it is.
  nonisolated(nonsending) func startRefund(_ id: Order.ID, reason: String) async throws -> ChargeAttempt
  /// Writes down that it was, and takes back what it gave.
  nonisolated(nonsending) func refund(_ id: Order.ID, at time: Int64) async throws
  /// Writes down that it will not be: the order stays paid.
  nonisolated(nonsending) func declineRefund(_ id: Order.ID) async throws
  /// Orders whose refund was started and not ended.
  nonisolated(nonsending) func openRefunds() async throws -> [Order.ID]
}

/// What readers have left, and what they opened with it.
protocol BalanceRepository {
  /// One entry for each type that was ever bought.
  nonisolated(nonsending) func balances(of reader: Reader.ID) async throws -> [Balance]
  /// Spends one of `type` on a post, oldest first; spends nothing when it is open to the reader already.
  nonisolated(nonsending) func unlock(
    _ post: Post.ID, by reader: Reader.ID, with type: String, unlessEntitledTo entitlement: String, at time: Int64
  ) async throws -> UnlockOutcome
}

/// Pages for the system browser.
protocol CheckoutRepository {
  /// Starts a page, unless an earlier one waits for the reader, or has an unused answer.
  /// - Returns: the page that there is now.
  nonisolated(nonsending) func start(_ page: StoredCheckout, at time: Int64) async throws -> StoredCheckout
  nonisolated(nonsending) func page(_ key: String) async throws -> StoredCheckout?
  /// The order's last page.
  nonisolated(nonsending) func page(of order: Order.ID) async throws -> StoredCheckout?
  /// Writes down the reader's answer; only the first one counts, and none after it has expired.
  /// - Parameters:
  ///   - token: what can be charged; `nil` when the reader declined.
  /// - Returns: the page as it is now.
  nonisolated(nonsending) func answer(_ key: String, token: String?, at time: Int64) async throws -> StoredCheckout?
  /// Withdraws the pages of an order that its reader has not answered. An order that its reader is to confirm, or has confirmed, is
  /// declined with the reason. No charge of it must be under way.
  nonisolated(nonsending) func withdraw(_ order: Order.ID, reason: String, at time: Int64) async throws
}

/// The public halves of the keys that sign receipts.
protocol KeyRepository {
  /// The key in use, by what was written down.
  nonisolated(nonsending) func current() async throws -> KeySet.Key?
  /// Records the key in use from now on. The earlier one is retired, unless it was already.
  nonisolated(nonsending) func start(_ key: KeySet.Key, at time: Int64) async throws
  nonisolated(nonsending) func retire(_ key: KeySet.Key, at time: Int64) async throws
  /// Newest first: all, or those that a receipt still in force may need.
  nonisolated(nonsending) func retired(neededAt time: Int64?) async throws -> [KeySet.Key]
}

/// What the operator says of the service as a whole.
protocol ServiceRepository {
  nonisolated(nonsending) func minimumVersion() async throws -> String?
  nonisolated(nonsending) func setMinimumVersion(_ version: String?) async throws
  nonisolated(nonsending) func maintenance() async throws -> Maintenance?
  nonisolated(nonsending) func setMaintenance(_ maintenance: Maintenance?) async throws
}

/// How often things happened in the app.
protocol AnalyticsRepository {
  /// Counts a batch of a reader, once.
  nonisolated(nonsending) func count(_ batch: AnalyticsBatch, of reader: Reader.ID, at time: Int64) async throws
  /// How many batches a reader had counted since a time, and how many events were in them.
  nonisolated(nonsending) func load(of reader: Reader.ID, since time: Int64) async throws -> (batches: Int, events: Int)
  /// What was counted since the day of a time: the newest day first, then by name.
  nonisolated(nonsending) func counts(since time: Int64) async throws -> [AnalyticsCount]
}

/// Switches, and what was counted on each side of them.
protocol FlagRepository {
  /// All of them, by name.
  nonisolated(nonsending) func flags() async throws -> [FlagRecord]
  /// Sets one, new or existing.
  nonisolated(nonsending) func setFlag(_ flag: FlagRecord) async throws
  /// Counts events of a reader, each once for each flag that there is.
  nonisolated(nonsending) func count(_ events: [FlagEventRecord], of reader: Reader.ID, at time: Int64) async throws
  /// How many rows a reader's events made since a time, which is not long ago: those of a month are there.
  nonisolated(nonsending) func eventCount(of reader: Reader.ID, since time: Int64) async throws -> Int
  /// The counts of a flag, by side; `nil` when there is no such flag.
  nonisolated(nonsending) func report(_ name: String) async throws -> FlagReport?
}
