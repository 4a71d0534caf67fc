import AppConfig
import ContentCache
import CurlTransport
import Foundation
import HTTPTransport
import PublicationAPI
import PublicationClient
import ReaderContent
import Runtime
import SQLiteStorage
import Synchronization

/// A reader who does things in the app's own content store, over the network, and whose process ends where it is told to.
///
/// Says a line at each of its points, as soon as it is there.
@main enum Probe {
  static func main() async throws {
    Config().setUpModules()
    let errand = try JSONDecoder().decode(Errand.self, from: Data((CommandLine.arguments.dropFirst().first ?? "").utf8))
    try await run(errand, Points(errand))
    _exit(0)
  }

  @MainActor private static func run(_ errand: Errand, _ points: Points) async throws {
    let network = try NetworkTransport(origin: errand.origin)
    // What is there to act on is looked up before the points begin.
    let anyone = APIClient(transport: network, token: { errand.token })
    guard let post = try await anyone.posts().items.first(where: { !$0.premium }) else { throw POSIXError(.ENOENT) }
    let club = try await anyone.fanClub(post.fanClubID)

    let effects = Effects()
    let outbox = Outbox(database: try await Database(path: errand.outbox, migrations: Outbox.migrations), owner: "reader")
    let client = APIClient(transport: PointedTransport(network: network, points: points), token: { errand.token })
    let store = ContentStore(client: client, outbox: outbox, retry: RetryEnvironment(on: SystemClock()), effects: effects)
    try await store.loadPost(post.id)
    try await store.loadFanClub(club.id)
    effects.onDelivery = { points.pass($0.label) }
    points.begin()
    await store.resume()
    for id in store.comments.ids(where: { _ in true }) { points.say("shows \(store.comments[id]?.text ?? "")") }
    if errand.acts {
      for (number, deed) in Deed.all.enumerated() {
        deed.perform(on: post.id, of: club.id, in: store)
        points.pass("did \(number)")
        // Some come fast and some after everything before them is over.
        if number % 3 == 2 { await effects.settled() }
      }
    }
    for await waiting in store.outboxStatus.stream() where waiting.count == 0 { break }
    await store.actions.written()
    points.say("done")
  }
}

/// Where the process can end.
final class Points: Sendable {
  private let errand: Errand
  private let passed = Atomic<Int>(0)
  private let hasBegun = Atomic<Bool>(false)

  init(_ errand: Errand) { self.errand = errand }

  func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

  func begin() { hasBegun.store(true, ordering: .relaxed) }

  func pass(_ label: String) {
    guard hasBegun.load(ordering: .relaxed) else { return }
    say(label)
    guard passed.wrappingAdd(1, ordering: .relaxed).newValue == errand.killedAt else { return }
    if errand.later == 0 { kill(getpid(), SIGKILL) }
    Thread.detachNewThread { [later = errand.later] in
      let turns = Atomic<Int>(0)
      while turns.wrappingAdd(1, ordering: .relaxed).newValue < later {}
      kill(getpid(), SIGKILL)
    }
  }
}

/// The network, with a point before a request leaves and one after its answer came.
private struct PointedTransport: Transport {
  let network: NetworkTransport
  let points: Points

  func send(_ request: Request) async throws -> Response {
    points.pass("sends \(request.method.rawValue)")
    let response = try await network.send(request)
    points.pass("has an answer")
    return response
  }
}
