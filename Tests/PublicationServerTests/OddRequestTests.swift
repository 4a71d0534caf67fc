import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import SignedReceipts
import Synchronization
import Testing

@testable import PublicationServer

/// Thousands of requests that no client sends: numbers at the ends of their ranges, bytes that are no text, bodies of other routes. Each is
/// answered, none by 500, and none ends the process.
///
/// A failure names its seed; `MATINEE_SEED=7` sends those requests again.
@Suite struct OddRequestTests {
  private static let numbers = [
    "9223372036854775807", "-9223372036854775808", "9223372036854775808", "9223372036854775806", "18446744073709551616", "4294967296",
    "2147483648", "1000000", "101", "100", "1", "0", "-0", "-1", "+1", "1.5", "1e400", "1e18", "nan", "inf", "0x10", "٣", " 1", "1 ",
    "00000000000000000000000000000000000000001",
  ]
  private static let texts = [
    "", "%", "%zz", "%00", "a%00b", "%ff%fe", "%C0%AF", "%2e%2e%2f", "..", "*", "%2A", "a+b", "%F0%9F%92%B6", "%E2%80%AE", "%0a", "%22",
    "%27", "true", "null", "{}", "p01", "p04", "odd", "even", "none", "premium", "premium.monthly", "passes.5", "a.png", "switch", "open",
    "paid",
    "00000000-0000-0000-0000-000000000001", "11111111-2222-3333-4444-555555555555", "1.2.0", "9999999999999999999.1.0", "K7Q2-9XDM",
    "post", "NEAR(a%20b)", "title:%20a", String(repeating: "a", count: 3000), String(repeating: "%25", count: 500),
  ]
  private static let queries = [
    "limit", "cursor", "q", "fanclub", "bookmarked", "followed", "unread", "ids", "currency", "client", "features", "state", "name",
  ]
  /// Members of every body that some route reads.
  private static let members = [
    "email", "password", "url", "kind", "text", "productID", "currency", "paymentToken", "events", "id", "code", "buckets", "percent",
    "minVersion", "features", "reason", "algorithm", "receipt", "date",
  ]

  private struct Dice {
    var random: SplitMix

    mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &random)] }
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func text() -> String { chance(50) ? pick(numbers) : pick(texts) }

    mutating func cursor() -> String {
      let (list, middle, key) = (pick(["p", "c", "m", "s", "x", ""]), pick(["best", "newest", "p01", "odd", ""]), text())
      let bytes = Array("\(list)\n\(middle)\n\(key.removingPercentEncoding ?? key)".utf8)
      return chance(90) ? Base64URL.encode(bytes) : text()
    }

    mutating func target(_ pattern: [String]) -> String {
      let path = pattern.map { segment in chance(segment == "*" ? 100 : 1) ? text() : segment }.joined(separator: "/")
      let query = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        let name = pick(queries)
        return "\(name)=\(name == "cursor" ? cursor() : text())"
      }
      return "/" + path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    mutating func value(_ depth: Int) -> String {
      switch Int.random(in: 0..<(depth > 3 ? 5 : 8), using: &random) {
      case 0, 1: return pick(numbers)
      case 2: return pick(["null", "true", "false", "\"\\ud800\"", "\"\\u0000\"", "\"\\u202e\"", "nul", ""])
      case 3, 4:
        let text = text()
        return "\"\(text.removingPercentEncoding?.filter { $0 != "\"" && $0 != "\\" && $0 >= " " } ?? text)\""
      case 5: return "[" + (0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth + 1) }.joined(separator: ",") + "]"
      default: return object(depth + 1)
      }
    }

    mutating func object(_ depth: Int) -> String {
      let fields = (0..<Int.random(in: 0...5, using: &random)).map { _ in "\"\(pick(members))\":\(value(depth))" }
      return "{" + fields.joined(separator: ",") + "}"
    }

    mutating func body() -> Data {
      switch Int.random(in: 0..<20, using: &random) {
      case 0: return Data()
      case 1: return Data((0..<100).map { _ in UInt8.random(in: 0...255, using: &random) })
      case 2: return Data(String(repeating: pick(["[", "{\"a\":"]), count: 10_000).utf8)
      case 3: return Data(count: Router.bodyLimit + 1)
      case 4: return Data("{\"events\":[\(object(1)),\(object(1))]}".utf8)
      default: return Data(object(0).utf8)
      }
    }

    // What shall be drawn from.
    var numbers: [String] { OddRequestTests.numbers }
    var texts: [String] { OddRequestTests.texts }
    var queries: [String] { OddRequestTests.queries }
    var members: [String] { OddRequestTests.members }
  }

  @Test(.timeLimit(.minutes(10))) func eachIsAnswered() async throws {
    let seed = ProcessInfo.processInfo.environment["MATINEE_SEED"].flatMap(UInt64.init) ?? 4
    var dice = Dice(random: SplitMix(state: seed))
    let broken = Mutex<[String]>([])
    let rig = try await Rig(log: { line in broken.withLock { $0.append(line) } })
    await rig.publication.offerPages(at: .ofRequest)
    await rig.publication.fetchFeeds(from: FakeWeb(), readersMayAdd: true)
    let operatorToken = try await rig.publication.newOperatorToken()
    let routes = Router.publication.routes
    var ada = try await rig.signIn()
    var answered: Set<Int> = []
    for round in 1...4000 {
      let route = dice.pick(routes)
      var request = Request(dice.chance(95) ? route.method : dice.pick(Request.Method.allCases), dice.target(route.pattern))
      if [.post, .put].contains(request.method) { request.body = dice.body() }
      if dice.chance(95) { request.headers["Authorization"] = "Bearer \(route.access == .operator ? operatorToken : ada)" }
      for name in ["Content-Type", "If-None-Match", "Host", "Authorization"] where dice.chance(3) {
        request.headers[name] = dice.pick(["application/json", "*", "W/\"\"", ",,,", "Bearer ", "e.org:99999", dice.text()])
      }
      let response = await rig.publication.handle(request)
      answered.insert(response.status)
      let told = broken.withLock { $0 }
      guard (200..<500).contains(response.status) || [501, 502, 503].contains(response.status), told.isEmpty else {
        Issue.record("MATINEE_SEED=\(seed), round \(round): \(request), \(response.status) \(told)")
        return
      }
      let isPage = response.headers["Content-Type"]?.hasPrefix("text/html") == true
      if response.status >= 400 { #expect(isPage || (try? response.problem) != nil) }
      // Some of them sign out.
      if await rig.send(.get, "/v1/session", token: ada).status == 401 { ada = try await rig.signIn() }
    }
    #expect(answered.isSuperset(of: [200, 204, 400, 401, 404, 405, 413]), "the requests are no longer odd in every way: \(answered)")
    await rig.publication.close()
  }
}
