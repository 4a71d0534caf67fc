import Foundation
import HTTPTransport
import PublicationAPI
import SQLiteStorage

extension Publication {
  func publicationInfo(_ call: Router.Call) throws -> Response {
    guard let info = try setting("info", as: PublicationInfo.self) else { throw Problem.notFound("publication yet") }
    return try .json(info)
  }

  func picture(_ call: Router.Call) throws -> Response {
    let name = call.parameters[0]
    let found = try database.queryOne("SELECT type, bytes FROM picture WHERE name = ?", name) { row in
      (type: try row.get(0, as: String.self), bytes: try row.get(1, as: Data.self))
    }
    guard let found else { throw Problem.notFound("picture") }
    let tag = "\"\(try Passwords.sha256(found.bytes).prefix(12).base64URL)\""
    let headers: Headers = ["Content-Type": found.type, "ETag": tag, "Cache-Control": "public, max-age=31536000, immutable"]
    if call.request.headers["If-None-Match"] == tag { return Response(304, headers: headers) }
    return Response(200, headers: headers, body: found.bytes)
  }

  func posts(_ call: Router.Call) throws -> Response {
    let reader = try call.signedIn
    let limit = try Self.limit(call.request.query("limit"))
    var conditions: [String] = []
    var values: [(any SQLValue)?] = []
    if let club = call.request.query("fanclub") {
      guard try database.queryOne("SELECT 1 FROM fan_club WHERE id = ?", club, map: { _ in true }) != nil else {
        throw Problem.notFound("fan club")
      }
      conditions.append("post.fan_club = ?")
      values.append(club)
    }
    switch call.request.query("bookmarked") {
    case nil, "false": break
    case "true": conditions.append("EXISTS (SELECT 1 FROM bookmark WHERE bookmark.post = post.id AND bookmark.reader = ?)")
      values.append(reader.id)
    case let other?: throw Problem.badRequest("“bookmarked” is true or false, not “\(other)”.")
    }
    if let cursor = try call.request.query("cursor").map(Self.position) {
      // The row value keeps its place however many posts are added above it.
      conditions.append("(post.published, post.id) < (?, ?)")
      values.append(cursor.published)
      values.append(cursor.id)
    }
    let filter = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
    var found = try selectPosts("\(filter) ORDER BY post.published DESC, post.id DESC LIMIT ?", values + [limit + 1], reader)
    let hasMore = found.count > limit
    if hasMore { found.removeLast() }
    let items = found.map { record in
      var post = record.post
      post.body = nil
      return post
    }
    let next = hasMore ? items.last.map { Self.cursor(Int64($0.published.timeIntervalSince1970), $0.id) } : nil
    return try .json(Page(items: items, next: next))
  }

  func post(_ call: Router.Call) throws -> Response {
    try .json(readable(call.parameters[0], try call.signedIn))
  }

  /// What a reader does to a post.
  enum Mark: String {
    case reaction
    case bookmark
  }

  func mark(_ mark: Mark, _ isSet: Bool, _ call: Router.Call) throws -> Response {
    let reader = try call.signedIn
    let post = call.parameters[0]
    _ = try readable(post, reader)
    if isSet {
      try database.execute("INSERT OR IGNORE INTO \(mark.rawValue) (post, reader) VALUES (?, ?)", post, reader.id)
    } else {
      try database.execute("DELETE FROM \(mark.rawValue) WHERE post = ? AND reader = ?", post, reader.id)
    }
    return try .json(readable(post, reader))
  }

  func fanClubs(_ call: Router.Call) throws -> Response {
    let reader = try call.signedIn
    let limit = try Self.limit(call.request.query("limit"), standard: 100)
    let after = try call.request.query("cursor").map(Self.namePosition)
    let filter = after == nil ? "" : "WHERE (name, id) > (?, ?)"
    var clubs = try selectFanClubs(
      "\(filter) ORDER BY name, id LIMIT ?", (after.map { [$0.name, $0.id] } ?? []) + [limit + 1], reader)
    let hasMore = clubs.count > limit
    if hasMore { clubs.removeLast() }
    return try .json(Page(items: clubs, next: hasMore ? clubs.last.map { Data("\($0.name)\n\($0.id)".utf8).base64URL } : nil))
  }

  func fanClub(_ call: Router.Call) throws -> Response { try .json(fanClub(call.parameters[0], try call.signedIn)) }

  func follow(_ isSet: Bool, _ call: Router.Call) throws -> Response {
    let reader = try call.signedIn
    let club = try fanClub(call.parameters[0], reader)
    if isSet {
      try database.execute("INSERT OR IGNORE INTO follow (fan_club, reader) VALUES (?, ?)", club.id, reader.id)
    } else {
      try database.execute("DELETE FROM follow WHERE fan_club = ? AND reader = ?", club.id, reader.id)
    }
    return try .json(fanClub(club.id, reader))
  }

