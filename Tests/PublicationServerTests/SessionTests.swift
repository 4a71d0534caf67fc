import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import Runtime
import SQLiteStorage
import Testing

/// Signing in and out.
@Suite struct SessionTests {
  /// The address of somebody who guesses.
  private static let client = "203.0.113.5"

  private func attempt(_ rig: Rig, _ email: String, _ password: String, from client: String? = nil) async throws -> Response {
    var request = Request(.post, "/v1/session", body: try Wire.encode(Credentials(email: email, password: password)))
    request.client = client
    return await rig.publication.handle(request)
  }

  @Test func aSessionBeginsAndEnds() async throws {
    let rig = try await Rig()
    let response = try await attempt(rig, "  ADA@example.org ", Rig.password)
    #expect(response.status == 201)
    let signedIn = try Wire.decode(SignedIn.self, from: response.body)
    #expect(signedIn.reader.email == "ada@example.org")
    #expect(signedIn.accessToken.utf8.count == 43)
    #expect(try await rig.get("/v1/session", signedIn.accessToken, as: Reader.self) == signedIn.reader)
    let other = try await rig.signIn()
    #expect(other != signedIn.accessToken)
    #expect(await rig.send(.delete, "/v1/session", token: signedIn.accessToken).status == 204)
    #expect(await rig.send(.get, "/v1/session", token: signedIn.accessToken).status == 401)
    #expect(await rig.send(.get, "/v1/session", token: other).status == 200)
  }

  @Test func aSessionThatIsNotUsedEnds() async throws {
    let rig = try await Rig()
    let (used, unused) = (try await rig.signIn(), try await rig.signIn())
    for _ in 1...4 {
      rig.clock.advance(by: .seconds(60 * 86_400))
      #expect(await rig.send(.get, "/v1/session", token: used).status == 200)
    }
    #expect(await rig.send(.get, "/v1/session", token: unused).status == 401)
    rig.clock.advance(by: .seconds(90 * 86_400 - 1))
    #expect(await rig.send(.get, "/v1/session", token: used).status == 200)
    rig.clock.advance(by: .seconds(90 * 86_400))
    #expect(await rig.send(.get, "/v1/session", token: used).status == 401)
  }

  @Test func aNewPasswordEndsTheSessions() async throws {
    let rig = try await Rig()
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    let body = try Wire.encode(PasswordRequest(password: "another one"))
    #expect(try await rig.operate(.put, "readers/ADA@example.org/password", Wire.encode(PasswordRequest(password: "a\u{0}"))).status == 400)
    #expect(await rig.send(.get, "/v1/session", token: ada).status == 200)
    #expect(try await rig.operate(.put, "readers/ADA@example.org/password", body).status == 200)
    #expect(await rig.send(.get, "/v1/session", token: ada).status == 401)
    #expect(await rig.send(.get, "/v1/session", token: bo).status == 200)
    #expect(try await attempt(rig, "ada@example.org", Rig.password).status == 401)
    #expect(try await attempt(rig, "ada@example.org", "another one").status == 201)
    #expect(try await rig.operate(.put, "readers/cy@example.org/password", body).status == 404)
    // Whose token it is not does not learn that there is such a path.
    #expect(await rig.send(.put, "/v1/operator/readers/bo@example.org/password", token: bo, body: body).status == 404)
  }

