import Foundation
import HTTPTransport
import Testing

@testable import PublicationListener

/// Which connection gives its place up.
@Suite struct ConnectionsTests {
  /// Connections with other ends that see whether they were ended. There are forty places, and three of them are kept free.
  private final class Places {
    let connections: Connections
    private var descriptors: [(own: Int32, other: Int32)] = []
    var uptime = Duration.seconds(100)

    init() {
      var limits = Listener.Limits()
      limits.connections = 40
      limits.unsent = 100 << 20
      connections = Connections(limits: limits)
    }

    deinit {
      for pair in descriptors {
        close(pair.own)
        close(pair.other)
      }
    }

    /// - Returns: its number.
    @discardableResult func open(_ client: String? = nil) -> Int {
      var pair: [Int32] = [-1, -1]
      socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
      descriptors.append((pair[0], pair[1]))
      connections.opened(name(descriptors.count), descriptor: pair[0], client: client, at: uptime)
      return descriptors.count
    }

    func name(_ number: Int) -> OpaquePointer { OpaquePointer(bitPattern: number)! }

    func enter(_ phase: Connections.Phase, _ number: Int) {
      connections.enter(phase, name(number), exchange: Exchange(target: "/"), limit: 65_000, at: uptime)
    }

    /// Whether it may be sent that many MiB, which it is then.
    func send(_ size: Int, _ number: Int) -> Bool {
      guard connections.mayBuffer(size << 20, name(number), at: uptime) else { return false }
      enter(.sending, number)
      return true
    }

    /// Puts a short answer on its way to the other end, which does not read it for a second and a half.
    func answer(_ number: Int) {
      enter(.answering, number)
      _ = Glibc.send(descriptors[number - 1].own, "answer", 6, Int32(MSG_NOSIGNAL))
      enter(.sending, number)
      uptime += .seconds(1.5)
    }

    /// The other end reads what is there.
    /// - Returns: 0 when the connection was ended.
    @discardableResult func read(_ number: Int) -> Int {
      var bytes = [UInt8](repeating: 0, count: 100)
      var count = 0
      repeat { count = recv(descriptors[number - 1].other, &bytes, bytes.count, Int32(MSG_DONTWAIT)) } while count > 0
      return count
    }

    /// The numbers of those that were ended.
    var ended: [Int] {
      descriptors.indices.filter { read($0 + 1) == 0 }.map { $0 + 1 }
    }
  }

  @Test(arguments: [(1024, 512), (624, 512), (623, 511), (128, 16), (100, 4), (0, 4), (Int.max, 512)])
  func thereAreAsManyPlacesAsFilesMayBeOpen(files: Int, places: Int) {
    #expect(Listener.Limits().connections(withFiles: files) == places)
  }

  @Test func theSystemTellsHowManyFilesMayBeOpen() throws {
    let limits = try String(contentsOfFile: "/proc/self/limits", encoding: .utf8)
    let told = try #require(limits.firstMatch(of: /Max open files\s+(\d+|unlimited)/)).1
    #expect(Listener.Limits.openFiles == Int(told) ?? .max)
  }

  @Test func theOldestHeadGoesFirst() {
    let places = Places()
    for _ in 1...37 {
      places.open()
      places.uptime += .milliseconds(10)
    }
    #expect(places.ended.isEmpty)
    places.open()
    #expect(places.ended == [1])
    places.open()
    #expect(places.ended == [1, 2])
  }

  /// As a body has more time the longer it is.
  @Test func aLargeAnswerMayTakeLonger() {
    let places = Places()
    for (number, bytes) in [(1, 45_000_000), (2, 1000)] {
      places.open()
      #expect(places.connections.mayBuffer(bytes, places.name(number), at: places.uptime))
      places.enter(.sending, number)
    }
    places.uptime += Listener.Limits().bodyTime + .seconds(1)
    _ = places.connections.sweep(at: places.uptime)
    #expect(places.ended == [2])
    places.uptime += .seconds(45_000_000 / 65_536)
    _ = places.connections.sweep(at: places.uptime)
    #expect(places.ended == [1, 2])
  }

  @Test(arguments: [2, 60_000]) func aYoungHeadOutlastsABodyThatStopped(bytes: Int) {
    let places = Places()
    for number in 1...37 {
      places.open()
      places.enter(.body, number)
      places.connections.received(bytes, places.name(number))
    }
    places.uptime += .seconds(1)
    let young = places.open()
    places.uptime += .milliseconds(400)
    for _ in 1...20 { places.open() }
    #expect(places.ended.count == 21)
    #expect(!places.ended.contains(young))
  }