  private func fanClub(_ id: FanClub.ID, _ reader: Reader) throws -> FanClub {
    guard let club = try selectFanClubs("WHERE id = ?", [id], reader).first else { throw Problem.notFound("fan club") }
    return club
  }

  /// A post with its body, if this reader may read it.
  private func readable(_ id: Post.ID, _ reader: Reader) throws -> Post {
    guard let (found, body) = try selectPosts("WHERE post.id = ?", [id], reader).first else { throw Problem.notFound("post") }
    var post = found
    if try !post.premium || isEntitled(reader, to: Self.premium) { post.body = body }
    return post
  }

  /// The entitlement that premium posts take.
  static let premium = "premium"

  private func selectPosts(_ rest: String, _ values: [(any SQLValue)?], _ reader: Reader) throws -> [(post: Post, body: String)] {
    try database.query(
      """
      SELECT post.id, post.fan_club, fan_club.name, post.title, post.byline, post.teaser, post.picture, post.url, post.published,
        post.premium, post.body, (SELECT count(*) FROM reaction WHERE reaction.post = post.id),
        EXISTS (SELECT 1 FROM reaction WHERE reaction.post = post.id AND reaction.reader = ?),
        EXISTS (SELECT 1 FROM bookmark WHERE bookmark.post = post.id AND bookmark.reader = ?)
      FROM post JOIN fan_club ON fan_club.id = post.fan_club \(rest)
      """, values: [reader.id, reader.id] + values
    ) { row in
      let post = Post(
        id: try row.get(0), fanClubID: try row.get(1), fanClubName: try row.get(2), title: try row.get(3), byline: try row.get(4),
        teaser: try row.get(5), picture: try row.get(6, as: String?.self), url: try row.get(7, as: String?.self),
        published: Date(timeIntervalSince1970: TimeInterval(try row.get(8, as: Int64.self))), premium: try row.get(9),
        reactions: try row.get(11), reacted: try row.get(12), bookmarked: try row.get(13))
      return (post, try row.get(10, as: String.self))
    }
  }

  private func selectFanClubs(_ rest: String, _ values: [(any SQLValue)?], _ reader: Reader) throws -> [FanClub] {
    try database.query(
      """
      SELECT id, name, about, picture, url, (SELECT count(*) FROM follow WHERE follow.fan_club = fan_club.id),
        EXISTS (SELECT 1 FROM follow WHERE follow.fan_club = fan_club.id AND follow.reader = ?),
        (SELECT count(*) FROM post WHERE post.fan_club = fan_club.id)
      FROM fan_club \(rest)
      """, values: [reader.id] + values
    ) { row in
      FanClub(
        id: try row.get(0), name: try row.get(1), about: try row.get(2), picture: try row.get(3, as: String?.self),
        url: try row.get(4, as: String?.self), followers: try row.get(5), followed: try row.get(6), posts: try row.get(7))
    }
  }

  func setting<Value: Decodable>(_ name: String, as type: Value.Type) throws -> Value? {
    try database.queryOne("SELECT value FROM setting WHERE name = ?", name) { row in
      try Wire.decode(type, from: Data(try row.get(0, as: String.self).utf8))
    }
  }

  func setSetting(_ name: String, _ value: some Encodable) throws {
    try database.execute(
      "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name,
      String(decoding: Wire.encode(value), as: UTF8.self))
  }

  private static func limit(_ text: String?, standard: Int = 20) throws -> Int {
    guard let text else { return standard }
    guard let limit = Int(text), (1...100).contains(limit) else { throw Problem.badRequest("“limit” is a number from 1 to 100.") }
    return limit
  }

  private static func cursor(_ published: Int64, _ id: Post.ID) -> String { Data("\(published) \(id)".utf8).base64URL }

  private static func position(_ cursor: String) throws -> (published: Int64, id: Post.ID) {
    let parts = try decoded(cursor).split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let published = Int64(parts[0]) else { throw Problem.badRequest("“cursor” is none that this list gave.") }
    return (published, String(parts[1]))
  }

  private static func namePosition(_ cursor: String) throws -> (name: String, id: FanClub.ID) {
    let text = try decoded(cursor)
    guard let cut = text.lastIndex(of: "\n") else { throw Problem.badRequest("“cursor” is none that this list gave.") }
    return (String(text[..<cut]), String(text[text.index(after: cut)...]))
  }

  private static func decoded(_ cursor: String) throws -> String {
    var base64 = cursor.replacing("-", with: "+").replacing("_", with: "/")
    base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
    guard let data = Data(base64Encoded: base64), let text = String(data: data, encoding: .utf8) else {
      throw Problem.badRequest("“cursor” is none that this list gave.")
    }
    return text
  }
}
