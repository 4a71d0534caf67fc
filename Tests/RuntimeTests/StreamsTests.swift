import Runtime
import Testing

@Suite struct StreamsTests {
  @Test func allGivesEveryValueFromHereOn() async {
    let streams = Streams<Int>()
    streams.tell { 0 }
    var one = streams.all().makeAsyncIterator()
    for value in 1...3 { streams.tell { value } }
    #expect(await one.next() == 1)
    #expect(await one.next() == 2)
    #expect(await one.next() == 3)
  }

  @Test func newestStartsWithThePresentValueAndSkips() async {
    let streams = Streams<Int>()
    var one = streams.newest { 7 }.makeAsyncIterator()
    #expect(await one.next() == 7)
    for value in 1...3 { streams.tell { value } }
    #expect(await one.next() == 3)
  }

  @Test func eachListenerHasItsOwn() async {
    let streams = Streams<Int>()
    var one = streams.all().makeAsyncIterator()
    var other = streams.all().makeAsyncIterator()
    streams.tell { 1 }
    #expect(await one.next() == 1)
    #expect(await other.next() == 1)
  }

  @Test(.timeLimit(.minutes(1))) func tellingDoesNotWaitForOneThatIsBeingCancelled() async {
    let streams = Streams<Int>()
    for _ in 0..<2000 {
      let reader = Task { for await _ in streams.all() {} }
      await withTaskGroup { group in
        group.addTask { for value in 0..<20 { streams.tell { value } } }
        group.addTask { reader.cancel() }
      }
      await reader.value
    }
  }

  @Test func whoeverHasEndedIsNotTold() async {
    let streams = Streams<Int>()
    let reader = Task { for await _ in streams.all() {} }
    reader.cancel()
    await reader.value
    streams.tell { 1 }
    streams.tell {
      Issue.record("nobody listens")
      return 2
    }
  }

  @Test func streamsEndWithTheirOwner() async {
    var streams: Streams<Int>? = Streams()
    var one = streams?.all().makeAsyncIterator()
    streams = nil
    #expect(await one?.next() == nil)
  }
}
