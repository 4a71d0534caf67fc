import Foundation
import HTTPTransport
import Patience
import PublicationAPI
import Testing

@testable import PublicationServer

/// The queue of hashing: bounded, for all and for each client, and without work that nobody waits for.
@Suite struct PasswordHasherTests {
  /// The outcomes of guesses in the order in which they come; the gate opens once `refused` of them are there.
  private func outcomes(of clients: [String?], refused: Int) async throws -> [Bool] {
    let hasher = PasswordHasher(.none)
    let gate = HasherGate(hasher)
    return try await withThrowingTaskGroup(of: Bool.self) { group in
      for client in clients {
        group.addTask {
          do {
            return try await hasher.matches("guess", nil, client: client)
          } catch is PasswordHasher.Busy {
            return true
          }
        }
      }
      var outcomes: [Bool] = []
      if refused == 0 { gate.open() }
      for try await outcome in group {
        outcomes.append(outcome)
        if outcomes.count == refused { gate.open() }
      }
      return outcomes
    }
  }

  @Test(arguments: ["p\u{E4}ssword", "p\u{61}\u{308}ssword"])
  func bothUnicodeFormsOfAPasswordMatch(password: String) async throws {
    let hasher = PasswordHasher(.none)
    let other = password.utf8.count == 9 ? "p\u{61}\u{308}ssword" : "p\u{E4}ssword"
    let hash = try await hasher.hash(password)
    #expect(try await hasher.matches(password, hash, client: nil))
    #expect(try await hasher.matches(other, hash, client: nil))
    #expect(try await hasher.matches("password", hash, client: nil) == false)
  }

  @Test func oneClientTakesFourPlaces() async throws {
    let outcomes = try await outcomes(of: Array(repeating: "203.0.113.5", count: 20), refused: 16)
    #expect(outcomes == Array(repeating: true, count: 16) + Array(repeating: false, count: 4))
  }

  @Test func allClientsTogetherTakeThirtyTwo() async throws {
    let clients: [String?] = (0..<40).map { "203.0.113.\($0)" }
    let outcomes = try await outcomes(of: clients, refused: 8)
    #expect(outcomes == Array(repeating: true, count: 8) + Array(repeating: false, count: 32))
  }

