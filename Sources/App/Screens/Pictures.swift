import Foundation
import Gtk
import PublicationClient
import Runtime

/// Loads pictures, each once: fetched and decoded off the main actor, kept in memory up to a number of bytes.
@MainActor public final class Pictures {
  /// How long a broken picture is not requested again.
  private static let patience = Duration.seconds(300)
  private let client: APIClient
  private let effects: Effects
  private let clock: any AppClock
  private let decoder = PictureDecoder()
  private let loads = SharedWork<Key, Texture>()
  private var textures: LeastRecentlyUsed<Key, Texture>
  /// Every size that some place needed, the widest first.
  private var places: [Place] = []
  /// When to request a broken picture again, by uptime, and whether it was too large.
  private var failed: [String: (until: Duration, isTooLarge: Bool)] = [:]
  /// Places on screen whose picture could not be had.
  private var missing: [ObjectIdentifier: @MainActor () -> Void] = [:]

  /// The room for a picture, in pixels.
  private struct Place: Hashable {
    let width: Int
    let height: Int

    /// - Parameter ratio: `nil` for a picture that is shown whole, in any shape.
    init(_ width: Int, ratio: Double?) {
      self.width = width
      height = ratio.map { max(1, Int((Double(width) / $0).rounded(.up))) } ?? 0
    }
  }

  /// A picture, as large as some place needs it.
  private struct Key: Hashable {
    let path: String
    let place: Place

    init(_ path: String, _ place: Place) { (self.path, self.place) = (path, place) }
  }

  /// - Parameters:
  ///   - client: where pictures come from; needs no session.
  ///   - effects: the door off the main actor.
  ///   - clock: says when to ask again for what was no picture.
  ///   - limit: how much memory pictures take at most, in bytes of 4 for each pixel.
  public init(client: APIClient, effects: Effects, clock: any AppClock, limit: Int = 40 << 20) {
    self.client = client
    self.effects = effects
    self.clock = clock
    textures = LeastRecentlyUsed(limit: limit)
  }

  /// How many pictures are on their way.
  public var inFlight: Int { loads.count }

  /// How many are kept in memory.
  public var count: Int { textures.count }

  /// How many wait for one; for tests.
  func waiting(for path: String, side: Int) -> Int { loads.waiting(for: Key(path, Place(side, ratio: 1))) }

  /// A picture that is kept.
  /// - Parameters:
  ///   - side: see ``load(_:side:ratio:)``; nil for the widest that there is.
  ///   - ratio: the same.
  public func cached(_ path: String, side: Int? = nil, ratio: Double? = 1) -> Texture? {
    if let side { return textures.value(for: Key(path, Place(side, ratio: ratio))) }
    for place in places { if let texture = textures.value(for: Key(path, place)) { return texture } }
    return nil
  }

  /// A picture, loaded unless it is cached; nil when it could not be loaded or decoded. A load is cancelled when the tasks of all its
  /// callers are.
  /// - Parameters:
  ///   - side: the width of the place that it is to cover, in pixels; a larger picture is scaled down while it is decoded.
  ///   - ratio: the width of the place divided by its height; `nil` for a place that takes the shape of the picture.
  public func load(_ path: String, side: Int, ratio: Double? = 1) async -> Texture? {
    if let texture = cached(path, side: side, ratio: ratio) { return texture }
    if let until = failed[path]?.until, clock.uptime < until { return nil }
    let key = Key(path, Place(side, ratio: ratio))
    do {
      let texture = try await effects.run("picture") { [client, decoder, loads] in
        try await loads.value(for: key) {
          try await decoder.decode(try await client.picture(path), covering: (key.place.width, key.place.height))
        }
      }
      cache(texture, key)
      return texture
    } catch {
      if Self.isLasting(error) { note(error, of: path) }
      return nil
    }
  }

  /// Calls `again` once when another try may succeed: see ``retryUnreachable()``.
  func wait(_ place: AnyObject, again: @escaping @MainActor () -> Void) { missing[ObjectIdentifier(place)] = again }

  /// The place has left the screen, or shows something else.
  func leave(_ place: AnyObject) { missing[ObjectIdentifier(place)] = nil }

  /// The reader asks again for a picture that failed, and wants a new answer.
  func forget(failureOf path: String) { failed[path] = nil }

  /// Whether it is not shown because it is too large.
  func isTooLarge(_ path: String) -> Bool { failed[path]?.isTooLarge ?? false }

  /// There is a network again, or a server has answered: pictures that are missing on screen are tried again.
  public func retryUnreachable() {
    let places = missing.values
    missing = [:]
    for again in places { again() }
  }

  private func cache(_ texture: Texture, _ key: Key) {
    guard textures.value(for: key) == nil else { return }
    if !places.contains(key.place) {
      places.append(key.place)
      places.sort { $0.width > $1.width }
    }
    failed[key.path] = nil
    // A small one costs more than its pixels.
    textures.insert(texture, for: key, cost: texture.byteCount + 4096)
  }

  private func note(_ error: any Error, of path: String) {
    // Only a malicious publication makes a reader see so many in five minutes.
    if failed.count >= 1000 { failed.removeAll() }
    let isTooLarge =
      switch error {
      case Texture.Refusal.tooLarge, ClientError.unacceptable(.tooLarge): true
      default: false
      }
    failed[path] = (clock.uptime + Self.patience, isTooLarge)
  }

  /// Whether the next attempt would end in the same way, unlike one without a network, or during maintenance.
  private static func isLasting(_ error: any Error) -> Bool {
    switch (error as? ClientError)?.disposition {
    case .retryLater(.unreachable, _), .retryLater(.down, _), .cancelled: false
    default: !(error is CancellationError)
    }
  }
}

/// Decodes one picture after the other on a thread of its own: it takes long enough to hold up others on the shared pool. It skips pictures
/// whose callers were cancelled by then.
private actor PictureDecoder {
  private let executor = ThreadExecutor(name: "pictures")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func decode(_ data: Data, covering place: (width: Int, height: Int)) throws -> Texture {
    try Task.checkCancellation()
    return try Texture.read(data, covering: place)
  }
}
