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

  /// How large a node is drawn, and what clips it.
  private struct Place {
    enum Clip { case none, straight, round }
    var scale: (x: Double, y: Double) = (1, 1)
    var clip = Clip.none

    func clipped(_ clip: Clip) -> Place { Place(scale: scale, clip: clip) }
  }

  /// Reads what a widget shows now: a window, or a popover, which is drawn apart from its window.
  init(of seen: Seen) {
    let (paintable, snapshot) = (checked(gtk_widget_paintable_new(seen.pointer)), checked(gtk_snapshot_new()))
    gdk_paintable_snapshot(paintable, OpaquePointer(UnsafeMutableRawPointer(snapshot)), seen.width, seen.height)
    if let node = gtk_snapshot_free_to_node(snapshot) {
      visit(node, Place())
      gsk_render_node_unref(node)
    }
    g_object_unref(UnsafeMutableRawPointer(paintable))
  }

  init(_ node: OpaquePointer) { visit(node, Place()) }

  /// The most stops that the shader of a gradient takes.
  private static let shaderStops = 5

  private mutating func add(_ kind: String, _ bounds: graphene_rect_t, _ place: Place, margin: Double = 0) {
    textures.append(
      RenderedTexture(
        kind: kind, width: (Double(bounds.size.width) + 2 * margin) * place.scale.x,
        height: (Double(bounds.size.height) + 2 * margin) * place.scale.y))
  }

  private mutating func add(_ kind: String, _ node: OpaquePointer, _ place: Place, margin: Double = 0) {
    var bounds = graphene_rect_t()
    gsk_render_node_get_bounds(node, &bounds)
    add(kind, bounds, place, margin: margin)
  }

  // One case for each kind of node.
  private mutating func visit(_ node: OpaquePointer, _ place: Place) {
    switch gsk_render_node_get_node_type(node) {
    case GSK_CONTAINER_NODE:
      for index in 0..<gsk_container_node_get_n_children(node) { visit(gsk_container_node_get_child(node, index), place) }
    case GSK_COLOR_NODE, GSK_BORDER_NODE, GSK_TEXT_NODE, GSK_TEXTURE_NODE: break
    // Of a blurred one only the corners are a texture; its sides are stretched.
    case GSK_OUTSET_SHADOW_NODE: break
    case GSK_CLIP_NODE:
      // The shaders clip by one rectangle, whose corners may be round. A straight edge that cuts a round corner is none.
      if place.clip == .round { add("clip", gsk_clip_node_get_clip(node).pointee, place) }
      visit(gsk_clip_node_get_child(node), place.clipped(place.clip == .round ? .round : .straight))
    case GSK_ROUNDED_CLIP_NODE:
      let isRound = gsk_rounded_rect_is_rectilinear(gsk_rounded_clip_node_get_clip(node)) == 0
      // The same, where what scrolls has got as far as the corner.
      if isRound, place.clip != .none { add("rounded clip", node, place) }
      visit(gsk_rounded_clip_node_get_child(node), place.clipped(isRound || place.clip == .round ? .round : .straight))
    case GSK_DEBUG_NODE: visit(gsk_debug_node_get_child(node), place)
    case GSK_TRANSFORM_NODE:
      let transform = gsk_transform_node_get_transform(node)
      guard gsk_transform_get_category(transform).rawValue >= GSK_TRANSFORM_CATEGORY_2D_AFFINE.rawValue else {
        // A spinner turns its icon.
        add("transform", node, place)
        return visit(gsk_transform_node_get_child(node), place)
      }
      var (x, y, left, top): (Float, Float, Float, Float) = (1, 1, 0, 0)
      gsk_transform_to_affine(transform, &x, &y, &left, &top)
      let scale = (place.scale.x * Double(abs(x)), place.scale.y * Double(abs(y)))
      visit(gsk_transform_node_get_child(node), Place(scale: scale, clip: place.clip))
    case GSK_LINEAR_GRADIENT_NODE:
      if gsk_linear_gradient_node_get_n_color_stops(node) > Self.shaderStops { add("gradient", node, place) }
    case GSK_RADIAL_GRADIENT_NODE:
      if gsk_radial_gradient_node_get_n_color_stops(node) > Self.shaderStops { add("gradient", node, place) }
    case GSK_CONIC_GRADIENT_NODE:
      if gsk_conic_gradient_node_get_n_color_stops(node) > Self.shaderStops { add("gradient", node, place) }
    case GSK_REPEATING_LINEAR_GRADIENT_NODE, GSK_REPEATING_RADIAL_GRADIENT_NODE: add("repeating gradient", node, place)
    case GSK_CAIRO_NODE: add("cairo", node, place)
    case GSK_INSET_SHADOW_NODE:
      if gsk_inset_shadow_node_get_blur_radius(node) > 0 { add("inset shadow", node, place) }
    case GSK_OPACITY_NODE:
      add("opacity", node, place)
      visit(gsk_opacity_node_get_child(node), place)
    case GSK_COLOR_MATRIX_NODE:
      add("color matrix", node, place)
      visit(gsk_color_matrix_node_get_child(node), place)
    case GSK_REPEAT_NODE:
      let child: OpaquePointer = gsk_repeat_node_get_child(node)
      add("repeat", child, place)
      visit(child, place)
    case GSK_SHADOW_NODE:
      let child: OpaquePointer = gsk_shadow_node_get_child(node)
      for index in 0..<gsk_shadow_node_get_n_shadows(node) {
        let shadow = gsk_shadow_node_get_shadow(node, index)
        let isText = gsk_render_node_get_node_type(child) == GSK_TEXT_NODE
        if shadow.pointee.radius > 0 || !isText { add("shadow", child, place, margin: Double(shadow.pointee.radius) * 2) }
      }
      visit(child, place)
    case GSK_BLUR_NODE:
      add("blur", node, place)
      visit(gsk_blur_node_get_child(node), place)
    case GSK_CROSS_FADE_NODE:
      add("cross fade", node, place)
      visit(gsk_cross_fade_node_get_start_child(node), place)
      visit(gsk_cross_fade_node_get_end_child(node), place)
    case GSK_BLEND_NODE:
      add("blend", node, place)
      visit(gsk_blend_node_get_top_child(node), place)
      visit(gsk_blend_node_get_bottom_child(node), place)
    default:
      // A kind that a later GTK has: the renderer may do anything.
      add("unknown \(gsk_render_node_get_node_type(node).rawValue)", node, place)
    }
  }
}

/// Watches every frame that a window paints for textures that are more than twice as wide or high as the window.
@MainActor final class FrameWatch: SignalOwner {
  let scope = Scope()
  /// How many frames were read.
  private(set) var frames = 0
  /// How many of them each transition had.
  private(set) var transitions: [Int] = []
  /// What was too large, each once.
  private(set) var tooLarge: Set<String> = []
  private let window: Window
  private var isMoving = false

  init(_ window: Window) {
    self.window = window
    window.onFrame(self) { $0.painted() }
  }

  /// Reads what is drawn apart from the window's frames: an open menu.
  func read(_ seen: Seen) {
    let (width, height) = (2 * Double(window.width), 2 * Double(window.height))
    for texture in RenderTree(of: seen).textures where texture.width > width || texture.height > height {
      tooLarge.insert(texture.description)
    }
  }

  private func painted() {
    frames += 1
    let seen = Seen(window)
    read(seen)
    let wasMoving = isMoving
    isMoving = seen.isMoving
    if isMoving, !wasMoving { transitions.append(0) }
    if isMoving { transitions[transitions.count - 1] += 1 }
  }
}
