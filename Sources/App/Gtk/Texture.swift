import CAppResources
import CGtk
import CGtkShims
import Foundation

/// A decoded picture, immutable, in memory.
///
/// Made on any thread, preferably not the main one. It is freed on the main actor, whichever thread releases it last.
@MainActor public final class Texture {
  private nonisolated(unsafe) let raw: UnsafeMutableRawPointer  // never changed; the toolkit's texture may be read from any thread

  private nonisolated init(made texture: OpaquePointer) { raw = UnsafeMutableRawPointer(texture) }

  isolated deinit { g_object_unref(raw) }

  /// Decodes PNG, JPEG, GIF (its first picture) and other formats that the desktop has loaders for.
  /// - Parameters:
  ///   - place: the size in pixels of what it is to cover: a larger picture is scaled down while it is decoded; nil keeps its size.
  ///   - drawings: whether SVG is a picture too. Only for our own: a small one from an unknown source can take for ever to draw.
  /// - Returns: nil when the bytes are no picture, are cut short, or claim more than 50 million pixels.
  public nonisolated static func decode(_ data: Data, covering place: (width: Int, height: Int)? = nil, drawings: Bool = false) -> Texture?
  {
    try? read(data, covering: place, drawings: drawings)
  }

  /// Why bytes are not shown as a picture.
  public enum Refusal: Error {
    /// They are no picture, or are cut short.
    case noPicture
    /// They claim more than 50 million pixels.
    case tooLarge
  }

  /// The same as ``decode(_:covering:drawings:)``, which says why.
  public nonisolated static func read(
    _ data: Data, covering place: (width: Int, height: Int)? = nil, drawings: Bool = false
  ) throws(Refusal) -> Texture {
    var isTooLarge: gboolean = 0
    let texture = data.withUnsafeBytes { bytes in
      let start = bytes.bindMemory(to: UInt8.self).baseAddress
      let (width, height) = (Int32(clamping: place?.width ?? 0), Int32(clamping: place?.height ?? 0))
      return matinee_texture_decode(start, bytes.count, width, height, drawings ? 1 : 0, &isTooLarge)
    }
    guard let texture else { throw isTooLarge != 0 ? .tooLarge : .noPicture }
    return Texture(made: texture)
  }

  /// The app's own icon.
  /// - Parameter side: in pixels.
  /// - Returns: nil when the desktop has no loader for SVG.
  public static func brand(side: Int) -> Texture? {
    let data = Data(bytes: matinee_brand_start(), count: matinee_brand_size)
    return decode(data, covering: (side, side), drawings: true)
  }

  /// The width in pixels.
  public nonisolated var width: Int { Int(gdk_texture_get_width(opaque)) }
  /// The height in pixels.
  public nonisolated var height: Int { Int(gdk_texture_get_height(opaque)) }
  /// What it takes in memory, for caches that count.
  public nonisolated var byteCount: Int { width * height * 4 }

  /// As a PNG file.
  public nonisolated func png() -> Data? {
    guard let bytes = gdk_texture_save_to_png_bytes(opaque) else { return nil }
    defer { g_bytes_unref(bytes) }
    var size: gsize = 0
    guard let start = g_bytes_get_data(bytes, &size) else { return nil }
    return Data(bytes: start, count: Int(size))
  }

  nonisolated var opaque: OpaquePointer { OpaquePointer(raw) }

  static func drawing(_ widget: Widget, scale: Double) -> Texture? {
    matinee_widget_render(widget.widget, scale).map(Texture.init(made:))
  }
}

extension Widget {
  /// The widget as it looks now, as a PNG file; of a window, all of it.
  /// - Parameter scale: pixels to a unit of layout.
  /// - Returns: nil when the widget is not in a window that was shown, or has no size yet.
  public final func png(scale: Double = 1) -> Data? { Texture.drawing(self, scale: scale)?.png() }
}