  @Test func aBodyThatComesOutlastsOneThatStopped() {
    let places = Places()
    for number in 1...37 {
      places.open()
      places.enter(.body, number)
    }
    places.uptime += .seconds(10)
    for number in 1...30 { places.connections.received(1_000_000, places.name(number)) }
    for _ in 1...7 { places.open() }
    #expect(places.ended == Array(31...37))
  }

  /// A byte now and then is no reason for more time.
  @Test func aBodyThatDripsHasOneDeadline() {
    let places = Places()
    places.open()
    places.enter(.body, 1)
    for (seconds, ended) in [(30, []), (30, []), (1, [1])] {
      places.connections.received(1, places.name(1))
      places.uptime += .seconds(seconds)
      _ = places.connections.sweep(at: places.uptime)
      #expect(places.ended == ended)
    }
  }

  @Test func anAnswerKeepsItsPlaceWhileItAdvances() {
    let places = Places()
    places.open()
    places.enter(.answering, 1)
    places.open()
    places.enter(.sending, 2)
    places.uptime += .seconds(4)
    for _ in 1...60 {
      places.open()
      places.uptime += .milliseconds(10)
    }
    #expect(places.ended == Array(3...27))
    // Nothing of the second one was taken for five seconds.
    places.uptime += .seconds(5)
    places.open()
    #expect(places.ended == Array(2...27))
  }

  /// A client that asks for much at once and reads little does not begin anew with each answer. One that reads before it asks does.
  @Test(arguments: [false, true]) func anAnswerAfterUnreadOnesIsNoNewStart(reads: Bool) {
    let places = Places()
    places.open()
    for _ in 1...5 {
      places.answer(1)
      if reads { places.read(1) }
      places.enter(.head, 1)
    }
    places.enter(.answering, 1)
    places.enter(.sending, 1)
    for number in 2...37 {
      places.open()
      places.enter(.answering, number)
    }
    places.open()
    #expect(places.ended == (reads ? [] : [1]))
  }

  @Test func answersThatAreNotReadHaveOneDeadline() {
    let places = Places()
    places.open()
    for _ in 1...45 {
      places.answer(1)
      _ = places.connections.sweep(at: places.uptime)
      places.enter(.head, 1)
    }
    #expect(places.ended == [1])
  }

  @Test func aClientHasAQuarterOfThePlaces() {
    let places = Places()
    for _ in 1...5 { places.open("203.0.113.5") }
    places.uptime += .seconds(1)
    for _ in 1...10 { places.open("2001:db8::/64") }
    #expect(places.ended.isEmpty)
    places.enter(.answering, 6)
    places.open("2001:db8::/64")
    #expect(places.ended.count == 1)
    #expect(!places.ended.contains { $0 < 7 })
    // Those whom nothing tells apart are not limited so.
    for _ in 1...15 { places.open() }
    #expect(places.ended.count == 1)
  }

  @Test func aClientWhoseRequestsAreAllAnsweredGetsNoMore() {
    let places = Places()
    for number in 1...10 {
      places.open("203.0.113.5")
      places.enter(.answering, number)
    }
    places.open("203.0.113.5")
    #expect(places.ended == [11])
  }

  @Test func aClientHasAQuarterOfWhatWaitsToBeSent() {
    let places = Places()
    for client in ["203.0.113.5", "203.0.113.5", "2001:db8::/64", "203.0.113.5"] { places.open(client) }
    #expect(places.send(20, 1))
    #expect(!places.send(20, 2))
    #expect(places.send(40, 3), "one answer may be larger than that")
    #expect(places.send(1, 2), "a small one always may")
    places.enter(.head, 1)
    #expect(places.send(20, 4))
    #expect(places.ended.isEmpty)
  }

  @Test func whoTakesNothingOfALargeAnswerGivesWayToAnother() {
    let places = Places()
    for _ in 1...4 { places.open() }
    #expect(places.send(50, 1))
    places.uptime += .seconds(4)
    #expect(places.send(40, 2))
    #expect(!places.send(20, 3))
    #expect(places.ended.isEmpty)
    places.uptime += .seconds(2)
    #expect(!places.send(80, 3), "the second one has its time still")
    #expect(places.ended.isEmpty)
    #expect(places.send(20, 3))
    #expect(places.ended == [1])
    places.uptime += .seconds(10)
    #expect(places.send(90, 4))
    #expect(places.ended == [1, 2, 3])
  }
}
