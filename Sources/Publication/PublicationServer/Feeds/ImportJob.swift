import Foundation
import HTTPTransport
import PublicationAPI
import Synchronization

/// One import under way: its progress, and whether it is still wanted. From any thread.
final class ImportJob: Sendable {
  private struct State {
    var report: Import
    var session: SessionFamily.ID?
    var isCancelled = false
    var task: Task<Void, Never>?
    var ended: Response?
  }

  let reader: Reader.ID
  /// The reader who follows the clubs that it stores, in the same step: people add a feed to read it.
  let follower: Reader.ID?
  private let state: Mutex<State>

  /// - Parameters:
  ///   - session: which one it was started in.
  ///   - follows: whether the reader follows what it stores.
  init(_ id: Import.ID, reader: Reader.ID, session: SessionFamily.ID?, follows: Bool) {
    self.reader = reader
    follower = follows ? reader : nil
    state = Mutex(State(report: Import(id: id), session: session))
  }

  /// The session that it was started in, while that lasts.
  var session: SessionFamily.ID? { state.withLock { $0.session } }

  func sessionEnded(_ session: SessionFamily.ID) { state.withLock { if $0.session == session { $0.session = nil } } }

  /// How far it is.
  var report: Import { state.withLock { $0.report } }

  /// The response with the report. The report of an import that has ended may list ten thousand clubs, so it is encoded once.
  func answer() throws -> Response {
    if let ended = state.withLock({ $0.ended }) { return ended }
    return try .json(report)
  }

  /// Says how far it is.
  /// - Throws: `CancellationError` when it is not wanted any more.
  func advance(_ step: Import.Step, done: Int = 0, of total: Int = 0) throws {
    let isCancelled = state.withLock { state in
      (state.report.step, state.report.done, state.report.total) = (step, done, total)
      return state.isCancelled
    }
    if isCancelled { throw CancellationError() }
  }

  var isRunning: Bool { state.withLock { $0.report.state == .running } }

  /// Whether it is not wanted any more.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func name(_ title: String) { state.withLock { $0.report.title = title.shortened } }

  /// Runs `work`, which returns the clubs that it filled.
  func run(_ work: @escaping @Sendable (ImportJob) async throws -> [FanClub.ID]) {
    let task = Task {
      let outcome: Result<[FanClub.ID], any Error>
      do { outcome = .success(try await work(self)) } catch { outcome = .failure(error) }
      self.end(outcome)
    }
    state.withLock { $0.task = task }
  }

  /// Returns once it is over.
  func ended() async { await state.withLock { $0.task }?.value }

  /// It is not wanted any more.
  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }

  private func end(_ outcome: Result<[FanClub.ID], any Error>) {
    state.withLock { state in
      state.task = nil
      switch outcome {
      case .success(let clubs):
        state.report.state = .done
        state.report.clubs = clubs
      case .failure(let error) where error is CancellationError || state.isCancelled: state.report.state = .cancelled
      case .failure(let error):
        state.report.state = .failed
        state.report.problem = Publication.sentence(of: error)
        state.report.choices = (error as? FeedFetcher.Several)?.feeds.map { Import.Choice(url: $0.url, title: $0.title.shortened) }
      }
    }
    // Not while others wait for the lock.
    let ended = try? Response.json(report)
    state.withLock { $0.ended = ended }
  }
}

/// The imports of readers: those under way, and how some others ended. Forgotten when the process ends.
final class ImportDesk: Sendable {
  private static let mostOfAReader = 3
  /// The most that are remembered of each reader, so that one who starts many does not push out those of others.
  private static let mostEnded = 100
  private static let path = APIPath.feedImport("").target
  private let jobs = Mutex<[ImportJob]>([])
  private let uploads = Mutex<[Upload]>([])

  /// A document on its way.
  private struct Upload {
    let number: Int
    let id: Import.ID
    let reader: Reader.ID
  }

