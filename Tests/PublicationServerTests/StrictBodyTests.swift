import Foundation
import Glibc
import HTTPTransport
import PublicationAPI
import Testing

@testable import PublicationServer

/// Bodies are JSON by RFC 8259, and what is in them is what it claims to be.
@Suite struct StrictBodyTests {
  private static let beginning = #"{"email":"ada@example.org","password":"open sesame""#

  /// Says which thread it was decoded on.
  private struct Witness: Decodable, Sendable {
    let thread: pthread_t

    init(from decoder: any Decoder) throws { thread = pthread_self() }
  }

  private static func sentence(_ response: Response) throws -> String {
    #expect(response.status == 400)
    return try response.problem.title
  }

  @Test(arguments: [
    (beginning + ",}", "the comma before it is one too many"), (beginning + #","email":"bo@example.org"}"#, "“email” is there twice"),
    (beginning + #","x":01}"#, "no digit after a leading zero"), (beginning + #","x":5.}"#, "expected a digit"),
    (beginning + #","x":NaN}"#, "found “NaN”"), (beginning + #","x":-Infinity}"#, "expected a digit"),
    (beginning + #","x":"a"# + "\n" + #""}"#, "has to be written as"), (beginning + #","x":"\ud800"}"#, "half a surrogate pair"),
    (beginning + #","x":"\q"}"#, "line 1"), (beginning + ",/**/}", "JSON has no comments"), (beginning + "} x", "expected the end"),
    (
      beginning + #","x":"# + String(repeating: "[", count: 20_000) + String(repeating: "]", count: 20_000) + "}",
      "it is nested more than 128 deep"
    ),
    (String(repeating: #"{"a":"#, count: 9000), "it is nested more than 128 deep"),
  ])
  func whatIsNoJSON(body: String, reason: String) async throws {
    let rig = try await Rig()
    // Where a large body is read, too.
    let token = try await rig.signIn()
    let told = try Self.sentence(await rig.send(.post, "/v1/events", token: token, body: Data(body.utf8)))
    #expect(told.hasPrefix("The body is no JSON: ") && told.contains(reason), "\(told)")
  }

  @Test func otherEncodingsAndBytesThatAreNoText() async throws {
    let rig = try await Rig()
    let whole = Self.beginning + "}"
    let (before, behind) = (Data((Self.beginning + #","x":""#).utf8), Data("\"}".utf8))
    var bodies = [before + [0xFF] + behind, before + [0xC0, 0x80] + behind, before + [0xED, 0xA0, 0x80] + behind]
    for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf32BigEndian] {
      bodies.append(try #require(whole.data(using: encoding)))
    }
    for body in bodies { #expect(try Self.sentence(await rig.send(.post, "/v1/session", body: body)).contains("expected")) }
    #expect(await rig.send(.post, "/v1/session", body: Data(whole.utf8)).status == 201)
  }

  @Test(arguments: ["null", "true", "1", "\"x\"", "[]"]) func whatIsNoObject(body: String) async throws {
    let rig = try await Rig()
    #expect(try Self.sentence(await rig.send(.post, "/v1/session", body: Data(body.utf8))) == "The body is no JSON object.")
  }

  @Test(arguments: [
    "yesterday", "", "2024-02-30T00:00:00Z", "2023-02-29T00:00:00Z", "2024-04-31T00:00:00Z", "2024-00-10T00:00:00Z", "2024-13-01T00:00:00Z",
    "2024-01-01T24:00:00Z", "2024-01-01T25:00:00Z", "2024-01-01T00:60:00Z", "2024-01-01T00:00:00", "2024-01-01T00:00:00Zxyz",
    "2024-01-01T00:00:00+24:00", "2024-01-01T00:00:00+99:99", "10000-01-01T00:00:00Z", "+292277026596-12-04T15:30:07Z",
    "2024-01-01T00:00:00.Z",
    "2024-01-01 00:00:00Z", "２０２４-01-01T00:00:00Z",
  ])
  func whatIsNoMoment(text: String) async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    let told = try Self.sentence(await rig.send(.put, "/v1/posts/read", token: token, body: Data("{\"until\":\"\(text)\"}".utf8)))
    #expect(told == "“until” in the body: “\(text)” is no RFC 3339 date.")
  }

  /// Only what there is is marked, so a moment that is far away is one like all others.
  @Test(arguments: [
    ("9999-12-31T23:59:59Z", true), ("0001-01-01T00:00:00Z", false), ("2024-02-29T23:59:60.25+01:00", true),
    ("1999-12-31T23:59:59-12:00", false),
  ])
  func anyMomentMayBeNamed(text: String, isRead: Bool) async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    #expect(await rig.send(.put, "/v1/posts/read", token: token, body: Data("{\"until\":\"\(text)\"}".utf8)).status == 204)
    #expect(try await rig.get("/v1/posts/p01", token, as: Post.self).read == isRead)
  }

  @Test func whoCannotBeAReader() async throws {
    let rig = try await Rig()
    for (email, name, password, sentence) in [
      ("cy@example.org", "Cy", "a\u{0}b", "A password has no NUL character."),
      ("cy@example.org", "Cy", "short", "A password has at least 10 characters."),
      ("cy@example.org", "Cy", "Password123", "This password is one of the commonest, which are tried first. Choose another one."),
      ("cy@example.org", "Cy", "CY@example.org", "The password is the address. Choose another one."),
      ("cy@example.org", "\u{200B}\u{200D}", "open sesame", "A reader’s name has 1 to 200 characters."),
      ("cy@example.org", "C\ny", "open sesame", "A reader’s name is one line, without control characters."),
      ("cy@example.org", "C\u{1B}[31my", "open sesame", "A reader’s name is one line, without control characters."),
      ("cy@example.org", "C\u{2028}y", "open sesame", "A reader’s name is one line, without control characters."),
      ("c\u{200B}y@example.org", "Cy", "open sesame", "“c\u{200B}y@example.org” is no email address."),
      ("c\u{0}y@example.org", "Cy", "open sesame", "“c\u{0}y@example.org” is no email address."),
    ] {
      let body = try Wire.encode(NewReaderRequest(email: email, name: name, password: password))
      #expect(try Self.sentence(await rig.operate(.post, "readers", body)) == sentence)
    }
    let body = try Wire.encode(NewReaderRequest(email: "cy@example.org", name: "\u{202E}Cy\u{2066}", password: "open sesame"))
    #expect(try Wire.decode(Reader.self, from: try await rig.operate(.post, "readers", body).body).name == "Cy")
  }

  /// The publication's thread answers everybody.
  @Test func othersAreAnsweredWhileABodyIsDecoded() async throws {
    let rig = try await Rig(posts: [])
    let route = Route.open(.put, ["body"], taking: Witness.self) { _, _, witness in
      #expect(witness.thread != pthread_self())
      return Response(204)
    }
    let call = Call(request: Request(.put, "/body", body: Data("{}".utf8)), parameters: [])
    #expect(try await rig.publication.status(of: route, call) == 204)
  }
}

extension Publication {
  fileprivate func status(of route: Route, _ call: Call) async throws -> Int {
    try await Router(routes: [route]).answer(route, call, self).response().status
  }
}
