import CGtk

/// A color, as shares of red, green, blue and opacity from 0 to 1.
public struct Color: Sendable {
  let native: GdkRGBA

  /// One that hides what is beneath it, from its digits: 0xRRGGBB.
  public init(_ digits: UInt32) {
    func share(_ shift: UInt32) -> Float { Float(digits >> shift & 0xFF) / 255 }
    native = GdkRGBA(red: share(16), green: share(8), blue: share(0), alpha: 1)
  }

  private init(_ native: GdkRGBA) { self.native = native }

  /// Black, through which what is beneath is seen.
  public static func black(opacity: Double) -> Color { Color(GdkRGBA(red: 0, green: 0, blue: 0, alpha: Float(opacity))) }

  /// As far from this color to another one as `share`, from 0 to 1, says.
  public func mixed(with other: Color, share: Double) -> Color {
    func mix(_ channel: KeyPath<GdkRGBA, Float>) -> Float {
      native[keyPath: channel] + (other.native[keyPath: channel] - native[keyPath: channel]) * Float(share)
    }
    return Color(GdkRGBA(red: mix(\.red), green: mix(\.green), blue: mix(\.blue), alpha: mix(\.alpha)))
  }
}
