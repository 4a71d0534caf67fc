import FeedFormats
import Foundation
import HTTPTransport
import Runtime
import SQLiteStorage

/// Imports feeds from files and URLs, one after the other, and reports the progress: the `import` of every program.
///
/// A source that cannot be imported is reported in one line with file and position; the others are imported. If storing one was
/// interrupted, the line says what is stored.
public struct ImportCommand: Sendable {
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
    /// How many were there twice; `nil` for none.
    public var duplicates: Int?
    /// Of a list of feeds, how many outlines name none; `nil` for none.
    public var withoutFeed: Int?
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
    progress: @escaping @Sendable (String) -> Void = { StandardError.write($0) }
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
      progress("[\(index + 1)/\(sources.count)] \(Self.name(source))")
      do {
        let (document, origin) = try await read(source)
        let report = try await store(document, origin)
        imported += 1
        say(
          Line(
            source: source, items: report.items, added: report.added, updated: report.updated, unchanged: report.unchanged,
            duplicates: report.duplicates > 0 ? report.duplicates : nil, withoutFeed: report.withoutFeed > 0 ? report.withoutFeed : nil))
      } catch {
        guard !Task.isCancelled else {
          let rest = (error as? Unfinished)?.rest.map { "\(source): \($0)" } ?? "Nothing of the others was stored."
          progress("Stopped. Imported: \(imported) of \(Self.count(sources.count, "source")). \(rest)")
          return 1
        }
        progress(Self.complaint(error, about: source))
      }
    }
    return imported == sources.count ? 0 : 1
  }

  /// Stores a document, or says what stays of it.
  /// - Throws: ``Unfinished``.
  private func store(_ document: FeedDocument, _ origin: FeedOrigin) async throws -> ImportReport {
    let before = try await publication.stored(of: document, as: origin)
    do { return try await publication.store(document, as: origin, nil).report } catch {
      throw Unfinished(cause: error, stored: (try? await publication.stored(of: document, as: origin)).map { $0 - before }, of: document)
    }
  }

  /// Storing ended in its middle.
  private struct Unfinished: Error {
    let cause: any Error
    /// What was stored and stays, in a sentence; `nil` for nothing.
    let rest: String?

    /// - Parameter stored: how many posts or clubs stay; `nil` when that is unknown.
    init(cause: any Error, stored: Int?, of document: FeedDocument) {
      self.cause = cause
      let (all, word) =
        switch document {
        case .feed(let feed): (feed.items.count, "item")
        case .outline(let outline): (outline.feeds.count, "feed")
        }
      switch stored {
      case nil: rest = "A part of it may have been stored. Import it again to have all of it."
      case 0?: rest = nil
      case let stored?:
        rest = "What was stored stays: \(stored) of its \(ImportCommand.count(all, word)). Import it again to have all of it."
      }
    }
  }

  private static func complaint(_ error: any Error, about source: String) -> String {
    switch error {
    case let error as Unfinished:
      "\(name(source)): \(ended(sentence(error.cause))) " + (error.rest ?? "Nothing new of it was stored. Import it again.")
    case let error as FeedError: error.description
    // It may be about the feed that a page names.
    case let error as FeedFetcher.Failure: error.details.map { "\(error) (\($0))" } ?? error.description
    default: "\(name(source)): \(sentence(error))"
    }
  }

  private static func ended(_ sentence: String) -> String { sentence.hasSuffix(".") ? sentence : sentence + "." }

  /// A source as it is shown: also one that an empty variable left empty.
  private static func name(_ source: String) -> String { source.isEmpty ? "“”" : source }

  private static func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }

  private func say(_ line: Line) {
    guard json else {
      let rest = [line.duplicates.map { Self.count($0, "duplicate") }, line.withoutFeed.map { "\($0) without a feed" }]
      let counts = ["\(line.added) added", "\(line.updated) updated", "\(line.unchanged) unchanged"] + rest.compactMap(\.self)
      output("\(line.source): \(Self.count(line.items, "item")), \(counts.joined(separator: ", "))")
      return
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if let data = try? encoder.encode(line) { output(String(decoding: data, as: UTF8.self)) }
  }

  private struct Unreadable: Error { let sentence: String }

  /// A source's document and its origin: a URL, or an absolute path.
  private func read(_ source: String) async throws -> (document: FeedDocument, origin: FeedOrigin) {
    if source.hasPrefix("http://") || source.hasPrefix("https://") {
      guard let url = FeedAddress.url(source) else { throw Unreadable(sentence: "this is no http or https address.") }
      return try await FeedFetcher(web: web, clock: publication.clock, reader: publication.feedReader).find(url, nil)
    }
    guard !source.isEmpty else { throw Unreadable(sentence: "this is empty, and no file or address.") }
    let path = URL(fileURLWithPath: source).standardizedFileURL.path
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw Unreadable(sentence: errno == ENOENT ? "there is no such file." : String(cString: strerror(errno)) + ".")
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw Unreadable(sentence: "this is a folder, not a feed.")
    // Input from a terminal or a random number generator never ends. A pipe does.
    case S_IFCHR, S_IFBLK: throw Unreadable(sentence: "this is a device, not a feed.")
    default: break
    }
    let document = try await publication.feedReader.run(0) { try FeedParser.document(Self.contents(of: path, source), source: source) }
    return (document, FeedOrigin(source: path, name: path))
  }

  /// A file's bytes, at most as many as a feed may have.
  private static func contents(of path: String, _ source: String) throws -> Data {
    let limit = FeedParser.defaultLimit
    let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    guard size <= limit else { throw FeedError(.tooLarge(bytes: size, limit: limit), source: source, offset: limit) }
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? file.close() }
    var data = Data()
    // In parts: what is no plain file gives a part at a time.
    while data.count <= limit, let part = try file.read(upToCount: min(1 << 20, limit + 1 - data.count)), !part.isEmpty { data += part }
    guard data.count <= limit else {
      throw Unreadable(sentence: "this has more than \(limit / 1_000_000) MB, and so much is not read.")
    }
    return data
  }

  private static func sentence(_ error: any Error) -> String {
    switch error {
    case let error as Unreadable: error.sentence
    case let error as FeedFetcher.Several: "\(error.sentence) Import one of them."
    case let error as CocoaError: error.systemReason + "."
    case let error as SQLiteError where error.code == .full: "the disk is full."
    case let error as SQLiteError where error.code == .busy: "another program has the publication’s database locked."
    default: "\(error)"
    }
  }
}

extension Publication {
  /// How many posts of a feed there are, or how many feeds of a list.
  fileprivate func stored(of document: FeedDocument, as origin: FeedOrigin) async throws -> Int {
    switch document {
    case .feed:
      let source = try await feedRepository.feed(at: [origin.source, origin.version?.url].compactMap(\.self))?.source
      return try await content.fanClub(ImportedFeed.clubID(source ?? origin.source), for: "")?.posts ?? 0
    case .outline(let outline):
      var count = 0
      for url in outline.feeds.compactMap({ $0.feedURL.flatMap { FeedAddress.url($0) } }) {
        if try await feedRepository.feed(at: [url]) != nil { count += 1 }
      }
      return count
    }
  }
}
