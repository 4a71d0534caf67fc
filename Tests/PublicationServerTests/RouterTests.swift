import Foundation
import HTTPTransport
import PublicationAPI
import Testing

@testable import PublicationServer

/// What is asked wrongly, and what it is told.
@Suite struct RouterTests {
  @Test func unknownPathsAndMethods() async throws {
    let rig = try await Rig()
    for target in ["/", "/v1", "/v1/", "/v1/posts/", "/v1/posts/p01/unknown", "/v2/posts", "//v1/posts", "/v1/posts/a/b/c"] {
      let response = await rig.send(.get, target)
      #expect(response.status == 404, "\(target)")
      #expect(try response.problem.code == .notFound)
      #expect(response.headers["Content-Type"] == "application/problem+json")
    }
    let wrong = await rig.send(.post, "/v1/posts/p01/reaction")
    #expect(wrong.status == 405)
    #expect(wrong.headers["Allow"] == "DELETE, PUT")
    #expect(try wrong.problem == Problem(code: .methodNotAllowed, title: "POST is not possible at /v1/posts/p01/reaction.", status: 405))
    #expect(await rig.send(.put, "/v1/session").headers["Allow"] == "DELETE, GET, HEAD, POST")
    #expect(rig.publication.methodNotAllowed(at: "/v1/orders?x").headers["Allow"] == "GET, HEAD")
    #expect(rig.publication.methodNotAllowed(at: "/nowhere").status == 404)
    #expect(await rig.send(.get, "/v1/posts/%ff").status == 400)
    #expect(await rig.send(.get, "/v1/posts/a%00b").status == 400)
  }

  @Test func everyRouteButFourteenNeedsAToken() async throws {
    let rig = try await Rig()
    let reader = try await rig.signIn()
    var open = 0
    for route in Router.publication.routes {
      let target = "/" + route.pattern.map { $0 == "*" ? "x" : $0 }.joined(separator: "/")
      let response = await rig.send(route.method, target)
      switch route.access {
      case .reader:
        #expect(response.status == 401, "\(route.method) \(target)")
        #expect(try response.problem.code == .sessionEnded)
        #expect(response.headers["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
      case .operator:
        // A reader's token is none of the operator's.
        for answer in [response, await rig.send(route.method, target, token: reader)] {
          #expect(answer.status == 404, "\(route.method) \(target)")
          #expect(try answer.problem.title == "There is nothing at \(target).")
        }
      case .anyone:
        open += 1
        // Both tokens of a session end it; none ends none.
        #expect((response.status == 401) == (route.method == .delete && target == "/v1/session"))
      }
    }
    #expect(open == 14)
  }

  /// Nothing is decoded of a path that is too long for any route, nor of a query with too many parameters.
  @Test func whatIsTooLongForAnyRoute() async throws {
    let rig = try await Rig()
    // Half a sign of percent-encoding is found where a path is decoded, and only there.
    for path in [String(repeating: "/%", count: 15_000), String(repeating: "/", count: 31_000), "/v1/posts/a/b/c/%"] {
      let response = await rig.send(.get, path)
      #expect(response.status == 404)
      #expect(response.body.count < 500)
      #expect(rig.publication.methodNotAllowed(at: path).status == 404)
    }
    #expect(Router.publication.routes.allSatisfy { $0.pattern.count * (Router.longestSegment + 1) <= Router.longestPath })
    // Nor of a segment that is longer than any name.
    let long = "/v1/posts/" + String(repeating: "%CC%81", count: 5200)
    for path in [long, "/v1/posts/" + String(repeating: "a", count: Router.longestSegment) + "%"] {
      #expect(await rig.send(.get, path).status == 404)
      #expect(rig.publication.methodNotAllowed(at: path).status == 404)
      #expect(rig.publication.bodyLimit(Request(.put, path, body: Data([1]))) == Router.bodyLimit)
    }
    #expect(await rig.send(.get, "/v1/posts/" + String(repeating: "a", count: Router.longestSegment - 1) + "%").status == 400)
    #expect(await rig.send(.get, "/v1/posts/%").status == 400)
    let parameters = { "/v1/keys?" + Array(repeating: "a=%", count: $0).joined(separator: "&") }
    #expect(await rig.send(.get, parameters(Router.mostParameters)).status == 200)
    let large = await rig.send(.get, parameters(Router.mostParameters + 1))
    #expect(large.status == 400)
    #expect(try large.problem.title == "The query has more than 100 parameters.")
  }

  @Test func listsInAQueryEndWhereTheyAreTooLong() async throws {
    func call(_ text: String) throws -> Call { Call(request: Request(.get, "/v1/flags?features=\(text)"), parameters: []) }
    #expect(try call(",a,,b%2Cc,").names(.features, most: 100) == ["a", "b", "c"])
    #expect(try call("").names(.features, most: 100) == [])
    #expect(try call("a").names(.ids, most: 100) == [])
    for count in [100, 101, 5000] {
      let names = try call((1...count).map { "f\($0)" }.joined(separator: ",")).names(.features, most: 100)
      #expect(names.count == min(count, 101))
    }
    let rig = try await Rig()
    #expect(await rig.send(.get, "/v1/flags?client=1." + String(repeating: "0", count: 199)).status == 400)
    #expect(await rig.send(.get, "/v1/flags?client=1.2.0").status == 200)
  }

