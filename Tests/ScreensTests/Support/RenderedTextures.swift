import CGtk

@testable import Gtk

/// A part of a frame for which GTK's GL renderer makes a texture: what it draws by cairo, off screen or blurred.
struct RenderedTexture: CustomStringConvertible {
  let kind: String
  let width: Double
  let height: Double
  var description: String { "\(kind) \(Int(width)) × \(Int(height))" }
}

/// Reads the render nodes of a window.
///
/// GTK 4.8 sizes these textures by the node, and not by what is on screen of it. Over 16,384 pixels it clips with a warning, over 32,767
/// cairo has no surface and the process aborts. So each has to stay near the size of the window, however long the content is. Where the
/// renderer would do without a texture in some cases only, the texture counts.
@MainActor struct RenderTree {
  private(set) var textures: [RenderedTexture] = []

  /// Reads what a window shows now.
  init(of window: Window) {
    let (paintable, snapshot) = (checked(gtk_widget_paintable_new(window.widget)), checked(gtk_snapshot_new()))
    gdk_paintable_snapshot(paintable, OpaquePointer(UnsafeMutableRawPointer(snapshot)), Double(window.width), Double(window.height))
    if let node = gtk_snapshot_free_to_node(snapshot) {
      visit(node, (1, 1))
      gsk_render_node_unref(node)
    }
    g_object_unref(UnsafeMutableRawPointer(paintable))
  }

  init(_ node: OpaquePointer) { visit(node, (1, 1)) }

  /// The most stops that the shader of a gradient takes.
  private static let shaderStops = 5

  private mutating func add(_ kind: String, _ node: OpaquePointer, _ scale: (x: Double, y: Double), margin: Double = 0) {
    var bounds = graphene_rect_t()
    gsk_render_node_get_bounds(node, &bounds)
    textures.append(
      RenderedTexture(
        kind: kind, width: (Double(bounds.size.width) + 2 * margin) * scale.x, height: (Double(bounds.size.height) + 2 * margin) * scale.y))
  }

  // One case for each kind of node.
  private mutating func visit(_ node: OpaquePointer, _ scale: (x: Double, y: Double)) {
    switch gsk_render_node_get_node_type(node) {
    case GSK_CONTAINER_NODE:
      for index in 0..<gsk_container_node_get_n_children(node) { visit(gsk_container_node_get_child(node, index), scale) }
    case GSK_COLOR_NODE, GSK_BORDER_NODE, GSK_TEXT_NODE, GSK_TEXTURE_NODE: break
    // Of a blurred one only the corners are a texture; its sides are stretched.
    case GSK_OUTSET_SHADOW_NODE: break
    case GSK_CLIP_NODE: visit(gsk_clip_node_get_child(node), scale)
    case GSK_ROUNDED_CLIP_NODE: visit(gsk_rounded_clip_node_get_child(node), scale)
    case GSK_DEBUG_NODE: visit(gsk_debug_node_get_child(node), scale)
    case GSK_TRANSFORM_NODE:
      let transform = gsk_transform_node_get_transform(node)
      guard gsk_transform_get_category(transform).rawValue >= GSK_TRANSFORM_CATEGORY_2D_AFFINE.rawValue else {
        // A spinner turns its icon.
        add("transform", node, scale)
        return visit(gsk_transform_node_get_child(node), scale)
      }
      var (x, y, left, top): (Float, Float, Float, Float) = (1, 1, 0, 0)
      gsk_transform_to_affine(transform, &x, &y, &left, &top)
      visit(gsk_transform_node_get_child(node), (scale.x * Double(abs(x)), scale.y * Double(abs(y))))
    case GSK_LINEAR_GRADIENT_NODE:
      if gsk_linear_gradient_node_get_n_color_stops(node) > Self.shaderStops { add("gradient", node, scale) }
    case GSK_RADIAL_GRADIENT_NODE:
      if gsk_radial_gradient_node_get_n_color_stops(node) > Self.shaderStops { add("gradient", node, scale) }
    case GSK_CONIC_GRADIENT_NODE:
      if gsk_conic_gradient_node_get_n_color_stops(node) > Self.shaderStops { add("gradient", node, scale) }
    case GSK_REPEATING_LINEAR_GRADIENT_NODE, GSK_REPEATING_RADIAL_GRADIENT_NODE: add("repeating gradient", node, scale)
    case GSK_CAIRO_NODE: add("cairo", node, scale)
    case GSK_INSET_SHADOW_NODE:
      if gsk_inset_shadow_node_get_blur_radius(node) > 0 { add("inset shadow", node, scale) }
    case GSK_OPACITY_NODE:
      add("opacity", node, scale)
      visit(gsk_opacity_node_get_child(node), scale)
    case GSK_COLOR_MATRIX_NODE:
      add("color matrix", node, scale)
      visit(gsk_color_matrix_node_get_child(node), scale)
    case GSK_REPEAT_NODE:
      let child: OpaquePointer = gsk_repeat_node_get_child(node)
      add("repeat", child, scale)
      visit(child, scale)
    case GSK_SHADOW_NODE:
      let child: OpaquePointer = gsk_shadow_node_get_child(node)
      for index in 0..<gsk_shadow_node_get_n_shadows(node) {
        let shadow = gsk_shadow_node_get_shadow(node, index)
        let isText = gsk_render_node_get_node_type(child) == GSK_TEXT_NODE
        if shadow.pointee.radius > 0 || !isText { add("shadow", child, scale, margin: Double(shadow.pointee.radius) * 2) }
      }
      visit(child, scale)
    case GSK_BLUR_NODE:
      add("blur", node, scale)
      visit(gsk_blur_node_get_child(node), scale)
    case GSK_CROSS_FADE_NODE:
      add("cross fade", node, scale)
      visit(gsk_cross_fade_node_get_start_child(node), scale)
      visit(gsk_cross_fade_node_get_end_child(node), scale)
    case GSK_BLEND_NODE:
      add("blend", node, scale)
      visit(gsk_blend_node_get_top_child(node), scale)
      visit(gsk_blend_node_get_bottom_child(node), scale)
    default:
      // A kind that a later GTK has: the renderer may do anything.
      add("unknown \(gsk_render_node_get_node_type(node).rawValue)", node, scale)
    }
  }
}

/// Watches every frame that a window paints for textures that are more than twice as wide or high as the window.
@MainActor final class FrameWatch: SignalOwner {
  let scope = Scope()
  /// How many frames were read.
  private(set) var frames = 0
  /// What was too large, each once.
  private(set) var tooLarge: Set<String> = []
  /// How many textures the renderer made, in the frame that had most.
  private(set) var most = 0
  private let window: Window

  init(_ window: Window) {
    self.window = window
    window.onFrame(self) { $0.painted() }
  }

  private func painted() {
    frames += 1
    let textures = RenderTree(of: window).textures
    most = max(most, textures.count)
    let (width, height) = (2 * Double(window.width), 2 * Double(window.height))
    for texture in textures where texture.width > width || texture.height > height { tooLarge.insert(texture.description) }
  }
}
