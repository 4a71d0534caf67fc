import Foundation
import Gtk
import PublicationClient
import Runtime

/// Loads pictures, each once: fetched and decoded off the main actor, kept up to a number of bytes.
@MainActor public final class Pictures {
  private static let limit = 64 << 20
  private let client: APIClient
  private let effects: Effects
  /// Decoding takes long enough to hold up others on the shared pool.
  private let decoder = ThreadExecutor(name: "pictures")
  private var textures: [Key: Texture] = [:]
  /// Least recently used first.
  private var order: [Key] = []
  private var bytes = 0
  private var underWay: [Key: Load] = [:]

  /// A picture, as large as some place needs it.
  private struct Key: Hashable {
    let path: String
    let side: Int
  }

  /// One load, and how many wait for it.
  @MainActor private final class Load {
    let task: Task<Texture?, Never>
    var waiting = 0
    init(_ task: Task<Texture?, Never>) { self.task = task }
  }

  /// - Parameters:
  ///   - client: where pictures come from; needs no session.
  ///   - effects: the door off the main actor.
  public init(client: APIClient, effects: Effects) {
    self.client = client
    self.effects = effects
  }

  /// How many pictures are on their way.
  public var inFlight: Int { underWay.count }

  /// A picture that is kept.
  /// - Parameter side: see ``load(_:side:)``; nil for any size.
  public func known(_ path: String, side: Int? = nil) -> Texture? {
    guard let key = order.last(where: { $0.path == path && (side ?? $0.side) == $0.side }) else { return nil }
    order.removeAll { $0 == key }
    order.append(key)
    return textures[key]
  }

  /// A picture, loaded unless it is kept; nil when it could not be had or is none. A load that nobody waits for any more, because all
  /// their tasks were cancelled, is cancelled too.
  /// - Parameter side: the longest side that is needed, in pixels; a larger picture is scaled down while it is decoded.
  public func load(_ path: String, side: Int) async -> Texture? {
    if let known = known(path, side: side) { return known }
    let key = Key(path: path, side: side)
    let load = underWay[key] ?? begin(key)
    load.waiting += 1
    return await withTaskCancellationHandler {
      await load.task.value
    } onCancel: {
      Task { @MainActor [weak self] in self?.left(load, key) }
    }
  }

  private func begin(_ key: Key) -> Load {
    let load = Load(
      Task { [weak self, client, effects, decoder] in
        let texture = try? await effects.run("picture") {
          let data = try await client.picture(key.path)
          try Task.checkCancellation()
          return try await decoder.run { Texture.decode(data, maximumSide: key.side) }
        }
        guard !Task.isCancelled else { return nil }
        self?.underWay[key] = nil
        if let texture { self?.keep(texture, key) }
        return texture
      })
    underWay[key] = load
    return load
  }

  private func left(_ load: Load, _ key: Key) {
    load.waiting -= 1
    guard load.waiting == 0, underWay[key] === load else { return }
    underWay[key] = nil
    load.task.cancel()
  }

  private func keep(_ texture: Texture, _ key: Key) {
    textures[key] = texture
    order.append(key)
    bytes += texture.byteCount
    while bytes > Self.limit, let oldest = order.first, oldest != key {
      order.removeFirst()
      if let dropped = textures.removeValue(forKey: oldest) { bytes -= dropped.byteCount }
    }
  }
}
