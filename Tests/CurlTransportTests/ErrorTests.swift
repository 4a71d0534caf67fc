import CCurl
import Foundation
import HTTPTransport
import Testing

@testable import CurlTransport

/// What curl, the system and OpenSSL say, as a case, and what people are told of it.
@Suite struct ErrorTests {
  @Test(arguments: [
    (CURLE_COULDNT_RESOLVE_HOST, 0, 0, TransportError.unreachable("words", .unknownName)),
    (CURLE_COULDNT_CONNECT, ECONNREFUSED, 0, .unreachable("words", .refused)),
    (CURLE_COULDNT_CONNECT, ENETUNREACH, 0, .unreachable("words", .noNetwork)),
    (CURLE_COULDNT_CONNECT, EHOSTUNREACH, 0, .unreachable("words", .noNetwork)),
    (CURLE_COULDNT_CONNECT, 0, 0, .unreachable("words")),
    (CURLE_COULDNT_RESOLVE_PROXY, 0, 0, .unreachable("words")),
    (CURLE_OPERATION_TIMEDOUT, ECONNREFUSED, 0, .timedOut),
    (CURLE_PEER_FAILED_VERIFICATION, 0, 9, .insecure("words", .notYetValid)),
    (CURLE_PEER_FAILED_VERIFICATION, 0, 10, .insecure("words", .expired)),
    (CURLE_PEER_FAILED_VERIFICATION, 0, 18, .insecure("words", .unknownIssuer)),
    (CURLE_PEER_FAILED_VERIFICATION, 0, 20, .insecure("words", .unknownIssuer)),
    (CURLE_PEER_FAILED_VERIFICATION, 0, 62, .insecure("words", .otherHost)),
    (CURLE_PEER_FAILED_VERIFICATION, 0, 1, .insecure("words", .otherHost)),
    (CURLE_PEER_FAILED_VERIFICATION, 0, 23, .insecure("words")),
    (CURLE_SSL_CONNECT_ERROR, 0, 0, .insecure("words")),
  ])
  func isTold(code: CURLcode, errno: Int32, certificate: Int, error: TransportError) {
    let told = TransportError(code, "words", limit: 1, errno: errno, certificate: certificate)
    #expect(told == error)
    let sentence = told.sentence(about: "The publication")
    #expect(sentence.hasPrefix("The publication ") && sentence.hasSuffix("."))
    #expect(!sentence.contains("words"), "what the system says is for the log")
  }

  @Test func whatHappenedIsToldApart() {
    let errors: [TransportError] = [
      .unreachable("", .noNetwork), .unreachable("", .unknownName), .unreachable("", .refused), .unreachable(""), .timedOut, .cutShort(""),
      .insecure("", .expired), .insecure("", .notYetValid), .insecure("", .unknownIssuer), .insecure("", .otherHost), .insecure(""),
      .tooLarge(limit: 1), .unsupported(""),
    ]
    #expect(Set(errors.map { $0.sentence(about: "It") }).count == errors.count)
  }
}
