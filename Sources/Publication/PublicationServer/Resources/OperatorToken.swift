import Foundation
import HTTPTransport
import PublicationAPI

/// The operator's part of the API: `matinee-server user|order|flag|key …` while the server runs.
extension Publication {
  /// A token for the operator's part of the API, in place of the earlier one. Without a token that part cannot be used.
  /// - Throws: an error of the library that makes it.
  public func newOperatorToken() throws -> String {
    let token = random.token()
    operatorDigest = try Digest.sha256(Data(token.utf8))
    return token
  }

  /// - Throws: `Problem` with ``Problem/Code/notFound``: a client without the token learns nothing.
  func authenticateOperator(_ request: Request) throws {
    guard let expected = operatorDigest, let given = try Self.tokenDigest(request), expected == given else {
      throw Problem.nothing(at: request.path)
    }
    sessions.learn(given, SessionCache.Entry(reader: "operator", session: nil, expires: 0))
  }
}