  @Test(arguments: [
    ("", "A JSON body is missing."),
    (#"{"email": "a@b"}"#, "“password” is missing in the body."),
    (#"{"email": 1, "password": "x"}"#, "“email” in the body has the wrong type."),
    (#"{"email": null, "password": "x"}"#, "“email” in the body has the wrong type."),
    ("[1]", "The body is no JSON object."), ("12", "The body is no JSON object."),
  ])
  func bodiesOfTheWrongShape(body: String, sentence: String) async throws {
    let response = await (try Rig()).send(.post, "/v1/session", body: Data(body.utf8))
    #expect(response.status == 400)
    #expect(try response.problem.title == sentence)
  }

  @Test(arguments: ["{", "{\"email\": x}", "\u{0}", "{\"email\": \"a\",\n \"password\": oops}", "{'a': 1}"])
  func malformedJSONSaysSo(body: String) async throws {
    let response = await (try Rig()).send(.post, "/v1/session", body: Data(body.utf8))
    #expect(response.status == 400)
    #expect(try response.problem.code == .badRequest)
    #expect(try response.problem.title.hasPrefix("The body is no JSON: "))
  }

  @Test func notUTF8IsPlaced() async throws {
    let response = await (try Rig()).send(.post, "/v1/session", body: Data("{\n \"".utf8) + [0xFF] + Data("\"}".utf8))
    #expect(try response.problem.title.contains("line 2, column"))
  }

  @Test func otherMediaTypesAndLargeBodiesAreRefused() async throws {
    let rig = try await Rig()
    let form = await rig.send(.post, "/v1/session", headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Data("a=b".utf8))
    #expect(form.status == 415)
    let typed = await rig.send(
      .post, "/v1/session", headers: ["Content-Type": "Application/JSON; charset=utf-8"],
      body: try Wire.encode(Credentials(email: "ada@example.org", password: Rig.password)))
    #expect(typed.status == 201)
    let large = await rig.send(.post, "/v1/events", body: Data(count: 65_537))
    #expect(large.status == 413)
    #expect(try large.problem.title == "The body has more than 65536 bytes.")
  }

  /// Whoever has no account has no body read that takes long.
  @Test func aSignInIsSmall() async throws {
    let rig = try await Rig()
    let list = "[" + String(repeating: "1,", count: 2047) + "1]"
    let large = await rig.send(.post, "/v1/session", body: Data(list.utf8))
    #expect(large.status == 413)
    #expect(try large.problem == Problem(code: .tooLarge, title: "The body has more than 4096 bytes.", status: 413))
    for route in Router.publication.routes where route.access == .anyone {
      #expect(route.bodyLimit == (route.asksProvider ? 20_480 : 4096))
    }
    // The longest that can be right, as encoders write it that know ASCII alone.
    let (email, password) = (String(repeating: "\\u00e9", count: 121) + "@example.org", String(repeating: "\\u00e9", count: 512))
    let longest = await rig.send(.post, "/v1/session", body: Data("{\"email\":\"\(email)\",\"password\":\"\(password)\"}".utf8))
    #expect(longest.status == 401)
  }

  /// JSON is checked and decoded as a whole, so what asks for an import by its address has no room for more than one.
  @Test(arguments: ["application/json", "Application/JSON;charset=utf-8", " application/json ; x"])
  func anImportByItsAddressIsSmall(mediaType: String) async throws {
    let rig = try await Rig()
    let head = Request(.put, "/v1/imports/\(UUID())", headers: ["Content-Type": mediaType])
    #expect(rig.publication.bodyLimit(head) == 16_384)
    let large = await rig.send(
      .put, head.target, token: try await rig.signIn(), headers: head.headers, body: Data("[\(String(repeating: "1,", count: 8192))1]".utf8)
    )
    #expect(large.status == 413)
    #expect(try large.problem.title == "The body has more than 16384 bytes.")
    for type in ["application/octet-stream", "application/feed+json", "text/xml; a=application/json", nil] {
      let head = Request(.put, head.target, headers: type.map { ["Content-Type": $0] } ?? [:])
      #expect(rig.publication.bodyLimit(head) == Import.documentLimit)
    }
    // The longest address that is one, as encoders write it that know ASCII alone.
    let url = "https://e.org/" + String(repeating: "\\u0061", count: 1986)
    #expect("{\"url\":\"\(url)\"}".utf8.count < 16_384)
  }

  @Test func headIsGetWithoutABody() async throws {
    let rig = try await Rig()
    let get = await rig.send(.get, "/v1/publication")
    let head = await rig.send(.head, "/v1/publication")
    #expect(head.status == 200)
    #expect(head.body.isEmpty)
    #expect(head.headers["Content-Length"] == "\(get.body.count)")
  }

  @Test func whatBreaksIsLoggedAndNotTold() async throws {
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    let rig = try await Rig(log: { continuation.yield($0) })
    await rig.publication.close()
    let response = await rig.send(.get, "/v1/publication?secret=1")
    #expect(response.status == 500)
    #expect(try response.problem.code == .internalError)
    var iterator = lines.makeAsyncIterator()
    #expect(await iterator.next() == "GET /v1/publication: The publication was closed.")
  }
}
