import FeedFormats
import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import SQLiteStorage

/// Feeds that readers add, and fetch before their time.
struct ImportResource {
  let content: any ContentRepository
  let feeds: any FeedRepository
  /// `nil` when the publication fetches no feeds.
  let service: FeedService?
  let desk: ImportDesk
  let work: ImportWork
  let identifiers: any IdentifierSource

  /// Starts an import under the client's identifier: a repeated request starts no second one.
  nonisolated(nonsending) func start(_ call: Call, _ request: ImportRequest?) async throws -> Response {
    let service = try readersService()
    guard let id = UUID(uuidString: call.parameter)?.uuidString else {
      throw Problem.badRequest("The identifier of an import is a UUID.")
    }
    if let earlier = desk.job(id, of: try call.signedIn.id) { return try .json(earlier.report) }
    let url = try request.map { request in
      guard let url = FeedAddress.typed(request.url) else {
        throw Problem.badRequest("“\(request.url.prefix(200))” is no http or https address.")
      }
      return url
    }
    try work.limits.startImport(of: call.signedIn.id, at: work.clock.unixTime)
    try await checkTotal(of: call.signedIn.id)
    if let url {
      return try run(id, call, follows: true) { [work] in try await work.importDocument(at: url, service, $0) }
    }
    let data = call.request.body
    // A feed without a name is called by it.
    let written = String((call.query(.name) ?? "").visibleText.prefix(200))
    let name = written.isEmpty ? "document" : written
    guard !data.isEmpty else { throw Problem.badRequest("A document is missing.") }
    return try run(id, call, follows: true) { [work] in try await work.importDocument(data, named: name, $0) }
  }

  /// Those of feeds that are removed are passed by every list until they are gone, and each club is in the list of all.
  /// - Throws: `Problem` for a reader whose feeds are too many, or have too many posts or too much text.
  private nonisolated(nonsending) func checkTotal(of reader: Reader.ID) async throws {
    let added = try await feeds.added(by: reader)
    guard added.feeds < ImportLimits.mostFeedsInAll else {
      throw Problem.conflict("You have added \(ImportLimits.mostFeedsInAll) feeds or more. Remove one of them first.")
    }
    if let limit = added.limit(>=) {
      throw Problem.conflict("The feeds that you added have \(limit) or more. Remove one of them first.")
    }
  }

  func progress(_ call: Call) throws -> Response { try job(call).answer() }

  /// Answers once the outcome of the import is clear: a cancel may come too late.
  nonisolated(nonsending) func cancel(_ call: Call) async throws -> Response {
    let job = try job(call)
    job.cancel()
    await job.ended()
    return try .json(job.report)
  }

  /// Fetches a club's feed now, unless it was fetched a moment ago. Any reader may request that, a limited number of times an hour: a
  /// reader chose the address.
  nonisolated(nonsending) func refresh(_ call: Call) async throws -> Response {
    let id = call.parameter
    guard try await content.fanClub(id, for: call.signedIn.id) != nil else { throw Problem.notFound("fan club") }
    guard let service, let feed = try await feeds.feed(of: id) else {
      throw Problem(code: .notOffered, title: "This fan club has no feed that is fetched here.", status: 404)
    }
    return try run(identifiers.next().uuidString, call, follows: false, named: feed.name) { [work] job in
      try await work.refresh(feed, service, job.reader)
      return [id]
    }
  }

  /// How feeds are fetched that readers add.
  /// - Throws: `Problem` where they cannot add any.
  @discardableResult func readersService() throws -> FeedService {
    guard let service, service.readersMayAdd else {
      throw Problem(code: .notOffered, title: "Readers cannot add feeds to this publication.", status: 404)
    }
    return service
  }

  private func job(_ call: Call) throws -> ImportJob {
    guard let job = desk.job(call.parameter, of: try call.signedIn.id) else { throw Problem.notFound("import") }
    return job
  }

