import FeedFormats
import Foundation
import HTTPTransport
import PublicationAPI
import Runtime

/// The comments of a post. Every reader sees them; writing one requires access to the post.
struct CommentResource {
  let comments: any CommentRepository
  let posts: PostResource
  let clock: any AppClock

  nonisolated(nonsending) func list(_ call: Call) async throws -> LateAnswer {
    let limit = try call.limit(standard: 50)
    let after = try call.cursor(.comments).map { cursor in
      guard let number = Int64(cursor.key) else { throw Problem.noCursor }
      return number
    }
    _ = try await posts.summary(call.parameter, call)
    var found = try await comments.comments(of: call.parameter, after: after, limit: limit + 1, for: call.signedIn.id)
    let hasMore = found.count > limit
    if hasMore { found.removeLast() }
    let next = found.last.map { Cursor(.comments, key: "\($0.number)", id: $0.comment.id).text }
    return .current(Page(items: found.map(\.comment), next: hasMore ? next : nil), call)
  }

  /// Writes a comment under the client's identifier: a repeated request writes no second one, and another text replaces the earlier one.
  nonisolated(nonsending) func put(_ call: Call, _ request: CommentRequest) async throws -> Response {
    let (post, id) = try call.comment
    let sent = request.text
    guard !sent.unicodeScalars.contains(where: { $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t" }) else {
      throw Problem.badRequest("A comment is plain text, without control characters.")
    }
    // Characters that change the direction of text would affect the text beside it; pasted text may have them.
    let text = sent.visibleText.trimmingCharacters(in: .whitespacesAndNewlines)
    guard (1...Comment.longest).contains(text.count) else {
      throw Problem.badRequest("A comment has 1 to \(Comment.longest) characters.")
    }
    guard text.utf8.count <= Comment.largest else { throw Problem.badRequest("A comment has at most \(Comment.largest) bytes.") }
    let reader = try call.signedIn.id
    guard try await posts.canRead(post, reader) else {
      throw Problem(code: .locked, title: "Only readers with access to this post can comment on it.", status: 403)
    }
    if let refusal = try await tooMany(id, reader) { return refusal }
    switch try await comments.put(id, on: post, by: reader, text: text, at: clock.unixTime) {
    case .written(let comment, let isNew): return try .json(comment, status: isNew ? 201 : 200)
    case .taken: throw Problem.conflict("There is, or was, another comment with this identifier.")
    }
  }

  nonisolated(nonsending) func delete(_ call: Call) async throws -> Response {
    let (post, id) = try call.comment
    let reader = try call.signedIn.id
    // One that is deleted before it arrives takes its place too.
    if let refusal = try await tooMany(id, reader) { return refusal }
    guard try await comments.delete(id, of: post, by: reader, at: clock.unixTime) else {
      throw Problem(code: .notYours, title: "Only who wrote a comment can delete it.", status: 403)
    }
    return Response(204)
  }

  /// Refuses a new comment of a reader who has written many: no person writes that fast, and the disk would soon be full.
  private nonisolated(nonsending) func tooMany(_ id: Comment.ID, _ reader: Reader.ID) async throws -> Response? {
    guard let pause = try await comments.pause(before: id, by: reader, at: clock.unixTime, mostAnHour: Self.mostCommentsAnHour) else {
      return nil
    }
    return .problem(
      429, .tooManyAttempts, "You have written \(Self.mostCommentsAnHour) comments within an hour. Write more a little later.",
      retryAfter: Int(pause))
  }

  private static let mostCommentsAnHour = 60
}

extension Call {
  /// The post and the comment of the path.
  fileprivate var comment: (post: Post.ID, id: Comment.ID) {
    get throws {
      guard let last = parameters.last, let id = UUID(uuidString: last) else {
        throw Problem.badRequest("The identifier of a comment is a UUID.")
      }
      return (parameter, id.uuidString)
    }
  }
}
