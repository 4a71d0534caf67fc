import Foundation
import HTTPTransport
import PublicationAPI
import ReaderContent
import Synchronization

/// The content half of a publication for one reader, in memory: answers like a real one, and can be held, refused or cut off.
///
/// An answer is made when the request arrives and may be held back from then on, so that a held answer is as old as it would be on a slow
/// network. Safe from any thread.
public final class ScriptedPublication: Transport {
  /// What the publication holds and how it behaves.
  public struct State: Sendable {
    /// All posts, with bodies, in any order.
    public var posts: [Post]
    /// All clubs.
    public var clubs: [FanClub]
    /// All comments, in any order.
    public var comments: [Comment] = []
    /// Whether the reader gets the bodies of premium posts.
    public var hasPremium = false
    /// How many article passes the reader has.
    public var passes = 0
    /// How many items a page has.
    public var pageSize = 20
    /// Whether a search looks for fan clubs too, which earlier publications do not.
    public var findsClubs = true
    /// What an import goes through: the answer to the request that begins it, then to each look at it; the last one stays.
    public var imports: [Import] = []
    /// Whether nobody can reach it.
    public var isOffline = false
    /// Whether it is being maintained, and says so for five minutes.
    public var isMaintained = false
    /// What to answer to requests that begin so (`PUT /v1/posts`), instead of what was asked.
    public var refusals: [String: Problem] = [:]
    /// Requests that begin so wait until they are released.
    public var holds: Set<String> = []
  }

  private struct Log {
    var requests: [String] = []
    var suspended: [(request: String, continuation: CheckedContinuation<Void, Never>)] = []
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state: Mutex<State>
  private let log = Mutex(Log())

  /// A publication with these posts and clubs.
  public init(posts: [Post] = [], clubs: [FanClub] = []) { state = Mutex(State(posts: posts, clubs: clubs)) }

  /// Every request so far: `GET /v1/posts?limit=20`.
  public var requests: [String] { log.withLock { $0.requests } }

  /// Forgets the requests so far.
  public func forgetRequests() { log.withLock { $0.requests = [] } }

  /// Reads or changes what the publication holds and how it behaves.
  @discardableResult public func with<Result: Sendable>(_ change: (inout State) -> Result) -> Result { state.withLock { change(&$0) } }

  /// How many requests are held.
  public var suspendedCount: Int { log.withLock { $0.suspended.count } }

  /// Returns once that many requests are held.
  public func waitForSuspended(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let ready = log.withLock { log in
        if log.suspended.count >= count { return true }
        log.waiters.append((count, continuation))
        return false
      }
      if ready { continuation.resume() }
    }
  }

  /// Lets held requests that begin so have their answers, and holds no further ones of them.
  public func release(_ prefix: String = "") {
    state.withLock { $0.holds = $0.holds.filter { !$0.hasPrefix(prefix) } }
    let due = log.withLock { log in
      let due = log.suspended.filter { $0.request.hasPrefix(prefix) }
      log.suspended.removeAll { $0.request.hasPrefix(prefix) }
      return due
    }
    for suspended in due { suspended.continuation.resume() }
  }

  /// Answers, or waits with the answer.
  public func send(_ request: Request) async throws -> Response {
    let line = "\(request.method.rawValue) \(request.target)"
    log.withLock { $0.requests.append(line) }
    let (isSuspended, answer) = state.withLock { state in
      (state.holds.contains(where: line.hasPrefix), Result { try Self.answer(request, line, &state) })
    }
    if isSuspended { await hold(line) }
    return Self.conditional(try answer.get(), to: request)
  }

  /// Nothing but the tag, when the client has what would be answered.
  private static func conditional(_ response: Response, to request: Request) -> Response {
    guard request.method == .get, response.status == 200 else { return response }
    var response = response
    // Good for one process, which is as long as a scripted publication lasts. Of data only the beginning is hashed.
    let tag = "\"\(String(decoding: response.body, as: UTF8.self).hashValue)\""
    if request.headers["If-None-Match"] == tag { response = Response(304) }
    response.headers["ETag"] = tag
    return response
  }

