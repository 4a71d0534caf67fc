import AccountFeature
import FeatureKit
import Foundation
import HTTPTransport
import PublicationAPI
import PublicationClient
import Runtime
import Synchronization
import TestSupport
import Testing

/// Where the reader is signed in, as states through their script.
@MainActor @Suite(.timeLimit(.minutes(1))) struct SessionsViewModelTests {
  private typealias State = SessionsViewModel.State

  /// A publication that knows sessions and nothing else.
  private final class Sessions: Transport {
    let list = Mutex<[ReaderSession]>([])
    let isAway = Mutex(false)

    func send(_ request: Request) async throws -> Response {
      guard !isAway.withLock({ $0 }) else { throw TransportError.unreachable("there is no network") }
      if request.method == .get { return Response(200, body: try Wire.encode(list.withLock { $0 })) }
      return try list.withLock { list in
        guard request.path != "/v1/sessions" else {
          let count = list.count
          list.removeAll { !$0.isCurrent }
          return Response(200, body: try Wire.encode(EndedSessions(count: count - list.count)))
        }
        guard let place = list.firstIndex(where: { request.path == "/v1/sessions/\($0.id)" }) else {
          return Response(404, body: try Wire.encode(Problem(code: .notFound, title: "There is no such session.", status: 404)))
        }
        list.remove(at: place)
        return Response(204)
      }
    }
  }

  @MainActor private final class Rig {
    let publication = Sessions()
    let effects = Effects()
    let clock = ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000))
    private(set) var model: SessionsViewModel!
    private var states: [State] = []
    private var outputs: [SessionsViewModel.Output] = []

    init() {
      let hour = 3600.0
      publication.list.withLock {
        $0 = [
          session("phone", "Pocket", began: 30 * 24 * hour, seen: 2 * hour), session("here", "Desk", began: hour, seen: 0, isCurrent: true),
          session("old", nil, began: 80 * 24 * hour, seen: 10 * 24 * hour),
        ]
      }
      let formatting = Formatting(clock: clock, locale: Locale(identifier: "en_GB"), timeZone: .gmt)
      model = SessionsViewModel(
        client: APIClient(transport: publication, token: { "token" }), effects: effects, formatting: formatting
      ) { [unowned self] in outputs.append($0) }
      model.observe { [unowned self] in states.append($0) }
    }

    private func session(_ id: String, _ device: String?, began: Double, seen: Double, isCurrent: Bool = false) -> ReaderSession {
      ReaderSession(
        id: id, device: device, began: clock.now.addingTimeInterval(-began), lastSeen: clock.now.addingTimeInterval(-seen),
        isCurrent: isCurrent)
    }

    /// What was shown since the last call, and what came of it.
    func take() async -> (states: [State], outputs: [SessionsViewModel.Output]) {
      await effects.settled()
      defer { (states, outputs) = ([], []) }
      return (states, outputs)
    }
  }

  @Test func theOneOfThisAppComesFirstThenTheLastSeen() async {
    let rig = Rig()
    rig.model.appear()
    let states = await rig.take().states
    #expect(states.map(\.phase) == [.loading, .ready])
    #expect(
      states.last?.rows == [
        .init(id: "here", device: "Desk", detail: "This app. Signed in on 28 May 2026.", isCurrent: true, isEnding: false),
        .init(
          id: "phone", device: "Pocket", detail: "Last seen: 2 hours ago. Signed in on 28 April 2026.", isCurrent: false, isEnding: false),
        .init(
          id: "old", device: "A device without a name", detail: "Last seen: 18 May. Signed in on 9 March 2026.", isCurrent: false,
          isEnding: false),
      ])
    #expect(states.last?.canEndOthers == true)
  }

  @Test func oneIsEndedOnceAndOnlyAnother() async {
    let rig = Rig()
    rig.model.appear()
    _ = await rig.take()
    rig.model.send(.endTapped("here"))
    rig.model.send(.endTapped("nothing"))
    #expect(await rig.take().states.isEmpty)
    rig.model.send(.endTapped("old"))
    rig.model.send(.endTapped("old"))
    let (states, outputs) = await rig.take()
    #expect(states.map { $0.rows.map(\.isEnding) } == [[false, false, true], [false, false]])
    #expect(outputs == [.done("Signed out on a device without a name.")])
    // Gone already, by another's hand.
    rig.publication.list.withLock { $0.removeAll { $0.id == "phone" } }
    rig.model.send(.endTapped("phone"))
    let last = await rig.take()
    #expect(last.states.last?.rows.map(\.id) == ["here"])
    #expect(last.states.last?.failure == nil)
    #expect(last.states.last?.canEndOthers == false)
    #expect(last.outputs == [.done("Signed out on Pocket.")])
  }

  @Test func allOthersAreEnded() async {
    let rig = Rig()
    rig.model.appear()
    _ = await rig.take()
    rig.model.send(.endOthersTapped)
    rig.model.send(.endOthersTapped)
    let (states, outputs) = await rig.take()
    #expect(states.map(\.isEndingOthers) == [true, false])
    #expect(states.last?.rows.map(\.id) == ["here"])
    #expect(outputs == [.done("2 other sessions were ended.")])
    rig.model.send(.endOthersTapped)
    #expect(await rig.take().states.isEmpty)
  }

  @Test func withoutAnAnswerThePageKeepsWhatItHas() async {
    let rig = Rig()
    rig.publication.isAway.withLock { $0 = true }
    rig.model.appear()
    guard case .failed(let sentence)? = await rig.take().states.last?.phase else { return #expect(Bool(false), "it did not fail") }
    #expect(sentence.hasPrefix("The publication cannot be reached"))
    rig.publication.isAway.withLock { $0 = false }
    rig.model.send(.refreshTapped)
    #expect(await rig.take().states.map(\.phase) == [.loading, .ready])
    rig.publication.isAway.withLock { $0 = true }
    for input in [SessionsViewModel.Input.refreshTapped, .endTapped("old"), .endOthersTapped] {
      rig.model.send(input)
      let (states, outputs) = await rig.take()
      #expect(states.last?.rows.map(\.id) == ["here", "phone", "old"])
      #expect(states.last?.rows.contains { $0.isEnding } == false)
      #expect(states.last?.failure == sentence)
      #expect(states.last.map { $0.isRefreshing || $0.isEndingOthers } == false)
      #expect(outputs.isEmpty)
    }
  }
}
