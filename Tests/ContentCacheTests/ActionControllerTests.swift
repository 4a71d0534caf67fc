import ContentCache
import Foundation
import Runtime
import Testing

@MainActor @Suite(.timeLimit(.minutes(1))) struct ActionControllerTests {
  private let world = World()
  private var cache: Cache<Note> { world.cache }

  init() { cache.store([Note(id: "a", likes: 5), Note(id: "b")]) }

  @Test func cacheChangesBeforePerformReturns() async {
    world.like("a")
    #expect(cache["a"]?.liked == true)
    #expect(cache["a"]?.likes == 6)
    #expect(world.pending == 1)
    await world.quiet()
    #expect(world.gate.requested.map(\.kind) == ["like"])
    await world.answer(0, .success(Note(id: "a", liked: true, likes: 9)))
    #expect(cache["a"] == Note(id: "a", liked: true, likes: 9))
    #expect(world.pending == 0)
    #expect(world.labels == ["action.like"])
  }

  @Test func refusedActionIsTakenBackAndTold() async {
    let before = cache["a"]
    let id = world.like("a")
    await world.quiet()
    await world.answer(0, .failure(Refused()))
    #expect(cache["a"] == before)
    let failure = RefusedAction(kind: "like", actionID: id, entityID: "a", sentence: "The server said no.")
    #expect(world.failures == [failure])
    #expect(failure.sentence == "The server said no.")
  }

  @Test func twoActionsOnOneEntityInFlightTheFirstRefused() async {
    world.like("a")
    world.mark("a")
    await world.quiet()
    #expect(world.gate.hanging.map(\.question.kind) == ["like"])
    await world.answer(0, .failure(Refused()))
    #expect(cache["a"] == Note(id: "a", likes: 5, marked: true))
    await world.answer(0, .success(Note(id: "a", likes: 5, marked: true)))
    #expect(cache["a"] == Note(id: "a", likes: 5, marked: true))
    #expect(world.failures.count == 1)
  }

  @Test func twoActionsOnOneEntityInFlightTheSecondRefused() async {
    world.like("a")
    world.mark("a")
    await world.quiet()
    await world.answer(0, .success(Note(id: "a", liked: true, likes: 6)))
    #expect(cache["a"] == Note(id: "a", liked: true, likes: 6, marked: true))
    await world.answer(0, .failure(Refused()))
    #expect(cache["a"] == Note(id: "a", liked: true, likes: 6))
  }

  @Test func toggledTwiceFastAtMostTheLastStateReachesTheServer() async {
    for number in 1...7 { world.like("a", number % 2 == 1) }
    #expect(cache["a"] == Note(id: "a", liked: true, likes: 6))
    await world.quiet()
    #expect(world.gate.requested.map(\.on) == [true])
    #expect(world.pending == 1)
    for number in 1...6 { world.like("a", number % 2 == 0) }
    world.like("a", false)
    #expect(cache["a"]?.likes == 5)
    await world.answer(0, .success(Note(id: "a", liked: true, likes: 6)))
    #expect(cache["a"] == Note(id: "a", likes: 5))
    #expect(world.gate.requested.map(\.on) == [true, false])
    await world.answer(0, .success(Note(id: "a", likes: 5)))
    #expect(world.gate.hanging.isEmpty)
    #expect(cache["a"] == Note(id: "a", likes: 5))
  }

  @Test func refusedToggleLeavesTheLaterOne() async {
    world.like("a")
    await world.quiet()
    world.like("a", false)
    #expect(cache["a"]?.likes == 5)
    await world.answer(0, .failure(Refused()))
    #expect(cache["a"] == Note(id: "a", likes: 5))
    await world.answer(0, .success(Note(id: "a", likes: 5)))
    #expect(cache["a"] == Note(id: "a", likes: 5))
  }

  @Test func actionsThatCountAreAllSent() async {
    let ids = [world.comment("a"), world.comment("a")]
    #expect(cache["a"]?.comments == ids)
    await world.quiet()
    #expect(world.gate.hanging.count == 1)
    await world.answer(0, .success(Note(id: "a", likes: 5, comments: [ids[0]])))
    #expect(cache["a"]?.comments == ids)
    await world.answer(0, .success(Note(id: "a", likes: 5, comments: ids)))
    #expect(world.gate.requested.map(\.id) == ids)
  }

  @Test func aLongLineWithManyGapsKeepsItsOrder() async {
    world.mark("b")
    await world.quiet()
    world.controller.perform((0..<200).map { LikeAction(id: UUID(), entityID: "\($0)", on: true) })
    for number in 0..<1000 { world.like("a", number.isMultiple(of: 2)) }
    world.controller.perform((0..<200).filter { $0 % 3 > 0 }.map { LikeAction(id: UUID(), entityID: "\($0)", on: false) })
    #expect(world.pending == 202)
    for left in (0..<202).reversed() {
      await world.answer(0, .success(nil))
      #expect(world.pending == left)
    }
    var order: [String] = ["b"]
    for number in 0..<200 where number % 3 == 0 { order.append("\(number)") }
    order.append("a")
    for number in 0..<200 where number % 3 > 0 { order.append("\(number)") }
    #expect(world.gate.requested.map(\.entityID) == order)
  }

  @Test func actionsOnDifferentEntitiesGoOutInTheirOrder() async {
    world.like("b")
    world.like("a")
    world.mark("b")
    for (kind, id) in [("like", "b"), ("like", "a"), ("mark", "b")] {
      await world.quiet()
      #expect(world.gate.hanging.map(\.question.kind) == [kind])
      #expect(world.gate.hanging.map(\.question.entityID) == [id])
      await world.answer(0, .success(cache[id]))
    }
    #expect(world.pending == 0)
  }

  @Test func serverThatAnswersWithADifferentCountIsBelieved() async {
    world.like("a")
    await world.quiet()
    await world.answer(0, .success(Note(id: "a", liked: true, likes: 90)))
    #expect(cache["a"]?.likes == 90)
    world.like("a", false)
    #expect(cache["a"]?.likes == 89)
    await world.quiet()
    await world.answer(0, .success(Note(id: "a", liked: false, likes: 3)))
    #expect(cache["a"]?.likes == 3)
  }

  @Test func fetchThatArrivesWhileAnActionIsInFlightGoesBeneath() async {
    let requested = cache.logicalTime()
    world.like("a")
    await world.quiet()
    cache.store([Note(id: "a", title: "new", likes: 7)], asOf: requested)
    #expect(cache["a"] == Note(id: "a", title: "new", liked: true, likes: 8))
    cache.store([Note(id: "a", title: "newer", liked: true, likes: 9)])
    #expect(cache["a"] == Note(id: "a", title: "newer", liked: true, likes: 9))
    await world.answer(0, .failure(Refused()))
    #expect(cache["a"] == Note(id: "a", title: "newer", liked: true, likes: 9))
  }

  @Test func fetchAskedForBeforeTheActionWasConfirmedDoesNotUndoIt() async {
    world.like("a")
    await world.quiet()
    let requested = cache.logicalTime()
    await world.answer(0, .success(Note(id: "a", liked: true, likes: 6)))
    cache.store([Note(id: "a", body: "text", likes: 5)], asOf: requested)
    #expect(cache["a"] == Note(id: "a", body: "text", liked: true, likes: 6))
  }

  @Test func entityThatIsNotKnownYetShowsTheActionOnceItIs() async {
    world.like("c")
    #expect(cache["c"] == nil)
    cache.store([Note(id: "c", likes: 1)])
    #expect(cache["c"]?.likes == 2)
    await world.quiet()
    await world.answer(0, .success(Note(id: "c", liked: true, likes: 2)))
  }

  @Test func entityDeletedMeanwhileEndsTheActionAndTheReaderIsTold() async {
    world.like("a")
    world.mark("b")
    await world.quiet()
    cache.remove(["a"])
    #expect(cache["a"] == nil)
    await world.answer(0, .failure(Refused()))
    #expect(cache["a"] == nil)
    #expect(world.failures.map(\.entityID) == ["a"])
    #expect(world.gate.hanging.map(\.question.kind) == ["mark"])
    world.gate.answer(0, .failure(CancellationError()))
  }

  @Test func anActionMakesAnEntityAndAnotherRemovesIt() async {
    let isMine = { (note: Note) in note.title == "mine" }
    world.write("n")
    #expect(cache["n"]?.title == "mine")
    #expect(cache.ids(where: isMine) == ["n"])
    await world.quiet()
    await world.answer(0, .success(Note(id: "n", title: "mine", likes: 1)))
    #expect(cache["n"]?.likes == 1)
    #expect(cache.ids(where: isMine) == ["n"])
    let requested = cache.logicalTime()
    world.write("n", false)
    #expect(cache["n"] == nil)
    #expect(cache.ids(where: isMine) == [])
    await world.quiet()
    await world.answer(0, .success(nil))
    #expect(cache["n"] == nil)
    cache.store([Note(id: "n", title: "mine")], asOf: requested)
    #expect(cache["n"] == nil, "an answer from before it was removed does not bring it back")
    cache.store([Note(id: "n", title: "again")])
    #expect(cache["n"]?.title == "again")
  }

  @Test func refusedMakingAndRefusedRemovingAreUndone() async {
    world.write("n")
    await world.quiet()
    await world.answer(0, .failure(Refused()))
    #expect(cache["n"] == nil)
    world.write("a", false)
    #expect(cache["a"] == nil)
    await world.quiet()
    await world.answer(0, .failure(Refused()))
    #expect(cache["a"]?.likes == 5)
  }

  @Test func sameActionTwiceIsOne() async {
    let action = LikeAction(id: UUID(), entityID: "a", on: true)
    world.controller.perform(action)
    world.controller.perform(action)
    await world.quiet()
    await world.answer(0, .success(Note(id: "a", liked: true, likes: 6)))
    world.controller.perform(action)
    await world.quiet()
    #expect(world.gate.requested.count == 1)
    #expect(world.pending == 0)
  }

  @Test func observersHearOfTheChangeAndOfItsRevert() async {
    var shown: [Int?] = []
    let observation = cache.observe { ids in if ids.contains("a") { shown.append(cache["a"]?.likes) } }
    world.like("a")
    await world.quiet()
    await world.answer(0, .failure(Refused()))
    #expect(shown == [6, 5])
    observation.cancel()
  }

  @Test func confirmationThatChangesNothingIsNoNews() async {
    world.like("a")
    await world.quiet()
    var notices = 0
    let observation = cache.observe { _ in notices += 1 }
    await world.answer(0, .success(Note(id: "a", liked: true, likes: 6)))
    #expect(notices == 0)
    observation.cancel()
  }

  @Test func closingDropsEverythingAndLateAnswersReachNothing() async {
    let before = cache["a"]
    world.like("a")
    world.mark("a")
    world.like("b")
    await world.quiet()
    world.controller.close()
    #expect(cache["a"] == before)
    #expect(world.pending == 0)
    cache.removeAll()
    cache.store([Note(id: "a", title: "of the next reader")])
    await world.answer(0, .success(Note(id: "a", liked: true, likes: 6)))
    #expect(cache["a"] == Note(id: "a", title: "of the next reader"))
    #expect(cache["b"] == nil)
    #expect(world.failures.isEmpty)
    world.like("a")
    await world.quiet()
    #expect(world.gate.requested.count == 1)
    #expect(cache["a"]?.liked == false)
  }
}
