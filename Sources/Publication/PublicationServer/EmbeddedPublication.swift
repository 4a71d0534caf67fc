import Foundation
import HTTPTransport
import PublicationAPI
import Runtime

/// The publication inside the app, opened with the first request so that nothing is read before the curtain is painted.
public actor EmbeddedPublication {
  private let folder: String
  private let clock: any AppClock
  private let web: (any Transport)?
  private let log: @Sendable (String) -> Void
  private var opening: Task<Publication, any Error>?
  /// Why it could not be opened the last time: logged once for any number of requests.
  private var failure: String?

  /// - Parameters:
  ///   - folder: where it is; made when it is not there.
  ///   - clock: the publication's.
  ///   - web: where feeds are fetched; `nil` when none are while it is open.
  ///   - log: called on any thread with failures, each a line.
  public init(folder: String, clock: any AppClock, web: (any Transport)?, log: @escaping @Sendable (String) -> Void) {
    self.folder = folder
    self.clock = clock
    self.web = web
    self.log = log
  }

  /// The publication's answer. If the publication cannot be opened, the answer is a `Problem` that says why; the next request tries again.
  /// - Throws: `EncodingError`.
  public func answer(_ request: Request) async throws -> Response {
    do {
      let publication = try await opened()
      failure = nil
      return await publication.handle(request)
    } catch {
      if failure != "\(error)" { log("\(error)") }
      failure = "\(error)"
      let problem = Problem(code: .internalError, title: Self.sentence(of: error), status: 500)
      return Response(500, headers: ["Content-Type": "application/problem+json"], body: try Wire.encode(problem))
    }
  }

  /// Why the publication cannot be opened, for its reader, who runs no server and has no operator.
  private static func sentence(of error: any Error) -> String {
    let opening = "The publication on this computer cannot be opened"
    let (path, trouble): (String, String)
    switch error {
    case Publication.Failure.missingKey(let file): (path, trouble) = (file, "is missing")
    case Publication.Failure.brokenKey(let file): (path, trouble) = (file, "is damaged")
    default: return "\(opening). \(error)"
    }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    return "\(opening), because the file \(path) \(trouble): put a backup of it there and try again, or have a new one made by "
      + "“matinee-server key rotate --data \(folder)” in a terminal, which leaves what you have bought as it is."
  }

  /// The publication itself, for imports.
  /// - Throws: what opening a ``Publication`` throws, also when its folder cannot be made.
  public func opened() async throws -> Publication {
    if let opening { return try await opening.value }
    let task = Task { [folder, clock, web, log] in
      do {
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      } catch { throw StorageFailure.of(error, at: folder) }
      let gateway = LedgerGateway(program: LedgerGateway.besideThisProgram, file: folder + "/ledger.jsonl")
      let publication = try await Publication(folder: folder, gateway: gateway, clock: clock, log: log)
      try await publication.install(SampleContent.publication(openedAt: clock.now))
      await publication.startResumingCharges()
      if let web { await publication.fetchFeeds(from: web, readersMayAdd: true, sharedFor: .zero, clock: clock) }
      return publication
    }
    opening = task
    do {
      return try await task.value
    } catch {
      if opening == task { opening = nil }
      throw error
    }
  }
}
