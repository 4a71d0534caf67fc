import Foundation
import HTTPTransport
import PublicationAPI
import Runtime

/// Posts: lists, one post, and what readers do to it.
struct PostResource {
  let content: any ContentRepository
  let orders: any OrderRepository
  let clock: any AppClock
  /// Whether posts may be there whose club was removed.
  let isSweeping: Bool
  /// One change of a reader to any number of read marks.
  let readAllTurns: RequestTurns
  /// One part of long work of all readers.
  let partTurns: RequestTurns
  /// One list of a reader of what they follow, bookmarked or have not read, for which many posts may have to be checked.
  let listTurns: RequestTurns

  /// The entitlement that premium posts take.
  static let premium = "premium"

  nonisolated(nonsending) func list(_ call: Call) async throws -> LateAnswer {
    let limit = try call.limit(standard: 20)
    let query = PostQuery(
      fanClub: call.query(.fanClub), isBookmarked: try call.flag(.bookmarked), isFollowed: try call.flag(.followed),
      isUnread: try call.flag(.unread), isSweeping: isSweeping, after: try call.cursor(.posts)?.postPosition, limit: limit + 1)
    let reader = try call.signedIn.id
    let found =
      if query.isUnread || query.isBookmarked || query.isFollowed {
        try await listTurns.take(reader) { try await content.posts(query, for: reader) }
      } else { try await content.posts(query, for: reader) }
    guard var items = found else { throw Problem.notFound("fan club") }
    let hasMore = items.count > limit
    if hasMore { items.removeLast() }
    let next = items.last.map { Cursor(.posts, key: "\(Int64($0.published.timeIntervalSince1970))", id: $0.id).text }
    return .current(Page(items: items, next: hasMore ? next : nil), call)
  }

  nonisolated(nonsending) func post(_ call: Call) async throws -> LateAnswer {
    let post = try await readable(call)
    return .current(post, call, post.length)
  }

  nonisolated(nonsending) func react(_ call: Call, _ kind: Reaction) async throws -> Response {
    guard (1...32).contains(kind.rawValue.utf8.count), kind.rawValue.utf8.allSatisfy(Self.isNameByte) else {
      throw Problem.badRequest("“kind” is 1 to 32 lower-case letters, digits, “-” and “_”.")
    }
    try await content.setReaction(kind, to: call.parameter, by: call.signedIn.id)
    return try .json(await summary(call.parameter, call))
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }

  nonisolated(nonsending) func mark(_ mark: Mark, _ isSet: Bool, _ call: Call) async throws -> Response {
    try await content.setMark(mark, of: call.parameter, by: call.signedIn.id, isSet)
    return try .json(await summary(call.parameter, call))
  }

  /// Marks everything as read that appeared until some moment. A repeated request only adds posts that appeared later, or were marked as
  /// unread since.
  nonisolated(nonsending) func markRead(_ call: Call, _ request: ReadRequest) async throws -> Response {
    guard let until = Int64(exactly: request.until.timeIntervalSince1970.rounded(.down)) else {
      throw Problem.badRequest("“until” is no moment.")
    }
    guard request.clubs?.count ?? 0 <= ReadRequest.mostClubs else {
      throw Problem.badRequest("“clubs” names more than \(ReadRequest.mostClubs).")
    }
    let reader = try call.signedIn.id
    try await readAllTurns.take(reader) {
      var rest: ReadAll? = ReadAll(until: until, clubs: request.clubs, mark: request.id?.uuidString)
      while let part = rest {
        rest = try await partTurns.takePart { try await content.markRead(part, by: reader, limit: Self.readAtATime) }
        try Task.checkCancellation()
      }
    }
    return Response(204)
  }

  /// Takes back what a reader marked as read at one stroke.
  nonisolated(nonsending) func unmarkRead(_ call: Call) async throws -> Response {
    guard let id = UUID(uuidString: call.parameter)?.uuidString else {
      throw Problem.badRequest("The identifier of what marked posts as read is a UUID.")
    }
    let reader = try call.signedIn.id
    try await readAllTurns.take(reader) {
      var last: Int64?
      repeat {
        let after = last
        last = try await partTurns.takePart { try await content.unmarkRead(id, by: reader, after: after, limit: Self.readAtATime) }
        try Task.checkCancellation()
      } while last != nil
    }
    return Response(204)
  }

  /// As many as are marked, or not any more, while others wait. If the client leaves, the finished parts stay: it repeats the request, or
  /// does not want it any more.
  private static let readAtATime = 1000

  /// The post of the path, with its body if this reader may read it.
  nonisolated(nonsending) func readable(_ call: Call) async throws -> Post {
    let reader = try call.signedIn.id
    guard var post = try await content.post(call.parameter, for: reader, withBody: true) else { throw Problem.notFound("post") }
    if try await !canRead(post, reader) { (post.body, post.enclosures) = (nil, []) }
    return post
  }

  /// A post as lists have it.
  nonisolated(nonsending) func summary(_ id: Post.ID, _ call: Call) async throws -> Post {
    guard let post = try await content.post(id, for: call.signedIn.id, withBody: false) else { throw Problem.notFound("post") }
    return post
  }

  private nonisolated(nonsending) func canRead(_ post: Post, _ reader: Reader.ID) async throws -> Bool {
    guard post.premium, !post.unlocked else { return true }
    return try await orders.isEntitled(reader, to: Self.premium, at: clock.unixTime)
  }

  /// Whether a reader may read the body of a post.
  /// - Throws: `Problem` when there is no such post.
  nonisolated(nonsending) func canRead(_ id: Post.ID, _ reader: Reader.ID) async throws -> Bool {
    guard let post = try await content.post(id, for: reader, withBody: false) else { throw Problem.notFound("post") }
    return try await canRead(post, reader)
  }
}

extension Post {
  /// A megabyte takes some milliseconds to be written.
  var length: LateAnswer.Length { body?.utf8.count ?? 0 > 1 << 20 ? .large : .short }
}
