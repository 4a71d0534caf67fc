import AccountFeature
import ContentCache
import FeatureFlags
import Foundation
import PublicationAPI
import ReaderContent
import Runtime

/// Counts what one reader does in the app, where they agreed to that: the second reader of ``AppEvents``. Isolated to the main actor.
///
/// Nothing is written down before the reader agreed, and what was not delivered when they change their mind is dropped.
@MainActor final class Analytics {
  /// What is remembered from one run to the next.
  struct Memory: Codable, Equatable, Sendable {
    /// What the reader chose.
    var choice = AnalyticsChoice.none
    /// What is delivered now. It keeps its identifier until that succeeds, so that nothing is counted twice.
    var batch: AnalyticsBatch?
    /// What is delivered after that, oldest first.
    var waiting: [AnalyticsEvent] = []
  }

  /// Takes a batch.
  typealias Sink = @Sendable (AnalyticsBatch) async throws -> Void

  /// What the reader chose.
  let choice: LastValue<AnalyticsChoice>
  private let user: String
  private let sinks: [AnalyticsChoice: Sink]
  private let environment: AppEnvironment
  private let persist: @MainActor (Memory) -> Void
  private var memory: Memory { didSet { if memory != oldValue { persist(memory) } } }
  private var pausing: Task<Void, Never>?
  private var delivering: Task<Void, Never>?
  /// Whether it was reported that the file cannot be written.
  private var hasReported = false

  /// How long to wait for more, so that a request has several.
  static let pause = Duration.seconds(10)
  /// What happens without a network for longer is not counted.
  static let limit = 1000

  /// - Parameters:
  ///   - user: who reads.
  ///   - memory: what an earlier run knew.
  ///   - sinks: what delivers, by choice.
  ///   - persist: called with each change of the memory.
  init(
    of user: String, memory: Memory, sinks: [AnalyticsChoice: Sink], environment: AppEnvironment,
    persist: @escaping @MainActor (Memory) -> Void
  ) {
    self.user = user
    self.memory = memory
    self.sinks = sinks
    self.environment = environment
    self.persist = persist
    choice = LastValue(sinks[memory.choice] == nil ? .none : memory.choice)
  }

  isolated deinit { pausing?.cancel() }

  /// Delivers what an earlier run left.
  func resume() { deliverSoon() }

  /// The reader made another choice.
  func choose(_ choice: AnalyticsChoice) {
    guard choice == .none || sinks[choice] != nil else { return }
    pausing?.cancel()
    pausing = nil
    memory = Memory(choice: choice)
    self.choice.value = choice
  }

  /// Returns when what happened is in the file, where the reader chose that; the publication is told after the next start.
  func finish() async { if choice.value == .file { await deliver() } }

  /// Something happened.
  func record(_ event: AppEvent) {
    guard choice.value != .none, event.name.uses.contains(.analytics) else { return }
    // Another reader's payment may end while this one reads.
    if let transaction = event.transaction, transaction.user != user { return }
    let detail = event.detail.map { $0.lowercased() }.map { FlagRule.isName($0) ? $0 : "other" }
    memory.waiting.append(AnalyticsEvent(name: event.name.rawValue, detail: detail, date: event.date))
    if memory.waiting.count > Self.limit { memory.waiting.removeFirst() }
    deliverSoon()
  }

  private func deliverSoon() {
    guard pausing == nil, memory.batch != nil || !memory.waiting.isEmpty else { return }
    pausing = Task { [weak self, environment] in
      guard (try? await environment.effects.sleep("analytics.pause", for: Self.pause, on: environment.clock)) != nil else { return }
      guard let self, !Task.isCancelled else { return }
      pausing = nil
      await deliver()
    }
  }

  /// Delivers all that there is, in its order. What gets no answer is delivered after the next event, or at the next start.
  private func deliver() async {
    await delivering?.value
    let task = Task { [weak self] in
      while let self, let sink = sinks[choice.value], let batch = nextBatch() {
        do { try await environment.effects.run("analytics.deliver") { try await sink(batch) } } catch {
          guard RequestError.isAnswer(error) else {
            // A publication that cannot be reached is nothing to tell.
            if choice.value == .file, !hasReported {
              environment.report("What is counted cannot be written down. \(error.localizedDescription)")
              hasReported = true
            }
            return
          }
          // To deliver it again would change nothing, and would hold up what comes later.
          environment.report("What was counted is not taken. \(error.localizedDescription)")
        }
        // The reader may have made another choice meanwhile.
        if memory.batch == batch { memory.batch = nil }
      }
    }
    delivering = task
    await task.value
  }

  private func nextBatch() -> AnalyticsBatch? {
    if let batch = memory.batch { return batch }
    guard !memory.waiting.isEmpty else { return nil }
    var next = memory
    let batch = AnalyticsBatch(
      id: environment.identifiers.next().uuidString, events: Array(next.waiting.prefix(AnalyticsBatch.limit)))
    next.waiting.removeFirst(batch.events.count)
    next.batch = batch
    memory = next
    return batch
  }
}

/// Events in a file of the reader's own, a line of JSON each, oldest first.
package struct AnalyticsFile: Sendable {
  let path: String
  private let limit: Int

  /// - Parameters:
  ///   - path: where it is.
  ///   - limit: how long it may become, in bytes; the older half is dropped then.
  package init(path: String, limit: Int = 1 << 20) {
    self.path = path
    self.limit = limit
  }

  /// Appends a batch: all of it, or nothing.
  /// - Throws: `CocoaError`, `EncodingError`.
  package func append(_ batch: AnalyticsBatch) throws {
    let newline = UInt8(ascii: "\n")
    var text = FileManager.default.contents(atPath: path) ?? Data()
    if text.count > limit {
      text = text.dropFirst(text.count / 2)
      text = text.dropFirst(text.firstIndex(of: newline).map { $0 + 1 - text.startIndex } ?? 0)
    }
    for event in batch.events { text += try Wire.encode(event) + [newline] }
    try PrivateFile.write(Data(text), to: path)
  }
}
