import CGtk
import CGtkShims

/// Shows a ``Texture`` in the room there is.
@MainActor public final class Picture: Widget {
  /// How a picture is brought into room of another shape.
  public enum Fit: Sendable {
    /// All of it, with bars.
    case contain
    /// All of the room, cut where it is too large.
    case cover
    /// All of it, never larger than it is.
    case scaleDown

    var native: GtkContentFit {
      switch self {
      case .contain: GTK_CONTENT_FIT_CONTAIN
      case .cover: GTK_CONTENT_FIT_COVER
      case .scaleDown: GTK_CONTENT_FIT_SCALE_DOWN
      }
    }
  }

  /// - Parameter description: what is on it, for screen readers; nil for decoration.
  public init(_ texture: Texture? = nil, fit: Fit = .contain, description: String? = nil) {
    super.init(made: UnsafeMutableRawPointer(gtk_picture_new()))
    gtk_picture_set_content_fit(opaque, fit.native)
    gtk_picture_set_can_shrink(opaque, 1)
    clipsContent = true
    if let description { setDescription(description) }
    self.texture = texture
    draw()
  }

  /// What is shown; nil shows nothing.
  public var texture: Texture? {
    didSet { if texture !== oldValue { draw() } }
  }

  /// Draws a texture of its own, so that GL's copy of the pixels is gone when this place is empty, and not when the cache drops them.
  private func draw() {
    let drawn = texture.map { matinee_texture_share($0.opaque) }
    gtk_picture_set_paintable(opaque, drawn)
    if let drawn { g_object_unref(UnsafeMutableRawPointer(drawn)) }
  }

  /// Says what is on it.
  public func setDescription(_ description: String) { gtk_picture_set_alternative_text(opaque, description.withoutNull) }
}

/// Shows an icon.
@MainActor public final class Image: Widget {
  private var icon: Icon?

  /// How large an icon is; each grows with the text.
  public enum Size: String, Sendable {
    /// As high as a line.
    case line = "line-icon"
    /// In place of a small picture.
    case small = "small-icon"
    /// Of a page that is about one thing.
    case large = "large-icon"
    /// Of a page with nothing else on it.
    case huge = "huge-icon"
  }

  /// - Parameter size: nil for the size of icons in a line of text.
  public init(_ icon: Icon, size: Size? = nil, styles: [Style] = []) {
    super.init(made: UnsafeMutableRawPointer(gtk_image_new()))
    setIcon(icon)
    if let size { setStyle(Style(size.rawValue)) }
    for style in styles { setStyle(style) }
  }

  /// Shows another icon in the place of this one.
  public func setIcon(_ icon: Icon) {
    guard icon != self.icon else { return }
    // The style sheet draws those of the app's own.
    if let before = self.icon, before.isOwn { setStyle(Style(before.name), false) }
    self.icon = icon
    guard icon.isOwn else { return gtk_image_set_from_icon_name(opaque, icon.name) }
    gtk_image_clear(opaque)
    setStyle(Style(icon.name))
  }
}