  /// Takes a document on whose head is there: it counts from now on.
  /// - Throws: `Problem` when the reader has too many under way.
  func place(for id: Import.ID, of reader: Reader.ID) throws(Problem) -> UploadPlace {
    let id = UUID(uuidString: id)?.uuidString ?? id
    let number = uploads.withLock { uploads -> Int? in
      // One whose answer was lost is sent again.
      guard uploads.count(where: { $0.reader == reader }) + running(of: reader, but: id) < Self.mostOfAReader else { return nil }
      let number = (uploads.last?.number ?? 0) + 1
      uploads.append(Upload(number: number, id: id, reader: reader))
      return number
    }
    guard let number else { throw Self.tooMany }
    return UploadPlace { [weak self] in self?.uploads.withLock { $0.removeAll { $0.number == number } } }
  }

  private func running(of reader: Reader.ID, but id: Import.ID) -> Int {
    jobs.withLock { jobs in jobs.count { $0.reader == reader && $0.report.id != id && $0.report.state == .running } }
  }

  private static let tooMany = Problem(
    code: .tooManyAttempts, title: "Several feeds are being added already. Wait until they are there.", status: 429)

  /// Takes an import on.
  /// - Throws: `Problem` when the reader has too many under way.
  func take(_ job: ImportJob) throws(Problem) {
    let id = job.report.id
    // Its own document is there by now.
    let coming = uploads.withLock { uploads in uploads.count { $0.reader == job.reader && $0.id != id } }
    let isTaken = jobs.withLock { jobs in
      let running = jobs.count { $0.reader == job.reader && $0.report.state == .running }
      guard running + coming < Self.mostOfAReader else { return false }
      if jobs.count(where: { $0.reader == job.reader }) >= Self.mostEnded,
        let oldest = jobs.firstIndex(where: { $0.reader == job.reader && $0.report.state != .running })
      {
        jobs.remove(at: oldest)
      }
      jobs.append(job)
      return true
    }
    guard isTaken else { throw Self.tooMany }
  }

  func job(_ id: Import.ID, of reader: Reader.ID) -> ImportJob? {
    let id = UUID(uuidString: id)?.uuidString
    return jobs.withLock { jobs in jobs.first { $0.report.id == id && $0.reader == reader } }
  }

  /// Answers a request that reads the state of an import, or cancels it, before the queue of the publication's thread, which may be storing
  /// that import.
  /// - Returns: the progress of the import; `nil` for a request that is answered in its turn, such as one that cancels.
  func overtake(_ request: Request, _ sessions: SessionCache, at time: Int64) -> Response? {
    guard request.method == .get || request.method == .delete, request.path.hasPrefix(Self.path),
      let session = (try? Publication.tokenDigest(request)).flatMap({ sessions.session($0, at: time) })
    else { return nil }
    let id = UUID(uuidString: String(request.path.dropFirst(Self.path.count)))?.uuidString
    guard let job = jobs.withLock({ jobs in jobs.first { $0.report.id == id && $0.session == session } }) else { return nil }
    // Of one that has ended it may be long, and waits for its turn.
    guard request.method == .delete else { return job.isRunning ? try? job.answer() : nil }
    job.cancel()
    return nil
  }

  /// Sessions that are over overtake nothing.
  func endSessions(_ sessions: [SessionFamily.ID]) {
    let jobs = jobs.withLock { $0 }
    for session in sessions { for job in jobs { job.sessionEnded(session) } }
  }

  /// Cancels all.
  func cancel() {
    for job in jobs.withLock({ $0 }) { job.cancel() }
  }

  /// Cancels and forgets all.
  func close() async {
    cancel()
    for job in jobs.withLock({ $0 }) { await job.ended() }
    jobs.withLock { $0 = [] }
  }
}

/// A reader's document that is being received: it counts among that reader's imports as long as there is a reference to this.
public final class UploadPlace: Sendable {
  private let left: @Sendable () -> Void

  /// - Parameter left: called once, when the last reference is gone; on any thread.
  public init(left: @escaping @Sendable () -> Void) { self.left = left }

  deinit { left() }
}
