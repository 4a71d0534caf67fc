import FeedFormats
import Foundation
import PublicationAPI

/// Finding the feed of a web page: people know the address of the page.
extension FeedFetcher {
  /// There is a web page that names several feeds; only the reader knows which of them is meant.
  struct Several: Error, Equatable, CustomStringConvertible {
    let url: String
    let feeds: [Import.Choice]

    var sentence: String { "this web page names several feeds: \(feeds.map(\.url).joined(separator: ", "))." }
    /// One sentence with the address.
    var description: String { "\(url): \(sentence)" }
  }

  /// The document at an address: a feed, a list of feeds, or the feed that a web page there names. That feed's address may not lead to
  /// another page in turn, so that pages which name one another cause no loop.
  /// - Parameter job: updated with the progress.
  /// - Throws: `FeedError`, ``Failure``, ``Several``, `CancellationError`.
  func find(_ url: String, _ job: ImportJob?) async throws -> (document: FeedDocument, origin: FeedOrigin) {
    let first = try await load(url, job)
    let failure: FeedError
    do { return (try await document(first), first.origin) } catch let error as FeedError { failure = error }
    let isPage = failure.reason == .webPage
    guard isPage || first.claimsToBeAPage else { throw failure }
    let feeds = try await reader.run(first.data.count) {
      FeedParser.links(in: first.data, at: first.address, contentType: first.contentType).compactMap { link in
        FeedAddress.typed(link.url).map { Import.Choice(url: $0, title: link.title) }
      }
    }
    guard let feed = feeds.first else { throw isPage ? FeedError(.notAFeed("it is a web page that names no feed"), source: url) : failure }
    guard feeds.count == 1 else { throw Several(url: url, feeds: feeds) }
    try job?.advance(.fetching)
    let second = try await load(feed.url, job)
    return (try await document(second), second.origin)
  }

  private struct Loaded: Sendable {
    let url: String
    let data: Data
    let contentType: String?
    let version: FeedVersion
    let address: String

    var origin: FeedOrigin { FeedOrigin(source: url, name: url, version: version) }
    /// Feeds do so too.
    var claimsToBeAPage: Bool { contentType?.lowercased().hasPrefix("text/html") ?? false }
  }

  private func document(_ loaded: Loaded) async throws -> FeedDocument {
    try await reader.run(loaded.data.count) {
      try FeedParser.document(loaded.data, source: loaded.url, contentType: loaded.contentType, limit: Import.documentLimit)
    }
  }

  private func load(_ url: String, _ job: ImportJob?) async throws -> Loaded {
    guard case .document(let data, let contentType, let version, let address) = try await fetch(FeedVersion(url: url)) else {
      throw Failure(url: url, sentence: "the server has nothing new.")
    }
    try job?.advance(.reading)
    return Loaded(url: url, data: data, contentType: contentType, version: version, address: address)
  }
}