  private func run(
    _ id: Import.ID, _ call: Call, follows: Bool, named name: String = "",
    _ step: @escaping @Sendable (ImportJob) async throws -> [FanClub.ID]
  ) throws -> Response {
    let job = ImportJob(id, reader: try call.signedIn.id, session: call.session, follows: follows)
    try desk.take(job)
    // In the first answer already.
    job.name(name)
    job.run { [log = work.log] job in
      do { return try await step(job) } catch {
        log.feed(error)
        throw error
      }
    }
    return try .json(job.report, status: 202)
  }
}

/// What an import does once it was admitted, in a task of its own.
struct ImportWork: Sendable {
  let reader: FeedReader
  let limits: ImportLimits
  let clock: any AppClock
  let log: OperatorLog
  /// See ``Publication/store(_:as:_:)``.
  let store: @Sendable (FeedDocument, FeedOrigin, ImportJob) async throws -> [FanClub.ID]
  /// See ``Publication/refreshNow(_:_:for:)``.
  let refresh: @Sendable (StoredFeed, FeedService, Reader.ID) async throws -> Void

  func importDocument(at url: String, _ service: FeedService, _ job: ImportJob) async throws -> [FanClub.ID] {
    let (document, origin) = try await service.fetcher.find(url, job)
    try count(document, named: origin.version?.url ?? url, job)
    return try await store(document, origin, job)
  }

  func importDocument(_ data: Data, named name: String, _ job: ImportJob) async throws -> [FanClub.ID] {
    try job.advance(.reading)
    let document = try await reader.run(data.count) { try FeedParser.document(data, source: name, limit: Import.documentLimit) }
    try count(document, named: name, job)
    // Many feeds have a file of the same name; its home distinguishes them. A reader's upload never changes another reader's feed of the
    // same name.
    var home = ""
    if case .feed(let feed) = document { home = feed.homeURL ?? feed.title }
    return try await store(document, FeedOrigin(source: "\(job.reader)\n\(name)\n\(home)", name: name), job)
  }

  /// - Throws: `Problem` for more than a reader may import.
  private func count(_ document: FeedDocument, named name: String, _ job: ImportJob) throws(Problem) {
    try document.checkSize(name)
    let now = clock.unixTime
    if case .outline(let outline) = document { try limits.add(feeds: outline.feeds.count, of: job.reader, at: now) }
    limits.add(bytes: document.bytes, of: job.reader, at: now)
  }
}

extension Publication {
  /// What a request may carry, judged by its head.
  public enum Admission: Sendable {
    /// A body of at most so many bytes. It counts against the limits as long as there is a reference to it.
    case body(limit: Int, place: UploadPlace? = nil)
    /// Nothing: this is the answer to any body.
    case refused(Response)
  }

  /// The largest body that a request with that head may have, in bytes. A listener calls ``admit(_:)`` before it reads one that is larger
  /// than usual.
  public nonisolated func bodyLimit(_ head: Request) -> Int { router.bodyLimit(head) }

  /// Decides by a request's head how large its body may be, so that only readers who may import something now can fill the disk.
  public func admit(_ head: Request) async -> Admission {
    do {
      try importResource.readersService()
      let reader = try await sessionResource.authenticate(head).reader.id
      let id = head.path.split(separator: "/").last.map(String.init) ?? ""
      return .body(limit: router.bodyLimit(head), place: try imports.place(for: id, of: reader))
    } catch {
      return .refused(response(to: head, after: error))
    }
  }

  /// What went wrong, for the reader.
  static func sentence(of error: any Error) -> String {
    switch error {
    case let error as FeedError: error.description
    case let error as FeedFetcher.Failure: error.description
    case let error as FeedFetcher.Several: error.description
    case let error as FeedReader.Busy: error.description
    case let problem as Problem: problem.title
    case let error as SQLiteError where error.code == .full: "The publication has no room left, and nothing of this was stored."
    case let error as SQLiteError where error.code == .busy:
      "Another program has the publication’s database locked, so it could not be stored. Try again in a moment."
    case is SQLiteError: "Something broke in the publication, and it could not be stored. Try again later."
    default: "It could not be stored: \(error)"
    }
  }
}
