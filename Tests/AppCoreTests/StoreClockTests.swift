import AppCore
import Foundation
import HTTPTransport
import Patience
import PublicationServer
import Runtime
import SearchFeature
import StubStore
import Synchronization
import TestSupport
import Testing

/// Time at a tester's store may run fast or stand still. What the reader does, and what other people's servers are asked, goes by the
/// reader's own clock.
@MainActor @Suite(.timeLimit(.minutes(3))) struct StoreClockTests {
  private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000))
  private let requested = Requested()

  private func signedIn(rate: Int) async throws -> (rig: PathRig, store: TestStore) {
    let publication = try await Sample.publication(clock: clock)
    let file = try StubStoreFile(json: Data(#"{"products": [], "rate": \#(rate)}"#.utf8), name: "store.json")
    let store = try TestStore(file, allowed: true, clock: clock)
    let transport = InProcessTransport { [requested] request in
      requested.add(request)
      return await publication.handle(request)
    }
    let rig = PathRig(transport, clock: clock, store: store)
    rig.coordinator.start()
    await rig.settle()
    try await rig.signIn()
    return (rig, store)
  }

  @Test func aStoreThatStandsStillHoldsUpNothing() async throws {
    let (rig, store) = try await signedIn(rate: 0)
    rig.coordinator.perform(.search(""))
    guard let search = rig.presenter.visibleScreen?.model as? SearchViewModel else { throw PathRig.Missing("search") }
    search.send(.queryChanged("Post 44"))
    for _ in 0..<10_000 where search.state.ids.isEmpty {
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
    #expect(search.state.ids == ["p44"])
    #expect(store.clock.now == Date(timeIntervalSince1970: 1_780_000_000))
    await rig.coordinator.finish()
  }

  @Test func aMonthInHalfAMinuteAsksThePublicationNoMoreOften() async throws {
    let (rig, store) = try await signedIn(rate: AdjustableClock.monthInThirtySeconds)
    requested.forget()
    clock.advance(by: .seconds(59))
    await rig.settle()
    #expect(store.clock.now.timeIntervalSince(clock.now) > 50 * 86_400)
    #expect(requested.lists == 0, "Home looks once a minute")
    clock.advance(by: .seconds(2))
    await until { requested.lists != 0 }
    await rig.settle()
    #expect(requested.lists == 1)
    await rig.coordinator.finish()
  }
}

/// Safe from any thread.
private final class Requested: Sendable {
  private let count = Mutex(0)
  /// How often posts were listed.
  var lists: Int { count.withLock { $0 } }
  func add(_ request: Request) { if request.method == .get, request.path == "/v1/posts" { count.withLock { $0 += 1 } } }
  func forget() { count.withLock { $0 = 0 } }
}
