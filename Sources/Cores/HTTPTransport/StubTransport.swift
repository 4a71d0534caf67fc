import Foundation
import Runtime
import Synchronization

/// Answers requests from a file that a tester writes, and passes the others on: for a feature whose backend is not there yet.
///
/// The file is read again when it was saved: at the next request, and once a second. After a faulty save the rules stay as they were, and
/// ``State/failure`` says where the fault is. Safe from any thread.
public final class StubTransport: Transport {
  /// A request that was answered here.
  public struct Answered: Equatable, Sendable, Identifiable {
    /// 1 for the first.
    public let id: Int
    /// When it arrived.
    public let date: Date
    /// Its method and target.
    public let request: String
    /// What it was answered.
    public let status: Int
    /// The line of the rule.
    public let line: Int
  }

  /// What a tester panel shows.
  public struct State: Equatable, Sendable {
    /// The rules that are in force.
    public var rules: [StubAnswers.StubRule]
    /// Why the file as it is now is not in force.
    public var failure: LocatedJSON.Failure?
    /// What was answered, the oldest first; the last 200.
    public var answered: [Answered] = []
  }

  private struct Core: Sendable {
    var state: State
    /// How many requests each rule matched.
    var matches: [Int]
    var count = 0
    /// The files as they were read last, by path.
    var stamps: [String: String?]
  }

  private let wrapped: any Transport
  private let path: String
  private let files: StubAnswerFiles
  private let clock: any AppClock
  private let core: Mutex<Core>
  private let states = Streams<State>()
  private let executor = ThreadExecutor(name: "stub-answers")
  private let watch = Mutex<Task<Void, Never>?>(nil)

  /// - Parameters:
  ///   - wrapped: answers what the file does not.
  ///   - file: the path of the file; read here.
  ///   - clock: what delays wait on, and what the file is looked at by.
  ///   - files: how files are read, and how a save is noticed.
  /// - Throws: `LocatedJSON.Failure`, also for a file that cannot be read.
  public init(_ wrapped: any Transport, file: String, clock: any AppClock, files: StubAnswerFiles = .onDisk) throws(LocatedJSON.Failure) {
    self.wrapped = wrapped
    path = file
    self.files = files
    self.clock = clock
    let (answers, stamps) = try Self.load(file, files)
    core = Mutex(
      Core(state: State(rules: answers.rules), matches: Array(repeating: 0, count: answers.rules.count), stamps: stamps))
    let task = Task { [weak self, clock] in
      while (try? await clock.sleep(for: .seconds(1))) != nil, let self { await reload() }
    }
    watch.withLock { $0 = task }
  }

  deinit { watch.withLock { $0?.cancel() } }

  /// What a tester panel shows.
  public var state: State { core.withLock { $0.state } }
  /// What a tester panel shows, now and after each change. A new stream for each caller, which skips to the newest.
  public func stateStream() -> AsyncStream<State> { states.newest { state } }

  private static func load(_ path: String, _ files: StubAnswerFiles) throws(LocatedJSON.Failure) -> (StubAnswers, [String: String?]) {
    // Looked at first: what is saved while it is read is read again.
    var stamps = [path: files.stamp(path)]
    let json: Data
    do { json = try files.read(path) } catch { throw LocatedJSON.Failure(file: path, unreadable: error) }
    let answers = try StubAnswers(json: json, path: path, files: files)
    for file in answers.bodyFiles { stamps[file] = files.stamp(file) }
    return (answers, stamps)
  }

  /// Reads the file again if it, or a body file, was saved since; always while it is faulty, since a body may be missing.
  public func reload() async {
    let (before, failed) = core.withLock { ($0.stamps, $0.state.failure) }
    // The thread throws nothing: failures are values here.
    let loaded: Result<(StubAnswers, [String: String?]), LocatedJSON.Failure>? = try? await executor.run { [path, files] in
      guard failed != nil || before.contains(where: { files.stamp($0.key) != $0.value }) else { return nil }
      do throws(LocatedJSON.Failure) { return .success(try Self.load(path, files)) } catch { return .failure(error) }
    }
    guard let loaded else { return }
    let isNews = core.withLock { core in
      switch loaded {
      case .success((let answers, let stamps)):
        core.stamps = stamps
        let isNews = core.state.failure != nil || core.state.rules != answers.rules
        core.state.failure = nil
        // Sequences begin again, unless only the file's formatting has changed.
        if core.state.rules != answers.rules { core.matches = Array(repeating: 0, count: answers.rules.count) }
        core.state.rules = answers.rules
        return isNews
      case .failure(let failure):
        defer { core.state.failure = failure }
        return core.state.failure != failure
      }
    }
    if isNews { states.tell { state } }
  }

  /// Answers by the first rule that matches, or passes the request on.
  /// - Throws: what the wrapped transport throws; `CancellationError`, also out of a delay.
  public func send(_ request: Request) async throws -> Response {
    await reload()
    let now = clock.now
    let answer: StubAnswers.Answer? = core.withLock { core in
      for (index, rule) in core.state.rules.enumerated() where rule.matches(request) {
        core.matches[index] += 1
        guard let answer = rule.answer(core.matches[index] - 1) else { continue }
        core.count += 1
        core.state.answered.append(
          Answered(
            id: core.count, date: now, request: "\(request.method.rawValue) \(request.target)", status: answer.response.status,
            line: rule.line))
        if core.state.answered.count > 200 { core.state.answered.removeFirst() }
        return answer
      }
      return nil
    }
    guard let answer else { return try await wrapped.send(request) }
    states.tell { state }
    if answer.delay > 0 { try await clock.sleep(for: .seconds(answer.delay)) }
    return answer.response
  }
}