  /// Ten clients of good standing, each with as many requests as it may have, leave places for others.
  @Test(.timeLimit(.minutes(10))) func clientsWithSeveralPlacesLeaveAQuarterOfThem() async throws {
    let hasher = PasswordHasher(.none)
    let gate = HasherGate(hasher)
    await withTaskGroup(of: Bool.self) { group in
      for client in 0..<6 {
        for _ in 0..<4 { group.addTask { (try? await hasher.matches("guess", nil, client: "eve \(client)")) != nil } }
      }
      await until { hasher.waitingCount >= 24 }
      // Four more of them have one place each, and no second one.
      for client in 6..<10 {
        group.addTask { (try? await hasher.matches("guess", nil, client: "eve \(client)")) != nil }
        await until { hasher.waitingCount >= 19 + client }
        await #expect(throws: PasswordHasher.Busy.self) { try await hasher.matches("guess", nil, client: "eve \(client)") }
      }
      for client in 0..<4 { group.addTask { (try? await hasher.matches("guess", nil, client: "other \(client)")) != nil } }
      await until { hasher.waitingCount >= 32 }
      gate.open()
      for await hasPlace in group { #expect(hasPlace) }
    }
  }

  /// Twenty-four places are for all but known clients, whoever of those comes first.
  @Test func guessersDoNotTakeThePlacesOfKnownClients() async throws {
    let hasher = PasswordHasher(.none)
    let gate = HasherGate(hasher)
    let known = await withTaskGroup(of: (PasswordHasher.Standing, Bool).self) { group in
      var (refused, taken) = (0, 0)
      for (standing, count) in [(PasswordHasher.Standing.new, 24), (.wrong, 16), (.right, 8)] {
        for place in 0..<count {
          group.addTask { (standing, (try? await hasher.matches("guess", nil, client: "\(standing) \(place)", standing: standing)) != nil) }
        }
        // Those of one standing after those of the last.
        let target = [.new: 24, .wrong: 24, .right: 32][standing] ?? 0
        await until { hasher.waitingCount >= target }
        if standing == .wrong { while refused < 16, let (_, hasPlace) = await group.next() { refused += hasPlace ? 0 : 1 } }
      }
      gate.open()
      for await (standing, hasPlace) in group where standing == .right && hasPlace { taken += 1 }
      return (refused, taken)
    }
    #expect(known == (16, 8))
  }

  /// With its right password, an account would be of good standing wherever it comes from.
  @Test func oneAccountTakesFourPlacesFromHoweverManyNetworks() async throws {
    let hasher = PasswordHasher(.none)
    let gate = HasherGate(hasher)
    let (refused, taken) = await withTaskGroup(of: Bool.self) { group in
      for network in 0..<20 {
        group.addTask { (try? await hasher.matches("guess", nil, client: "client \(network)", account: "eve@example.org")) != nil }
      }
      var refused = 0
      while refused < 16, let hasPlace = await group.next() { refused += hasPlace ? 0 : 1 }
      // Another one has a place, and so have those whom somebody else names.
      for standing in [PasswordHasher.Standing.right, .new, .wrong] {
        group.addTask {
          let account = standing == .right ? "ada@example.org" : "eve@example.org"
          return (try? await hasher.matches("guess", nil, client: "\(standing)", account: account, standing: standing)) != nil
        }
      }
      await until { hasher.waitingCount >= 7 }
      gate.open()
      return (refused, await group.reduce(0) { $0 + ($1 ? 1 : 0) })
    }
    #expect(refused == 16 && taken == 7)
  }

  @Test func thoseWhoCannotBeToldApartShareTheWholeQueue() async throws {
    #expect(try await outcomes(of: Array(repeating: nil, count: 32), refused: 0) == Array(repeating: false, count: 32))
  }

  /// Sixty clients guess that were wrong before, then others that nobody knows, then some from where Ada and Bo signed in.
  @Test func whoeverIsKnownWorseLeavesPlacesForOthers() async throws {
    let rig = try await Rig()
    @Sendable func attempt(_ number: Int, of network: Int, _ password: String = "guess") async throws -> Int {
      let email = network == 115 && number.isMultiple(of: 2) ? "bo@example.org" : "ada@example.org"
      var request = Request(.post, "/v1/session", body: try Wire.encode(Credentials(email: email, password: password)))
      request.client = "203.0.\(network).\(number)"
      return await rig.publication.handle(request).status
    }
    for number in 1...60 { #expect(try await attempt(number, of: 113) == 401) }
    for number in 1...10 { #expect(try await attempt(number, of: 115, Rig.password) == 201) }
    let gate = HasherGate(rig.publication.hasher)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for (clients, network, refused) in [(60, 113, 44), (20, 114, 12), (10, 115, 2)] {
        for number in 1...clients {
          group.addTask { try await attempt(number, of: network, network == 113 ? "guess" : Rig.password) }
        }
        for _ in 1...refused { #expect(try await group.next() == 503) }
      }
      gate.open()
      let statuses = try await group.reduce(into: []) { $0.append($1) }
      #expect(statuses.count { $0 == 401 } == 16)
      #expect(statuses.count { $0 == 201 } == 16)
    }
  }

  @Test func whatIsKnownOfAClientIsForgotten() {
    let throttle = SignInThrottle()
    func guess(_ client: Int) -> SignInThrottle.Key { SignInThrottle.Key(email: "ada@example.org", client: "\(client)") }
    throttle.failed(guess(1), at: .seconds(1))
    throttle.succeeded(guess(2), at: .seconds(1))
    #expect(throttle.standing("1", at: .seconds(900)) == .wrong)
    #expect(throttle.standing("1", at: .seconds(901)) == .new)
    #expect(throttle.standing("2", at: .seconds(86_400)) == .right)
    #expect(throttle.standing("2", at: .seconds(31 * 86_400)) == .new)
    #expect(throttle.standing("3", at: .seconds(1)) == .new)
    #expect(throttle.standing(nil, at: .seconds(1)) == .right)
    throttle.succeeded(guess(1), at: .seconds(2))
    #expect(throttle.standing("1", at: .seconds(2)) == .right)
    // However many there are, only so many are remembered, the latest of them.
    for number in 3..<25_000 { throttle.failed(guess(number), at: .seconds(3) + .microseconds(number)) }
    #expect(throttle.standing("24999", at: .seconds(4)) == .wrong)
    #expect(throttle.standing("3", at: .seconds(4)) == .new)
  }

  @Test func placesAreGivenBack() async throws {
    let hasher = PasswordHasher(.none)
    for _ in 0..<50 { #expect(try await !hasher.matches("guess", nil, client: "203.0.113.5")) }
  }

  @Test func nothingIsHashedForWhoeverLeft() async throws {
    let hasher = PasswordHasher(.none)
    let gate = HasherGate(hasher)
    let hash = try PasswordHash(of: "x", cost: .none)
    let tasks = (0..<32).map { _ in Task { try await hasher.matches("guess", hash, client: nil) } }
    for task in tasks { task.cancel() }
    gate.open()
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    #expect(try await hasher.matches("x", hash, client: nil))
  }
}
