import HTTPTransport
import PublicationAPI
import Runtime

/// What readers have left, and spending it.
struct BalanceResource {
  let balances: any BalanceRepository
  let posts: PostResource
  let clock: any AppClock

  nonisolated(nonsending) func list(_ call: Call) async throws -> Response { try .json(await balances.balances(of: call.signedIn.id)) }

  /// Opens a post with a pass. A post that is open to the reader already, for any reason, costs nothing: two requests spend one pass.
  nonisolated(nonsending) func unlock(_ call: Call) async throws -> LateAnswer {
    let outcome = try await balances.unlock(
      call.parameter, by: call.signedIn.id, with: Balance.articlePass, unlessEntitledTo: PostResource.premium, at: clock.unixTime)
    switch outcome {
    case .open:
      let post = try await posts.readable(call)
      return LateAnswer(length: post.length) { try .json(post) }
    case .noPost: throw Problem.notFound("post")
    case .noBalance:
      throw Problem(code: .noBalance, title: "You have no article passes left, so the post stays closed.", status: 402)
    }
  }
}
