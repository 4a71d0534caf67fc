import ContentCache
import Foundation
import PublicationAPI
import Runtime

/// A page that wants to know, while it is on screen, what happens to the reader's content as a whole.
@MainActor public protocol ContentPage: AnyObject {
  /// The reader's access changed: ``ContentStore/hasPremium``.
  func accessChanged()
  /// Something the reader did was undone; the sentence says what and why.
  func actionFailed(_ sentence: String)
}

/// The content of one signed-in reader: a copy of each entity, and the one door by which the reader changes any.
///
/// The coordinator makes one when a reader signs in, hands it to the pages, and closes it when the reader is gone. Isolated to the main
/// actor.
@MainActor public final class ContentStore {
  /// The publication, as this reader.
  public let client: APIClient
  /// The door to it.
  public let effects: Effects
  /// One copy of each post.
  public let posts: Cache<Post>
  /// One copy of each fan club.
  public let fanClubs: Cache<FanClub>
  /// One copy of each comment.
  public let comments: Cache<Comment>
  /// Applies what the reader does, sends it, and takes it back when it was refused.
  public let actions: ActionController

  /// Whether the reader may read premium posts. Whoever knows the entitlements sets it; pages on screen follow.
  public var hasPremium = false {
    didSet { if hasPremium != oldValue { for page in pagesOnScreen { page.accessChanged() } } }
  }

  /// How many article passes the reader has; `nil` until the publication has said so.
  public let passes = LastValue<Int?>(nil)

  /// What the reader is writing, by the post that it is about; kept while the app runs.
  public var commentDrafts: [Post.ID: String] = [:]

  /// Counts what made every list out of date, such as a feed that was added.
  public private(set) var listsAge = 0

  /// Whether the reader is gone.
  public private(set) var isClosed = false

  let identifiers: any IdentifierSource
  let clock: any AppClock
  /// The reader's name, for what is not confirmed yet.
  let author: String
  /// What the publication would not have, by its post: see ``takeRefusedComment(on:)``.
  var refusedComments: [Post.ID: String] = [:]
  private var onScreen: [() -> (any ContentPage)?] = []
  private var unseenFailure: String?
  private var passGeneration = 0

  /// - Parameters:
  ///   - client: the publication, as this reader.
  ///   - author: the reader's name, which their comments bear until the publication has said it.
  ///   - outbox: keeps what was not sent yet; `nil` keeps it in memory.
  ///   - retry: when what could not be sent is tried again.
  ///   - effects: the door that requests go through.
  ///   - identifiers: name the actions.
  public init(
    client: APIClient, author: String = "", outbox: Outbox? = nil, retry: Retry, effects: Effects,
    identifiers: any IdentifierSource = RandomIdentifiers()
  ) {
    self.client = client
    self.effects = effects
    self.identifiers = identifiers
    posts = Cache { Post.merge(known: $0, newer: $1) }
    fanClubs = Cache()
    comments = Cache()
    self.author = author
    clock = retry.clock
    actions = ActionController(outbox: outbox, effects: effects, retry: retry, explain: RequestFailure.init(ofAction:tries:))
    registerActions()
  }

  /// Sends what an earlier run of the app could not; with an outbox, nothing is sent before this.
  public func resume() async { await actions.resume() }

  /// Asks how many passes the reader has. Without an answer, what was known stays.
  public func refreshPasses() async {
    passGeneration += 1
    let (mine, client) = (passGeneration, client)
    let balances = try? await effects.run("passes.load") { try await client.balances() }
    // An answer from before a pass was spent, or for a reader who is gone, is out of date.
    guard let balances, mine == passGeneration, !isClosed else { return }
    passes.value = balances.first { $0.type == Balance.articlePass }?.amount ?? 0
  }

  /// Opens a premium post with one of the reader's passes. Trying again after an answer was lost spends none a second time.
  /// - Throws: `ClientError`.
  public func unlock(_ id: Post.ID) async throws {
    let (asked, client) = (posts.stamp(), client)
    do {
      let post = try await effects.run("post.unlock") { try await client.unlock(id) }
      guard !isClosed else { return }
      posts.store([post], asOf: asked)
    } catch {
      await refreshPasses()
      throw error
    }
    await refreshPasses()
  }

  /// Something came to the publication that lists do not show yet: each is loaded anew when it comes on screen.
  public func listsAreStale() { listsAge += 1 }

  /// A page came on screen. It is held weakly, and told first what failed while no page was there to say so.
  public func enter(_ page: any ContentPage) {
    leave(page)
    onScreen.append { [weak page] in page }
    if let sentence = unseenFailure {
      unseenFailure = nil
      page.actionFailed(sentence)
    }
  }

  /// A page is off screen and is told nothing more.
  public func leave(_ page: any ContentPage) {
    onScreen.removeAll { weak in weak().map { $0 === page } ?? true }
  }

  /// The reader is gone: forgets everything, and what is still on its way reaches no page. What was not sent stays in the outbox.
  public func close() {
    isClosed = true
    onScreen = []
    actions.close()
    passes.value = nil
    posts.removeAll()
    fanClubs.removeAll()
    comments.removeAll()
    refusedComments = [:]
    commentDrafts = [:]
  }

  private var pagesOnScreen: [any ContentPage] { onScreen.compactMap { $0() } }

  /// Tells the pages on screen, or else the next one.
  func failed(_ sentence: String) {
    let pages = pagesOnScreen
    if pages.isEmpty { unseenFailure = sentence }
    for page in pages { page.actionFailed(sentence) }
  }
}
