import Foundation
import Gtk
import PublicationClient
import Runtime

/// Loads pictures, each once: fetched and decoded off the main actor, kept in memory up to a number of bytes.
@MainActor public final class Pictures {
  /// For how long a picture that is none is not asked for again.
  private static let patience = Duration.seconds(300)
  private let client: APIClient
  private let effects: Effects
  private let clock: any AppClock
  private let decoder = PictureDecoder()
  private let loads = SharedWork<Key, Texture>()
  private var kept: LeastRecentlyUsed<Key, Texture>
  /// Every size that some place needed, the largest first.
  private var sides: [Int] = []
  /// When to ask again for what was no picture, by uptime.
  private var failed: [String: Duration] = [:]
  /// Places on screen whose picture could not be had.
  private var missing: [ObjectIdentifier: @MainActor () -> Void] = [:]

  /// A picture, as large as some place needs it.
  private struct Key: Hashable {
    let path: String
    let side: Int
  }

  /// - Parameters:
  ///   - client: where pictures come from; needs no session.
  ///   - effects: the door off the main actor.
  ///   - clock: says when to ask again for what was no picture.
  ///   - limit: how much memory pictures take at most, in bytes.
  public init(client: APIClient, effects: Effects, clock: any AppClock, limit: Int = 64 << 20) {
    self.client = client
    self.effects = effects
    self.clock = clock
    kept = LeastRecentlyUsed(limit: limit)
  }

  /// How many pictures are on their way.
  public var inFlight: Int { loads.count }

  /// How many are kept in memory.
  public var count: Int { kept.count }

  /// How many wait for one; for tests.
  func waiting(for path: String, side: Int) -> Int { loads.waiting(for: Key(path: path, side: side)) }

  /// A picture that is kept.
  /// - Parameter side: see ``load(_:side:)``; nil for the largest that there is.
  public func known(_ path: String, side: Int? = nil) -> Texture? {
    if let side { return kept.value(for: Key(path: path, side: side)) }
    for side in sides { if let texture = kept.value(for: Key(path: path, side: side)) { return texture } }
    return nil
  }

  /// A picture, loaded unless it is kept; nil when it could not be had or is none. A load that nobody waits for any more, because all
  /// their tasks were cancelled, is cancelled too.
  /// - Parameter side: the longest side that is needed, in pixels; a larger picture is scaled down while it is decoded.
  public func load(_ path: String, side: Int) async -> Texture? {
    if let known = known(path, side: side) { return known }
    if let until = failed[path], clock.uptime < until { return nil }
    let key = Key(path: path, side: side)
    do {
      let texture = try await effects.run("picture") { [client, decoder, loads] in
        try await loads.value(for: key) { try await decoder.decode(try await client.picture(path), side: side) }
      }
      keep(texture, key)
      return texture
    } catch {
      if Self.isLasting(error) { note(failureOf: path) }
      return nil
    }
  }

  /// Calls `again` once when it is worth another try: see ``askAgain()``.
  func wait(_ place: AnyObject, again: @escaping @MainActor () -> Void) { missing[ObjectIdentifier(place)] = again }

  /// The place has left the screen, or shows something else.
  func leave(_ place: AnyObject) { missing[ObjectIdentifier(place)] = nil }

  /// Somebody asks for what was no picture, and wants an answer of now.
  func forget(failureOf path: String) { failed[path] = nil }

  /// There is a network again, or somebody has answered: what is missing on screen is tried again.
  public func askAgain() {
    let places = missing.values
    missing = [:]
    for again in places { again() }
  }

  private func keep(_ texture: Texture, _ key: Key) {
    guard kept.value(for: key) == nil else { return }
    if !sides.contains(key.side) {
      sides.append(key.side)
      sides.sort(by: >)
    }
    failed[key.path] = nil
    // A small one costs more than its pixels.
    kept.insert(texture, for: key, cost: texture.byteCount + 4096)
  }

  private func note(failureOf path: String) {
    // Nobody sees so many in five minutes but of a publication that wants it.
    if failed.count >= 1000 { failed.removeAll() }
    failed[path] = clock.uptime + Self.patience
  }

  /// Whether the next attempt would end in the same way, unlike one without a network.
  private static func isLasting(_ error: any Error) -> Bool {
    switch error {
    case ClientError.offline, ClientError.cancelled, is CancellationError: false
    default: true
    }
  }
}

/// Decodes one picture after the other on a thread of its own: it takes long enough to hold up others on the shared pool. Those that
/// nobody waits for by then are passed over.
private actor PictureDecoder {
  struct NoPicture: Error {}

  private let executor = ThreadExecutor(name: "pictures")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func decode(_ data: Data, side: Int) throws -> Texture {
    try Task.checkCancellation()
    guard let texture = Texture.decode(data, maximumSide: side) else { throw NoPicture() }
    return texture
  }
}
