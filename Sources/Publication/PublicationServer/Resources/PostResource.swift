import Foundation
import HTTPTransport
import PublicationAPI

/// Posts: lists, one post, and what readers do to it.
extension Publication {
  /// The entitlement that premium posts take.
  static let premium = "premium"

  func posts(_ call: Call) async throws -> Response {
    let limit = try call.limit(standard: 20)
    let query = PostQuery(
      fanClub: call.request.query("fanclub"), isBookmarked: try call.flag("bookmarked"), isFollowed: try call.flag("followed"),
      isUnread: try call.flag("unread"), after: try call.cursor(.posts)?.postPosition, limit: limit + 1)
    guard var items = try await content.posts(query, for: call.signedIn.id) else { throw Problem.notFound("fan club") }
    let hasMore = items.count > limit
    if hasMore { items.removeLast() }
    let next = items.last.map { Cursor(.posts, key: "\(Int64($0.published.timeIntervalSince1970))", id: $0.id).text }
    return try .current(Page(items: items, next: hasMore ? next : nil), call)
  }

  func post(_ call: Call) async throws -> Response { try .current(await readable(call), call) }

  /// Reacts. A request without a body is one from when there was one kind, the heart.
  func react(_ call: Call) async throws -> Response {
    let kind = call.request.body.isEmpty ? .love : try call.body(ReactionRequest.self).kind
    guard (1...32).contains(kind.rawValue.utf8.count), kind.rawValue.utf8.allSatisfy(Self.isNameByte) else {
      throw Problem.badRequest("“kind” is 1 to 32 lower-case letters, digits, “-” and “_”.")
    }
    try await content.setReaction(kind, to: call.parameter, by: call.signedIn.id)
    return try .json(await readable(call))
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }

  func mark(_ mark: Mark, _ isSet: Bool, _ call: Call) async throws -> Response {
    try await content.setMark(mark, of: call.parameter, by: call.signedIn.id, isSet)
    return try .json(await readable(call))
  }

  /// Marks everything as read that appeared until some moment. As often as one likes: what appeared later, and what was marked as unread
  /// after the last time, is the only difference.
  func markRead(_ call: Call) async throws -> Response {
    let asked: ReadRequest = try call.body()
    guard let until = Int64(exactly: asked.until.timeIntervalSince1970.rounded(.down)) else {
      throw Problem.badRequest("“until” is no moment.")
    }
    guard asked.clubs?.count ?? 0 <= ReadRequest.mostClubs else {
      throw Problem.badRequest("“clubs” names more than \(ReadRequest.mostClubs).")
    }
    try await content.markRead(until: until, in: asked.clubs, by: call.signedIn.id, as: asked.id?.uuidString)
    return Response(204)
  }

  /// Takes back what a reader marked as read at one stroke.
  func unmarkRead(_ call: Call) async throws -> Response {
    guard let id = UUID(uuidString: call.parameter)?.uuidString else {
      throw Problem.badRequest("The identifier of what marked posts as read is a UUID.")
    }
    try await content.unmarkRead(id, by: call.signedIn.id)
    return Response(204)
  }

  /// The post of the path, with its body if this reader may read it.
  func readable(_ call: Call) async throws -> Post {
    let reader = try call.signedIn.id
    guard var post = try await content.post(call.parameter, for: reader) else { throw Problem.notFound("post") }
    if try await !canRead(post, reader) { (post.body, post.enclosures) = (nil, []) }
    return post
  }

  private func canRead(_ post: Post, _ reader: Reader.ID) async throws -> Bool {
    guard post.premium, !post.unlocked else { return true }
    return try await orderBook.isEntitled(reader, to: Self.premium, at: now)
  }

  /// Whether a reader may read the body of a post.
  /// - Throws: `Problem` when there is no such post.
  func canRead(_ id: Post.ID, _ reader: Reader.ID) async throws -> Bool {
    guard let post = try await content.post(id, for: reader) else { throw Problem.notFound("post") }
    return try await canRead(post, reader)
  }
}