  @Test func aReaderIsForgottenButForWhatWasPaid() async throws {
    let rig = try await Rig()
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    let id = try await rig.get("/v1/session", ada, as: Reader.self).id
    let paid = try await rig.buy("passes.5", ada)
    #expect(await rig.send(.put, "/v1/posts/p04/unlock", token: ada).status == 200)
    for path in ["p01/reaction", "p01/bookmark", "p01/read"] {
      #expect(await rig.send(.put, "/v1/posts/\(path)", token: ada).status == 200)
    }
    #expect(await rig.send(.put, "/v1/fanclubs/odd/follow", token: ada).status < 300)
    let comment = try Wire.encode(CommentRequest(text: "Mine"))
    #expect(await rig.send(.put, "/v1/posts/p01/comments/\(UUID())", token: ada, body: comment).status == 201)
    let waiting = UUID()
    _ = try await rig.begin(waiting, "passes.5", ada)
    #expect(try await rig.charge(waiting, ada, with: "tok_deferred").status == 202)
    #expect(try await rig.operate(.delete, "readers/ada@example.org").status == 409)
    #expect(await rig.send(.get, "/v1/session", token: ada).status == 200)
    #expect(try await rig.operate(.post, "orders/\(waiting)/decline").status == 200)

    #expect(try await rig.operate(.delete, "readers/ada@example.org").status == 204)
    #expect(await rig.send(.get, "/v1/session", token: ada).status == 401)
    #expect(try await attempt(rig, "ada@example.org", Rig.password).status == 401)
    #expect(try await attempt(rig, "removed \(id)", Rig.password).status == 401)
    let post = try await rig.get("/v1/posts/p01", bo, as: Post.self)
    #expect((post.comments, post.reactions.total) == (0, 0))
    let orders = try Wire.decode([Order].self, from: try await rig.operate(.get, "orders").body)
    #expect(orders.contains { $0.id == paid.id && $0.state == .paid })
    #expect(try await rig.refund(paid.id).status == 200)
    #expect(try await rig.operate(.delete, "readers/ada@example.org").status == 404)
    // The address is free, and nothing of the one before is its.
    try await rig.publication.addReader(email: "ada@example.org", name: "Ada", password: Rig.password)
    let refetch = try await rig.signIn()
    #expect(try await rig.get("/v1/orders", refetch, as: [Order].self).isEmpty)
    #expect(try await rig.get("/v1/posts/p01", refetch, as: Post.self).bookmarked == false)
  }

  @Test(arguments: ["", "Basic YTpi", "Bearer", "Bearer ", "Bearer  x y", "Bearer " + String(repeating: "a", count: 10_000)])
  func wrongAuthorization(field: String) async throws {
    let response = await (try Rig()).send(.get, "/v1/session", headers: ["Authorization": field])
    #expect(response.status == 401)
    #expect(try response.problem.code == .sessionEnded)
    let saysToken = ["Bearer ", "Bearer  x y"].contains(field)
    #expect(response.headers["WWW-Authenticate"] == "Bearer realm=\"publication\"" + (saysToken ? ", error=\"invalid_token\"" : ""))
  }

  @Test func wrongPasswordAndUnknownReaderGetTheSameAnswer() async throws {
    let rig = try await Rig()
    let wrong = try await attempt(rig, "ada@example.org", "guess")
    let unknown = try await attempt(rig, "nobody@example.org", "guess")
    #expect(wrong.status == 401)
    #expect(wrong.headers["WWW-Authenticate"] != nil)
    #expect(try wrong.problem.code == .wrongCredentials)
    #expect(wrong == unknown)
    #expect(try await attempt(rig, "ada@example.org", String(repeating: "x", count: 1025)).status == 400)
  }

