import FeedFormats
import Foundation
import HTTPTransport
import PublicationAPI
import SQLiteStorage

/// Feeds that readers add, and fetch before their time.
extension Publication {
  /// What a request may carry, judged by its head.
  public enum Admission: Sendable {
    /// A body of at most so many bytes, which has its place as long as somebody holds that.
    case body(limit: Int, place: UploadPlace? = nil)
    /// Nothing: this is the answer, whatever the body is.
    case refused(Response)
  }

  /// The largest body that a request with that head may have, in bytes. Who listens asks ``admit(_:)`` before reading one that is larger
  /// than usual.
  public nonisolated func bodyLimit(_ head: Request) -> Int { router.bodyLimit(head) }

  /// Decides by a request's head how large its body may be: nobody fills the disk who could not import anything, or not yet.
  public func admit(_ head: Request) async -> Admission {
    do {
      _ = try readersService()
      let reader = try await sessionResource.authenticate(head).id
      let id = head.path.split(separator: "/").last.map(String.init) ?? ""
      return .body(limit: router.bodyLimit(head), place: try imports.place(for: id, of: reader))
    } catch {
      return .refused(response(to: head, after: error))
    }
  }

  /// Begins an import under the client's identifier: again is the same one.
  func beginImport(_ call: Call, _ asked: ImportRequest?) async throws -> Response {
    let service = try readersService()
    guard let id = UUID(uuidString: call.parameter)?.uuidString else {
      throw Problem.badRequest("The identifier of an import is a UUID.")
    }
    if let begun = imports.job(id, of: try call.signedIn.id) { return try .json(begun.report) }
    try importLimits.beginImport(of: call.signedIn.id, at: now)
    if let asked {
      guard let url = FeedAddress.typed(asked.url) else {
        throw Problem.badRequest("“\(asked.url.prefix(200))” is no http or https address.")
      }
      return try begin(id, call, follows: true) { try await self.importDocument(at: url, service, $0) }
    }
    let data = call.request.body
    // A feed without a name is called by it.
    let written = String((call.query("name") ?? "").visibleText.prefix(200))
    let name = written.isEmpty ? "document" : written
    guard !data.isEmpty else { throw Problem.badRequest("A document is missing.") }
    return try begin(id, call, follows: true) { try await self.importDocument(data, named: name, $0) }
  }

  func importProgress(_ call: Call) async throws -> Response { try .json(job(call).report) }

  /// Answers once it is known what became of the import: a cancel may come too late.
  func cancelImport(_ call: Call) async throws -> Response {
    let job = try job(call)
    job.cancel()
    await job.ended()
    return try .json(job.report)
  }

  /// Fetches a club's feed now, unless somebody just did. Any reader may ask, so many times an hour: the address is one that a reader chose.
  func refreshClub(_ call: Call) async throws -> Response {
    let id = call.parameter
    guard try await content.fanClub(id, for: call.signedIn.id) != nil else { throw Problem.notFound("fan club") }
    guard let service = feeds, let feed = try await sources.feed(of: id) else {
      throw Problem(code: .notOffered, title: "This fan club has no feed that is fetched here.", status: 404)
    }
    return try begin(identifiers.next().uuidString, call, follows: false, named: feed.name) { job in
      try await self.refreshNow(feed, service, for: job.reader)
      return [id]
    }
  }

  private func readersService() throws -> FeedService {
    guard let feeds, feeds.readersMayAdd else {
      throw Problem(code: .notOffered, title: "Readers cannot add feeds to this publication.", status: 404)
    }
    return feeds
  }

  private func job(_ call: Call) throws -> ImportJob {
    guard let job = imports.job(call.parameter, of: try call.signedIn.id) else { throw Problem.notFound("import") }
    return job
  }

  private func begin(
    _ id: Import.ID, _ call: Call, follows: Bool, named name: String = "",
    _ work: @escaping @Sendable (ImportJob) async throws -> [FanClub.ID]
  ) throws -> Response {
    let job = ImportJob(
      id, reader: try call.signedIn.id, session: try Self.tokenDigest(call.request), follows: follows)
    try imports.take(job)
    // In the first answer already.
    job.name(name)
    job.run { job in
      do { return try await work(job) } catch {
        self.report(error)
        throw error
      }
    }
    return try .json(job.report, status: 202)
  }

  // MARK: The work

  private nonisolated func importDocument(at url: String, _ service: FeedService, _ job: ImportJob) async throws -> [FanClub.ID] {
    let (document, origin) = try await service.fetcher.find(url, job)
    try await count(document, named: origin.version?.url ?? url, job)
    return try await store(document, as: origin, job).clubs
  }

  private nonisolated func importDocument(
    _ data: Data, named name: String, _ job: ImportJob
  ) async throws -> [FanClub.ID] {
    try job.advance(.reading)
    let document = try await feedReader.run { try FeedParser.document(data, source: name, limit: Import.documentLimit) }
    try await count(document, named: name, job)
    // Many feeds are in a file of the same name; its home tells them apart. Whoever uploads one like another reader's does not write
    // what that one's followers read.
    var home = ""
    if case .feed(let feed) = document { home = feed.homeURL ?? feed.title }
    return try await store(document, as: FeedOrigin(source: "\(job.reader)\n\(name)\n\(home)", name: name), job).clubs
  }

  /// - Throws: `Problem` for more than a reader may have the publication take on.
  private func count(_ document: FeedDocument, named name: String, _ job: ImportJob) throws(Problem) {
    try document.checkSize(name)
    if case .outline(let outline) = document { try importLimits.add(feeds: outline.feeds.count, of: job.reader, at: now) }
    importLimits.add(bytes: document.bytes, of: job.reader, at: now)
  }

  /// What only whoever runs the publication can make use of.
  nonisolated func report(_ error: any Error) {
    switch error {
    case let failure as FeedFetcher.Failure:
      // What is behind the question mark may be somebody's secret.
      if let details = failure.details { report("feeds: \(failure.url.prefix { $0 != "?" }.prefix(200)): \(details)") }
    case let failure as SQLiteError: report("imports: \(logged(failure))")
    default: break
    }
  }

  /// What went wrong, for the reader.
  static func sentence(of error: any Error) -> String {
    switch error {
    case let error as FeedError: error.description
    case let error as FeedFetcher.Failure: error.description
    case let error as FeedFetcher.Several: error.description
    case let problem as Problem: problem.title
    case let error as SQLiteError where error.code == .full: "The publication has no room left, and nothing of this was stored."
    case let error as SQLiteError where error.code == .busy:
      "Another program has the publication’s database locked, so it could not be stored. Try again in a moment."
    case is SQLiteError: "Something broke in the publication, and it could not be stored. Try again later."
    default: "It could not be stored: \(error)"
    }
  }
}
