import Gtk
import PublicationClient
import Runtime

/// Loads pictures, each once: fetched and decoded off the main actor, kept up to a number of bytes.
@MainActor public final class Pictures {
  private nonisolated static let maximumSide = 1440
  private static let limit = 64 << 20
  private let client: APIClient
  private let effects: Effects
  /// Decoding takes long enough to hold up others on the shared pool.
  private let decoder = ThreadExecutor(name: "pictures")
  private var textures: [String: Texture] = [:]
  /// Least recently used first.
  private var order: [String] = []
  private var bytes = 0
  private var underWay: [String: Task<Texture?, Never>] = [:]

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
  public func known(_ path: String) -> Texture? {
    guard let texture = textures[path] else { return nil }
    order.removeAll { $0 == path }
    order.append(path)
    return texture
  }

  /// A picture, loaded unless it is kept; nil when it could not be had or is none.
  public func load(_ path: String) async -> Texture? {
    if let known = known(path) { return known }
    if let task = underWay[path] { return await task.value }
    let task = Task { [client, effects, decoder] in
      try? await effects.run("picture") {
        let data = try await client.picture(path)
        return try await decoder.run { Texture.decode(data, maximumSide: Self.maximumSide) }
      }
    }
    underWay[path] = task
    let texture = await task.value
    underWay[path] = nil
    if let texture { keep(texture, path) }
    return texture
  }

  private func keep(_ texture: Texture, _ path: String) {
    textures[path] = texture
    order.append(path)
    bytes += texture.byteCount
    while bytes > Self.limit, let oldest = order.first, oldest != path {
      order.removeFirst()
      if let dropped = textures.removeValue(forKey: oldest) { bytes -= dropped.byteCount }
    }
  }
}
