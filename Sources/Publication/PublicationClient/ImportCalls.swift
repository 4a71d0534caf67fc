import Foundation
import HTTPTransport
import PublicationAPI

extension APIClient {
  /// Begins to import what is at an address, a feed or a list of feeds.
  /// - Parameters:
  ///   - url: an absolute `http` or `https` URL.
  ///   - id: the import's identifier. A repeated request begins no second one.
  /// - Throws: ``ClientError``; with ``Problem/Code/notOffered`` where readers cannot add feeds.
  public func beginImport(of url: String, as id: UUID) async throws(ClientError) -> Import {
    try await call(.put, .feedImport(id.uuidString), body: ImportRequest(url: url))
  }

  /// Begins to import a document, a feed or a list of feeds.
  /// - Parameters:
  ///   - document: at most ``Import/documentLimit`` bytes.
  ///   - name: its name in sentences, such as a file's name. A feed of the same name and home, from the same reader, is the same feed.
  ///   - id: see ``beginImport(of:as:)``.
  /// - Throws: ``ClientError``; with ``Problem/Code/notOffered`` where readers cannot add feeds.
  public func beginImport(of document: Data, named name: String, as id: UUID) async throws(ClientError) -> Import {
    guard document.count <= Import.documentLimit else {
      let limit = Import.documentLimit
      let sentence = "\(name), byte \(limit): the document has more than \(limit / 1_000_000) MB, and so much is not read."
      throw .problem(Problem(code: .tooLarge, title: sentence, status: 413), retryAfter: nil)
    }
    let path = APIPath.feedImport(id.uuidString)
    var request = Request(.put, try Self.target(path, query: [(.name, name)]), headers: ["Accept": "application/json"], body: document)
    // The document may have any format, but is never this API's JSON.
    request.headers["Content-Type"] = "application/octet-stream"
    return try Self.decode(try await send(request, as: .session), of: path, .put)
  }

  /// Where an import stands.
  /// - Throws: ``ClientError``.
  public func progress(of id: Import.ID) async throws(ClientError) -> Import { try await call(.get, .feedImport(id)) }

  /// Cancels an import; nothing of it stays, unless it was complete.
  /// - Returns: the import as it is then.
  /// - Throws: ``ClientError``.
  public func cancelImport(_ id: Import.ID) async throws(ClientError) -> Import { try await call(.delete, .feedImport(id)) }

  /// Begins to fetch a club's feed now, also for the first time.
  /// - Throws: ``ClientError``; with ``Problem/Code/notOffered`` for a club without a feed, and where feeds are not fetched.
  public func refreshFanClub(_ id: FanClub.ID) async throws(ClientError) -> Import {
    try await call(.post, .refresh(id))
  }
}
