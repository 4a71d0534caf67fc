import CGtk
import Foundation

enum Samples {
  /// The beginning of a GIF file that says it is of that size.
  static func claiming(width: UInt16, height: UInt16) -> Data {
    Data("GIF89a".utf8 + [UInt8(width & 255), UInt8(width >> 8), UInt8(height & 255), UInt8(height >> 8), 0x80, 0, 0, 1, 2, 3, 4, 5, 6])
      + Data([0x2C, 0, 0, 0, 0, UInt8(width & 255), UInt8(width >> 8), UInt8(height & 255), UInt8(height >> 8), 0, 2, 2, 0x44, 1, 0, 0x3B])
  }

  /// A picture of one color, as a PNG file.
  static func picture(side: Int, red: UInt8 = 200) -> Data { picture(width: side, height: side, red: red) }

  static func picture(width: Int, height: Int, red: UInt8 = 200) -> Data {
    let rows = [UInt8]((0..<width * height).flatMap { _ in [red, 40, 60, 255] })
    let bytes = g_bytes_new(rows, gsize(rows.count))
    defer { g_bytes_unref(bytes) }
    guard let texture = gdk_memory_texture_new(gint(width), gint(height), GDK_MEMORY_R8G8B8A8, bytes, gsize(width * 4)) else {
      return Data()
    }
    defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
    guard let png = gdk_texture_save_to_png_bytes(texture) else { return Data() }
    defer { g_bytes_unref(png) }
    var size: gsize = 0
    guard let start = g_bytes_get_data(png, &size) else { return Data() }
    return Data(bytes: start, count: Int(size))
  }
}
