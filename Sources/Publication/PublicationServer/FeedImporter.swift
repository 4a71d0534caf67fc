import FeedFormats
import Foundation
import HTTPTransport
import Runtime

/// Imports feeds from files and URLs, one after the other, and says how far it is: the `import` of every program.
///
/// A source that cannot be imported is told in one line with file and position, and leaves nothing behind; the others are imported all the
/// same.
public struct FeedImporter: Sendable {
  /// What a source became; with `--json` a line of its own.
  public struct Line: Codable, Equatable, Sendable {
    /// The source, as it was given.
    public var source: String
    /// How many items the feed has.
    public var items: Int
    /// How many posts are new.
    public var added: Int
    /// How many were there and are different now.
    public var updated: Int
    /// How many were there and are the same.
    public var unchanged: Int
  }

  private let publication: Publication
  private let web: any Transport
  private let json: Bool
  private let output: @Sendable (String) -> Void
  private let progress: @Sendable (String) -> Void

  /// - Parameters:
  ///   - publication: where the posts go.
  ///   - web: fetches `http` and `https` sources.
  ///   - json: whether a line of JSON is written for each source instead of a sentence.
  ///   - output: takes a line for each source.
  ///   - progress: takes a line for each step, and each error.
  public init(
    publication: Publication, web: any Transport, json: Bool,
    output: @escaping @Sendable (String) -> Void = { print($0) },
    progress: @escaping @Sendable (String) -> Void = { FileHandle.standardError.write(Data("\($0)\n".utf8)) }
  ) {
    self.publication = publication
    self.web = web
    self.json = json
    self.output = output
    self.progress = progress
  }

  /// Imports every source, unless its task is cancelled.
  /// - Returns: the exit status: 0 when each one was imported.
  public func run(_ sources: [String]) async -> Int32 {
    var imported = 0
    for (index, source) in sources.enumerated() {
      progress("[\(index + 1)/\(sources.count)] \(source)")
      do {
        let (document, origin) = try await read(source)
        let report = try await publication.store(document, as: origin, nil).report
        imported += 1
        say(
          Line(
            source: source, items: report.items, added: report.added, updated: report.updated, unchanged: report.unchanged))
      } catch {
        guard !Task.isCancelled else {
          progress("Stopped. Imported: \(imported) of \(sources.count) sources, and nothing of the others.")
          return 1
        }
        progress(Self.complaint(error, about: source))
      }
    }
    return imported == sources.count ? 0 : 1
  }

  private static func complaint(_ error: any Error, about source: String) -> String {
    switch error {
    case let error as FeedError: error.description
    // It may be about the feed that a page names.
    case let error as FeedFetcher.Failure: error.details.map { "\(error) (\($0))" } ?? error.description
    default: "\(source): \(sentence(error))"
    }
  }

  private func say(_ line: Line) {
    guard json else {
      output("\(line.source): \(line.items) items, \(line.added) added, \(line.updated) updated, \(line.unchanged) unchanged")
      return
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if let data = try? encoder.encode(line) { output(String(decoding: data, as: UTF8.self)) }
  }

  private struct Unreadable: Error { let sentence: String }

  /// What a source has, and where that came from: a URL, or an absolute path.
  private func read(_ source: String) async throws -> (document: FeedDocument, origin: FeedOrigin) {
    if source.hasPrefix("http://") || source.hasPrefix("https://") {
      guard let url = FeedAddress.url(source) else { throw Unreadable(sentence: "this is no http or https address.") }
      return try await FeedFetcher(web: web, clock: publication.clock).find(url, nil)
    }
    let path = URL(fileURLWithPath: source).standardizedFileURL.path
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { throw Unreadable(sentence: "there is no such file.") }
    guard !isFolder.boolValue else { throw Unreadable(sentence: "this is a folder, not a feed.") }
    return (try FeedParser.document(Self.contents(of: path, source), source: source), FeedOrigin(source: path, name: path))
  }

  /// A file's bytes, of which no more are read than may be in a feed, whatever it is.
  private static func contents(of path: String, _ source: String) throws -> Data {
    let limit = FeedParser.defaultLimit
    let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    guard size <= limit else { throw FeedError(.tooLarge(bytes: size, limit: limit), source: source, offset: limit) }
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? file.close() }
    var data = Data()
    // In parts: what is no plain file gives a part at a time.
    while data.count <= limit, let part = try file.read(upToCount: min(1 << 20, limit + 1 - data.count)), !part.isEmpty { data += part }
    return data
  }

  private static func sentence(_ error: any Error) -> String {
    switch error {
    case let error as Unreadable: error.sentence
    case let error as FeedFetcher.Several: "\(error.sentence) Import one of them."
    case let error as CocoaError: error.systemReason
    default: "\(error)"
    }
  }
}
