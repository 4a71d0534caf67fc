import HTTPTransport
import PublicationAPI
import PublicationClient
import Testing

/// What the app does about each error: the whole table, so that no row of it changes unnoticed.
@Suite struct DispositionTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let error: ClientError
    let disposition: ClientError.Disposition
    var testDescription: String { name }
  }

  private struct Garbled: Error {}

  private static let pause = Duration.seconds(7)

  /// The publication's own refusal.
  private static func refusal(_ status: Int, _ code: Problem.Code, _ disposition: ClientError.Disposition) -> Row {
    let problem = Problem(code: code, title: "No.", status: status)
    return Row(name: "\(status) \(code.rawValue)", error: .problem(problem, retryAfter: pause), disposition: disposition)
  }

  /// Answers that are no problem documents: by their status alone.
  private static func pages(_ statuses: [Int], _ disposition: ClientError.Disposition) -> [Row] {
    statuses.map { refusal($0, Problem.Code(rawValue: "http_\($0)"), disposition) }
  }

  private static func transport(_ name: String, _ error: ClientError, _ cause: ClientError.Disposition.Cause) -> Row {
    Row(name: name, error: error, disposition: .retryLater(cause, after: nil))
  }

  private static let withoutAnAnswer: [Row] = [
    transport("unreachable", .offline(.unreachable("refused", .refused)), .unreachable),
    transport("no network", .offline(.unreachable("no network", .noNetwork)), .unreachable),
    transport("timed out", .offline(.timedOut), .unreachable),
    transport("cut short", .offline(.cutShort("reset")), .unreachable),
    // Such as a network that wants a login first: it may be over in a moment.
    transport("insecure", .unacceptable(.insecure("words", .unknownIssuer)), .busy),
    transport("too large", .unacceptable(.tooLarge(limit: 1)), .intercepted),
    transport("unreadable", .unacceptable(.unreadable("words")), .intercepted),
    transport("unsupported", .unacceptable(.unsupported("words")), .intercepted),
    transport("undecodable", .undecodable(what: "GET /v1/posts", underlying: Garbled()), .broken),
    Row(name: "cancelled", error: .cancelled, disposition: .cancelled),
  ]

  private static let refusals: [Row] = [
    refusal(400, .badRequest, .refused), refusal(401, .sessionEnded, .sessionEnded), refusal(401, .wrongCredentials, .sessionEnded),
    refusal(402, .paymentDeclined, .refused), refusal(403, .locked, .refused), refusal(404, .notFound, .notFound),
    refusal(404, .notOffered, .refused), refusal(404, .unknownProduct, .refused), refusal(405, .methodNotAllowed, .refused),
    refusal(409, .conflict, .refused), refusal(409, .alreadyOwned, .refused), refusal(410, .notFound, .notFound),
    refusal(410, .receiptRevoked, .refused), refusal(413, .tooLarge, .refused), refusal(426, "upgrade", .refused),
    refusal(429, "too_many", .retryLater(.busy, after: pause)), refusal(500, .internalError, .retryLater(.broken, after: pause)),
    refusal(503, .maintenance, .retryLater(.down, after: pause)), refusal(503, .paymentUnavailable, .retryLater(.down, after: pause)),
    refusal(504, .deadlineExceeded, .retryLater(.down, after: pause)),
  ]

  /// Of a proxy, or of a network before the login to it.
  private static let answersOnTheWay: [[Row]] = [
    pages(
      [299, 400, 402, 403, 404, 405, 406, 409, 410, 413, 424, 426, 428, 431, 451, 499], .retryLater(.intercepted, after: pause)),
    pages([401], .sessionEnded), pages([407, 408, 425, 429], .retryLater(.busy, after: pause)),
    pages([300, 301, 302, 304, 307, 308, 399, 502, 503, 504, 511], .retryLater(.down, after: pause)),
    pages([500, 501, 505, 510, 512, 599], .retryLater(.broken, after: pause)),
  ]

  static let rows: [Row] = withoutAnAnswer + refusals + answersOnTheWay.flatMap(\.self)

  @Test(arguments: rows) func whatIsDoneAboutIt(_ row: Row) {
    #expect(row.error.disposition == row.disposition)
    #expect(row.error.isNotFound == (row.disposition == .notFound))
  }

  /// It is the caller's to choose one.
  @Test(arguments: [429, 500, 503, 301, 400]) func aPauseThatNobodyAskedForIsNone(status: Int) {
    let problem = Problem(code: Problem.Code(rawValue: "http_\(status)"), title: "", status: status)
    guard case .retryLater(_, after: nil) = ClientError.problem(problem, retryAfter: nil).disposition else {
      Issue.record("\(status) has a pause")
      return
    }
  }
}
