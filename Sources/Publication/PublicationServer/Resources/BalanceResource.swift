import HTTPTransport
import PublicationAPI

/// What readers have left, and spending it.
extension Publication {
  func balances(_ call: Call) async throws -> Response { try .json(await purse.balances(of: call.signedIn.id)) }

  /// Opens a post with a pass. One that is open to the reader already, by whatever, costs nothing: asking twice spends one.
  func unlock(_ call: Call) async throws -> Response {
    let outcome = try await purse.unlock(
      call.parameter, by: call.signedIn.id, with: Balance.articlePass, unlessEntitledTo: Self.premium, at: now)
    switch outcome {
    case .open: return try .json(await readable(call))
    case .noPost: throw Problem.notFound("post")
    case .noBalance:
      throw Problem(code: .noBalance, title: "You have no article passes left, so the post stays closed.", status: 402)
    }
  }
}