  @Test func wrongPasswordsMakeOneWait() async throws {
    let rig = try await Rig()
    for _ in 0..<4 { #expect(try await attempt(rig, "ada@example.org", "guess", from: Self.client).status == 401) }
    #expect(try await attempt(rig, "ada@example.org", "guess", from: Self.client).status == 401)
    let throttled = try await attempt(rig, "Ada@Example.org", Rig.password, from: Self.client)
    #expect(throttled.status == 429)
    #expect(throttled.headers["Retry-After"] == "30")
    #expect(try throttled.problem.title == "Too many wrong passwords. Try again in 30 seconds.")
    // Setting the wall clock helps nobody, and others are not kept out.
    rig.clock.setNow(Rig.start.addingTimeInterval(86_400))
    #expect(try await attempt(rig, "ada@example.org", Rig.password, from: Self.client).headers["Retry-After"] == "30")
    #expect(try await attempt(rig, "bo@example.org", Rig.password, from: Self.client).status == 201)
    rig.clock.advance(by: .milliseconds(29_500))
    #expect(try await attempt(rig, "ada@example.org", Rig.password, from: Self.client).headers["Retry-After"] == "1")
    rig.clock.advance(by: .milliseconds(500))
    #expect(try await attempt(rig, "ada@example.org", "guess", from: Self.client).status == 401)
    #expect(try await attempt(rig, "ada@example.org", "guess", from: Self.client).headers["Retry-After"] == "60")
    rig.clock.advance(by: .seconds(60))
    #expect(try await attempt(rig, "ada@example.org", Rig.password, from: Self.client).status == 201)
    #expect(try await attempt(rig, "ada@example.org", "guess", from: Self.client).status == 401)
    #expect(try await attempt(rig, "ada@example.org", Rig.password, from: Self.client).status == 201)
  }

  /// Each costs as much to hash as a wrong one.
  @Test func manyRightPasswordsMakeOneWaitAsWell() async throws {
    let rig = try await Rig()
    for _ in 0..<5 {
      #expect(try await attempt(rig, "ada@example.org", Rig.password, from: Self.client).status == 201)
      rig.clock.advance(by: .seconds(10))
    }
    let throttled = try await attempt(rig, "Ada@example.org", Rig.password, from: Self.client)
    #expect(throttled.status == 429)
    #expect(throttled.headers["Retry-After"] == "10")
    #expect(try throttled.problem.title == "Too many sign-ins. Try again in 10 seconds.")
    // Neither another reader there waits, nor this one elsewhere, nor anybody on loopback.
    #expect(try await attempt(rig, "bo@example.org", Rig.password, from: Self.client).status == 201)
    #expect(try await attempt(rig, "ada@example.org", Rig.password, from: "203.0.113.6").status == 201)
    for _ in 0..<20 { #expect(try await attempt(rig, "ada@example.org", Rig.password).status == 201) }
    rig.clock.advance(by: .seconds(10))
    #expect(try await attempt(rig, "ada@example.org", Rig.password, from: Self.client).status == 201)
    #expect(try await attempt(rig, "ada@example.org", Rig.password, from: Self.client).headers["Retry-After"] == "10")
  }

  @Test func guessesOfOthersKeepNobodyOut() async throws {
    let rig = try await Rig()
    for _ in 0..<5 { #expect(try await attempt(rig, "ada@example.org", "guess", from: "203.0.113.5").status == 401) }
    #expect(try await attempt(rig, "ada@example.org", Rig.password, from: "203.0.113.5").status == 429)
    #expect(try await attempt(rig, "ada@example.org", Rig.password, from: "203.0.113.6").status == 201)
    // Another's success opens nothing for who guessed.
    #expect(try await attempt(rig, "ada@example.org", Rig.password, from: "203.0.113.5").status == 429)
  }

  @Test func manyGuessesAtOnceDoNotSlipThrough() async throws {
    let rig = try await Rig()
    // One comes before: of a client only four passwords are hashed at a time.
    let first = try await attempt(rig, "ada@example.org", "guess", from: Self.client).status
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<19 { group.addTask { try await attempt(rig, "ada@example.org", "guess", from: Self.client).status } }
      return try await group.reduce(into: [first]) { $0.append($1) }
    }
    #expect(statuses.count { $0 == 401 } == 5)
    #expect(statuses.count { $0 == 429 } == 15)
  }

  /// Of loopback nobody knows who it is: whoever guesses there would keep everybody else out.
  @Test func guessesWithoutAnAddressKeepNobodyOut() async throws {
    let rig = try await Rig()
    for email in ["ada@example.org", "nobody@example.org"] {
      for _ in 0..<50 { #expect(try await attempt(rig, email, "guess").status == 401) }
    }
    #expect(try await attempt(rig, "ada@example.org", Rig.password).status == 201)
    // Nor do they count for a client that has an address.
    for _ in 0..<5 { #expect(try await attempt(rig, "ada@example.org", "guess", from: Self.client).status == 401) }
    #expect(try await attempt(rig, "ada@example.org", Rig.password, from: Self.client).status == 429)
    #expect(try await attempt(rig, "ada@example.org", Rig.password).status == 201)
  }

  @Test func unknownReadersAreThrottledAlike() async throws {
    let rig = try await Rig()
    for _ in 0..<5 { #expect(try await attempt(rig, "nobody@example.org", "guess", from: Self.client).status == 401) }
    #expect(try await attempt(rig, "nobody@example.org", "guess", from: Self.client).status == 429)
  }

  @Test func theFileHoldsNeitherTokenNorPassword() async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path)
    let token = try await rig.signIn()
    await rig.publication.close()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
      #expect(bytes.range(of: Data(token.utf8)) == nil, "\(name)")
      #expect(bytes.range(of: Data(Rig.password.utf8)) == nil, "\(name)")
    }
  }

  @Test func theSampleAccountIsForThoseWhoOfferIt() async throws {
    let offered = try await Rig()
    #expect(try await offered.get("/v1/publication", nil, as: PublicationInfo.self).sampleAccount?.email == "sample@example.org")
    #expect(try await attempt(offered, "sample@example.org", "known to all").status == 201)

    let folder = try TemporaryFolder()
    let app = try await Rig(folder: folder.path)
    await app.publication.close()
    let served = try await Rig(folder: folder.path, offersSampleAccount: false)
    #expect(try await served.get("/v1/publication", nil, as: PublicationInfo.self).sampleAccount == nil)
    #expect(try await attempt(served, "sample@example.org", "known to all").status == 401)

    let fresh = try await Rig(offersSampleAccount: false)
    try await fresh.publication.addReader(email: "sample@example.org", name: "Somebody", password: "my own words")
    #expect(try await attempt(fresh, "sample@example.org", "my own words").status == 201)
  }

  @Test(arguments: ["", "ada", "@", "a@", "@b", "a@b@c", "a b@c", "a\n@b", String(repeating: "a", count: 250) + "@b.org"])
  func whatIsNoAddress(email: String) async throws {
    let rig = try await Rig()
    await #expect(throws: Problem.self) { try await rig.publication.addReader(email: email, name: "X", password: "open sesame") }
  }

  @Test func anAddressIsTakenOnce() async throws {
    let rig = try await Rig()
    await #expect {
      try await rig.publication.addReader(email: "ADA@example.org", name: "Other", password: "open sesame")
    } throws: {
      ($0 as? Problem)?.code == .conflict
    }
    await #expect(throws: Problem.self) { try await rig.publication.addReader(email: "x@y", name: " ", password: "open sesame") }
    await #expect(throws: Problem.self) { try await rig.publication.addReader(email: "x@y", name: "X", password: "") }
  }

  /// é as one character, and as an e with an accent.
  private static let spellings = ["zoé@example.org", "zoe\u{301}@example.org"]

  private func encoded(_ email: String) -> String { email.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }

  @Test func bothFormsOfALetterWithAnAccentAreOneAddress() async throws {
    let rig = try await Rig()
    for (spelling, other) in [(Self.spellings[0], Self.spellings[1]), (Self.spellings[1], Self.spellings[0])] {
      let reader = try await rig.publication.addReader(email: spelling, name: "Zoé", password: "the first one")
      #expect(reader.email.unicodeScalars.elementsEqual(Self.spellings[0].unicodeScalars))
      let twice = await #expect(throws: Problem.self) {
        try await rig.publication.addReader(email: other, name: "Zoé", password: "the second one")
      }
      #expect(twice?.code == .conflict)
      for email in [spelling, other, other.uppercased()] { #expect(try await attempt(rig, email, "the first one").status == 201) }
      let body = try Wire.encode(PasswordRequest(password: "the third one"))
      #expect(try await rig.operate(.put, "readers/\(encoded(other))/password", body).status == 200)
      #expect(try await attempt(rig, spelling, "the third one").status == 201)
      // A guess at one is a guess at the other.
      for _ in 1...5 { #expect(try await attempt(rig, spelling, "guess", from: Self.client).status == 401) }
      #expect(try await attempt(rig, other, "the third one", from: Self.client).status == 429)
      rig.clock.advance(by: .seconds(86_400))
      #expect(try await rig.operate(.delete, "readers/\(encoded(other))").status == 204)
      #expect(try await attempt(rig, spelling, "the third one").status == 401)
    }
  }

  /// Earlier versions stored addresses as they were typed.
  @Test func anAddressOfAnEarlierVersionSignsIn() async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path)
    func insert(_ id: String, _ email: String) throws {
      let other = try Connection(path: folder.file("publication.sqlite"))
      try other.execute(
        "INSERT INTO reader (id, email, name, password) SELECT ?1, ?2, ?1, password FROM reader WHERE email = 'ada@example.org'", id, email)
    }
    func name(_ email: String) async throws -> String? {
      let response = try await attempt(rig, email, Rig.password)
      return response.status == 201 ? try Wire.decode(SignedIn.self, from: response.body).reader.name : nil
    }
    try insert("apart", Self.spellings[1])
    for email in Self.spellings {
      #expect(try await name(email) == "apart")
      await #expect(throws: Problem.self) { try await rig.publication.addReader(email: email, name: "Zoé", password: "the second one") }
    }
    // Where both were added, each is who they were.
    try insert("whole", Self.spellings[0])
    #expect(try await name(Self.spellings[0]) == "whole")
    #expect(try await name(Self.spellings[1]) == "apart")
    #expect(try await rig.operate(.delete, "readers/\(encoded(Self.spellings[1]))").status == 204)
    for email in Self.spellings { #expect(try await name(email) == "whole") }
    await rig.publication.close()
  }
}
