import Foundation
import HTTPTransport
import PublicationAPI
import SQLiteStorage

extension Publication {
  /// Adds a reader.
  /// - Throws: `Problem` with ``Problem/Code/conflict`` when the address is taken, ``Problem/Code/badRequest`` when it is none.
  @discardableResult public func addReader(email: String, name: String, password: String) throws -> Reader {
    let email = email.trimmingCharacters(in: .whitespaces).lowercased()
    guard email.contains("@"), email.count <= 254 else { throw Problem.badRequest("“\(email)” is no address.") }
    guard !password.isEmpty, password.utf8.count <= 1024 else { throw Problem.badRequest("The password is empty or too long.") }
    guard try database.queryOne("SELECT 1 FROM reader WHERE email = ?", email, map: { _ in true }) == nil else {
      throw Problem(code: .conflict, title: "There is a reader with the address \(email) already.", status: 409)
    }
    let reader = Reader(id: identifiers.next().uuidString, email: email, name: name)
    let salt = try Passwords.random(16)
    try database.execute(
      "INSERT INTO reader (id, email, name, salt, password) VALUES (?, ?, ?, ?, ?)", reader.id, email, name, salt,
      Passwords.digest(password, salt: salt))
    return reader
  }

  func signIn(_ call: Router.Call) async throws -> Response {
    let credentials: Credentials = try call.body()
    let email = credentials.email.trimmingCharacters(in: .whitespaces).lowercased()
    guard credentials.password.utf8.count <= 1024 else { throw Problem.badRequest("The password is too long.") }
    let pause = throttle.pause(email, now: now)
    guard pause == 0 else {
      var response = Response.problem(
        Problem(code: "too_many_attempts", title: "Too many wrong passwords. Try again in \(pause) seconds.", status: 429))
      response.headers["Retry-After"] = "\(pause)"
      return response
    }
    let found = try database.queryOne("SELECT id, name, salt, password FROM reader WHERE email = ?", email) { row in
      (reader: Reader(id: try row.get(0), email: email, name: try row.get(1)), salt: try row.get(2, as: Data.self),
        password: try row.get(3, as: Data.self))
    }
    // An unknown address takes as long as a wrong password.
    let digest = try Passwords.digest(credentials.password, salt: found?.salt ?? Data(repeating: 0, count: 16))
    guard let found, Passwords.equal(digest, found.password) else {
      throttle.failed(email, now: now)
      throw Problem(code: .wrongCredentials, title: "Email and password do not match.", status: 401)
    }
    throttle.succeeded(email)
    let token = try Passwords.random(32).base64URL
    try database.execute(
      "INSERT INTO session (token_digest, reader, created) VALUES (?, ?, ?)", Passwords.sha256(Data(token.utf8)), found.reader.id, now)
    return try .json(SignedIn(token: token, reader: found.reader), status: 201)
  }

  func signOut(_ call: Router.Call) throws -> Response {
    if let token = Self.token(call.request) {
      try database.execute("DELETE FROM session WHERE token_digest = ?", Passwords.sha256(Data(token.utf8)))
    }
    return Response(204)
  }

  /// Whose token a request carries.
  /// - Throws: `Problem` with ``Problem/Code/sessionEnded``.
  func authenticate(_ request: Request) throws -> Reader {
    let reader = try Self.token(request).flatMap { token in
      try database.queryOne(
        "SELECT reader.id, email, name FROM session JOIN reader ON reader.id = session.reader WHERE token_digest = ?",
        Passwords.sha256(Data(token.utf8))
      ) { Reader(id: try $0.get(0), email: try $0.get(1), name: try $0.get(2)) }
    }
    guard let reader else { throw Problem(code: .sessionEnded, title: "Your session has ended. Sign in again.", status: 401) }
    return reader
  }

  private static func token(_ request: Request) -> String? {
    guard let value = request.headers["Authorization"], value.lowercased().hasPrefix("bearer ") else { return nil }
    let token = value.dropFirst(7).trimmingCharacters(in: .whitespaces)
    return token.isEmpty || token.utf8.count > 512 ? nil : token
  }
}

extension Data {
  var base64URL: String {
    base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