  private func hold(_ line: String) async {
    await withCheckedContinuation { continuation in
      let ready = log.withLock { log in
        log.suspended.append((line, continuation))
        let ready = log.waiters.filter { $0.count <= log.suspended.count }
        log.waiters.removeAll { $0.count <= log.suspended.count }
        return ready
      }
      for waiter in ready { waiter.continuation.resume() }
    }
  }

  private static func answer(_ request: Request, _ line: String, _ state: inout State) throws -> Response {
    if state.isOffline { throw TransportError.unreachable("no network") }
    if state.isMaintained {
      let problem = Problem(code: .maintenance, title: "The publication is being maintained.", status: 503)
      return Response(503, headers: ["Retry-After": "300"], body: try Wire.encode(problem))
    }
    if let problem = state.refusals.first(where: { line.hasPrefix($0.key) })?.value {
      return Response(problem.status, body: try Wire.encode(problem))
    }
    let path = request.path.split(separator: "/").dropFirst().map { String($0).removingPercentEncoding ?? "" }
    let turnsOn = request.method == .put
    switch (path.first, path.count) {
    case ("posts", 1):
      var posts = state.posts.sorted { ($1.published, $1.id) < ($0.published, $0.id) }
      if let club = request.query("fanclub") { posts = posts.filter { $0.fanClubID == club } }
      if request.query("bookmarked") == "true" { posts = posts.filter(\.bookmarked) }
      if request.query("unread") == "true" { posts = posts.filter { !$0.read } }
      if request.query("followed") == "true" {
        let followed = Set(state.clubs.filter(\.followed).map(\.id))
        posts = posts.filter { followed.contains($0.fanClubID) }
      }
      for index in posts.indices { posts[index].body = nil }
      return try page(of: posts, request, size: state.pageSize)
    case ("imports", _): return try answerImport(request, &state)
    case ("fanclubs", 3) where path[2] == "refresh": return try answerImport(request, &state)
    case ("posts", 2) where turnsOn && path[1] == "read":
      let requested: ReadRequest = try Wire.decode(from: request.body)
      for index in state.posts.indices {
        let post = state.posts[index]
        guard !post.read, post.published <= requested.until, requested.clubs?.contains(post.fanClubID) ?? true else { continue }
        (state.posts[index].read, state.posts[index].readMark) = (true, requested.id?.uuidString)
      }
      return Response(204)
    case ("posts", 3) where path[1] == "read" && request.method == .delete:
      for index in state.posts.indices where state.posts[index].readMark == path[2] {
        (state.posts[index].read, state.posts[index].readMark) = (false, nil)
      }
      return Response(204)
    case ("posts", 3...) where path[2] == "comments": return try answerComments(request, path, &state)
    case ("posts", 2...):
      guard let index = state.posts.firstIndex(where: { $0.id == path[1] }) else { return try notFound() }
      if path.last == "bookmark" { state.posts[index].bookmarked = turnsOn }
      if path.last == "reaction" {
        let kind = turnsOn ? try Wire.decode(ReactionRequest.self, from: request.body).kind : nil
        ReactionSetting.set(kind, in: &state.posts[index])
      }
      if path.last == "read" { ReadSetting.set(turnsOn, in: &state.posts[index]) }
      if path.last == "unlock", !state.posts[index].unlocked {
        guard state.passes > 0 else {
          return Response(409, body: try Wire.encode(Problem(code: .noBalance, title: "You have no passes left.", status: 409)))
        }
        state.passes -= 1
        state.posts[index].unlocked = true
      }
      var post = state.posts[index]
      if post.premium, !state.hasPremium, !post.unlocked { post.body = nil }
      return Response(200, body: try Wire.encode(post))
    case ("search", 1):
      let words = request.query("q")?.lowercased() ?? ""
      let found = state.posts.sorted { ($1.published, $1.id) < ($0.published, $0.id) }.filter { $0.title.lowercased().contains(words) }
      let hits = found.map { post in
        SearchHit(post: post, title: mark(words, in: post.title), excerpt: mark(words, in: post.teaser))
      }
      let response = try page(of: hits, request, size: state.pageSize)
      guard state.findsClubs else { return response }
      let posts = try Wire.decode(Page<SearchHit>.self, from: response.body)
      let clubs = request.query("cursor") == nil ? state.clubs.filter { $0.name.lowercased().contains(words) } : []
      let named = clubs.map { FanClubHit(club: counted($0, state), name: mark(words, in: $0.name)) }
      return Response(200, body: try Wire.encode(SearchResults(clubs: named, items: posts.items, next: posts.next)))
    case ("balances", 1):
      return Response(200, body: try Wire.encode([Balance(type: Balance.articlePass, amount: state.passes)]))
    case ("fanclubs", 1):
      let clubs = state.clubs.map { counted($0, state) }
      return try page(of: clubs.sorted { $0.name < $1.name }, request, size: state.pageSize)
    case ("fanclubs", 2...):
      guard let index = state.clubs.firstIndex(where: { $0.id == path[1] }) else { return try notFound() }
      if request.method == .delete, path.count == 2 {
        state.posts.removeAll { $0.fanClubID == path[1] }
        state.clubs.remove(at: index)
        return Response(204)
      }
      if path.last == "follow", state.clubs[index].followed != turnsOn {
        state.clubs[index].followed = turnsOn
        state.clubs[index].followers += turnsOn ? 1 : -1
      }
      return Response(200, body: try Wire.encode(counted(state.clubs[index], state)))
    default: return try notFound()
    }
  }

