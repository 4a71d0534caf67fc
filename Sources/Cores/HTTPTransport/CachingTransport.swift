import Foundation
import Runtime

/// Stores responses in files, up to a number of bytes (RFC 9111): for content that changes seldom, such as pictures.
///
/// A fresh response is served from its file. A stale one is revalidated (`ETag`, `Last-Modified`). When the server fails or cannot be reached,
/// the stored response is served at any age: yesterday's picture is better than none. Requests for the same target share one fetch, which
/// is cancelled when none of them waits any more.
///
/// Only responses to `GET` without `Authorization`, `Range` or conditions of its own are stored; other requests pass. A file that is
/// damaged, cut off or of another version counts as missing. With a folder that cannot be written to, nothing is stored, and requests still
/// work. Safe from any thread; files are read and written on a thread of their own.
public final class CachingTransport: Transport {
  private let wrapped: any Transport
  private let files: CachedResponseFiles
  private let clock: any AppClock
  private let shared = SharedWork<String, Response>()

  /// - Parameters:
  ///   - wrapped: answers the requests that the cache cannot.
  ///   - folder: for the files; made for the first one. Other files in it stay.
  ///   - limit: the most that all files take, in bytes; the least recently used are removed first, also after a restart.
  ///   - largest: the largest body that is kept, in bytes.
  ///   - clock: says how old answers are.
  public init(_ wrapped: any Transport, folder: String, limit: Int, largest: Int, clock: any AppClock) {
    self.wrapped = wrapped
    self.clock = clock
    files = CachedResponseFiles(folder: folder, limit: limit, largest: largest, clock: clock)
  }

  /// What all files take, in bytes.
  public func size() async -> Int { await files.size }

  /// Changes the most that all files take, in bytes. Files beyond that are removed at once.
  public func setLimit(_ limit: Int) async { await files.setLimit(limit) }

  /// Removes all files.
  public func clear() async { await files.clear() }

  /// Answers from the files, or asks.
  /// - Throws: what the wrapped transport throws, when nothing is stored; `CancellationError`.
  public func send(_ request: Request) async throws -> Response {
    let isPlain = ["Authorization", "Range", "If-None-Match", "If-Modified-Since"].allSatisfy { request.headers[$0] == nil }
    guard request.method == .get, isPlain else { return try await wrapped.send(request) }
    let key = "\(request.target)\n\(request.headers["Accept"] ?? "")"
    return try await shared.value(for: key) { [self] in try await answer(request, key) }
  }

  private func answer(_ request: Request, _ key: String) async throws -> Response {
    guard let cached = await files.read(key) else {
      try Task.checkCancellation()
      let response = try await wrapped.send(request)
      await store(response, to: request, key)
      return response
    }
    if cached.isFresh(at: clock.now) { return cached.response }
    var conditional = request
    conditional.headers["If-None-Match"] = cached.response.headers["ETag"]
    conditional.headers["If-Modified-Since"] = cached.response.headers["Last-Modified"]
    let response: Response
    do { response = try await wrapped.send(conditional) } catch is TransportError { return cached.response }
    switch response.status {
    case 304:
      let confirmed = cached.confirmed(by: response.headers, at: clock.now)
      if let confirmed { await files.write(confirmed, key) } else { await files.remove(key) }
      return confirmed?.response ?? cached.response
    case 500...: return cached.response
    default:
      await store(response, to: request, key)
      return response
    }
  }

  /// Stores a new answer in place of any earlier one; removes that if the new answer must not be stored.
  private func store(_ response: Response, to request: Request, _ key: String) async {
    let lifetime = Freshness.lifetime(of: response.headers, receivedAt: clock.now)
    guard response.status == 200, let lifetime, Self.isAcceptable(response, to: request) else { return await files.remove(key) }
    let now = clock.now
    await files.write(CachedResponse(response: response, storedAt: now, freshUntil: now.addingTimeInterval(lifetime)), key)
  }

  /// Whether its type is the requested one: the page with which a captive portal answers everything must not be stored as a picture.
  private static func isAcceptable(_ response: Response, to request: Request) -> Bool {
    guard let range = request.headers["Accept"], range.hasSuffix("/*"), range != "*/*", let type = response.headers["Content-Type"] else {
      return true
    }
    return type.lowercased().hasPrefix(range.dropLast().lowercased()) || type.contains("octet-stream")
  }
}

/// An answer as it is kept.
struct CachedResponse: Equatable {
  var response: Response
  /// When its server last said so.
  var storedAt: Date
  var freshUntil: Date

  /// A wall clock that was set back proves nothing.
  func isFresh(at now: Date) -> Bool { storedAt <= now && now < freshUntil }

  /// The stored answer after the server confirmed it; nil when it must not be stored any longer.
  func confirmed(by headers: Headers, at now: Date) -> CachedResponse? {
    var new = self
    for (name, value) in headers.fields where !["content-length", "content-encoding", "content-type"].contains(name.lowercased()) {
      new.response.headers[name] = value
    }
    guard let lifetime = Freshness.lifetime(of: new.response.headers, receivedAt: now) else { return nil }
    new.storedAt = now
    new.freshUntil = now.addingTimeInterval(lifetime)
    return new
  }
}
