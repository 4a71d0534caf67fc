import Foundation
import Testing

@testable import PublicationServer

/// The queue of hashing: bounded, for all and for each client, and without work that nobody waits for.
@Suite struct PasswordHasherTests {
  /// Makes the hasher's thread wait until ``open()``.
  private final class Gate: Sendable {
    // DispatchSemaphore is Sendable; it blocks the hasher's own thread only.
    private let semaphore = DispatchSemaphore(value: 0)
    init(_ hasher: PasswordHasher) { hasher.executor.post { [semaphore] in semaphore.wait() } }
    func open() { semaphore.signal() }
  }

  /// The outcomes of guesses in the order in which they come; the gate opens once `refused` of them are there.
  private func outcomes(of clients: [String?], refused: Int) async throws -> [Bool] {
    let hasher = try PasswordHasher(.none)
    let gate = Gate(hasher)
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

  @Test func oneClientTakesFourPlaces() async throws {
    let outcomes = try await outcomes(of: Array(repeating: "203.0.113.5", count: 20), refused: 16)
    #expect(outcomes == Array(repeating: true, count: 16) + Array(repeating: false, count: 4))
  }

  @Test func allClientsTogetherTakeThirtyTwo() async throws {
    let clients: [String?] = (0..<40).map { "203.0.113.\($0 / 4)" }
    let outcomes = try await outcomes(of: clients, refused: 8)
    #expect(outcomes == Array(repeating: true, count: 8) + Array(repeating: false, count: 32))
  }

  @Test func thoseWhoCannotBeToldApartShareTheWholeQueue() async throws {
    #expect(try await outcomes(of: Array(repeating: nil, count: 32), refused: 0) == Array(repeating: false, count: 32))
  }

  @Test func placesAreGivenBack() async throws {
    let hasher = try PasswordHasher(.none)
    for _ in 0..<50 { #expect(try await !hasher.matches("guess", nil, client: "203.0.113.5")) }
  }

  @Test func nothingIsHashedForWhoeverLeft() async throws {
    let hasher = try PasswordHasher(.none)
    let gate = Gate(hasher)
    let hash = try PasswordHash(of: "x", cost: .none)
    let tasks = (0..<32).map { _ in Task { try await hasher.matches("guess", hash, client: nil) } }
    for task in tasks { task.cancel() }
    gate.open()
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    #expect(try await hasher.matches("x", hash, client: nil))
  }
}