  /// A club that says how many posts are unread says it of those that there are now.
  private static func counted(_ club: FanClub, _ state: State) -> FanClub {
    guard club.unread != nil else { return club }
    var club = club
    club.unread = state.posts.count { $0.fanClubID == club.id && !$0.read }
    return club
  }

  private static func answerComments(_ request: Request, _ path: [String], _ state: inout State) throws -> Response {
    guard let post = state.posts.firstIndex(where: { $0.id == path[1] }) else { return try notFound() }
    let comments = state.comments.filter { $0.postID == path[1] }.sorted { ($0.posted, $0.id) < ($1.posted, $1.id) }
    guard path.count == 4 else { return try page(of: comments, request, size: state.pageSize, growsAtEnd: true) }
    let known = state.comments.firstIndex { $0.id == path[3] }
    if request.method == .delete {
      if let known {
        state.comments.remove(at: known)
        state.posts[post].comments -= 1
      }
      return Response(204)
    }
    let text = try Wire.decode(CommentRequest.self, from: request.body).text
    if let known {
      state.comments[known].text = text
    } else {
      // The manual clock's start: a scripted publication has no time of its own.
      let posted = Date(timeIntervalSince1970: 1_700_000_000 + Double(state.comments.count))
      state.comments.append(Comment(id: path[3], postID: path[1], author: "Reader", isMine: true, text: text, posted: posted))
      state.posts[post].comments += 1
    }
    return Response(200, body: try Wire.encode(state.comments[known ?? state.comments.count - 1]))
  }

  private static func answerImport(_ request: Request, _ state: inout State) throws -> Response {
    if request.method == .delete, let last = state.imports.first { state.imports = [Import(id: last.id, state: .cancelled)] }
    guard let next = state.imports.first else { return try notFound() }
    if state.imports.count > 1 { state.imports.removeFirst() }
    return Response(request.method == .put ? 202 : 200, body: try Wire.encode(next))
  }

  /// Marks the first place where the words are, as a publication does.
  private static func mark(_ words: String, in text: String) -> String {
    guard let place = text.range(of: words, options: .caseInsensitive) else { return text }
    return text.replacingCharacters(in: place, with: "\(SearchHit.markStart)\(text[place])\(SearchHit.markEnd)")
  }

  /// A cursor says how many items are left, or were there, so that it means the same when the list grows at its other end.
  private static func page<Item: Codable & Equatable & Sendable>(
    of items: [Item], _ request: Request, size: Int, growsAtEnd: Bool = false
  ) throws -> Response {
    let cursor = request.query("cursor").flatMap(Int.init)
    let rest = growsAtEnd ? items.dropFirst(cursor ?? 0) : items.suffix(cursor ?? items.count)
    let next = growsAtEnd ? items.count - rest.count + size : rest.count - size
    return Response(200, body: try Wire.encode(Page(items: Array(rest.prefix(size)), next: rest.count > size ? "\(next)" : nil)))
  }

  private static func notFound() throws -> Response {
    Response(404, body: try Wire.encode(Problem(code: .notFound, title: "There is no such thing.", status: 404)))
  }
}
