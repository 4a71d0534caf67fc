import CGtk
import Foundation
import XCTest

@testable import Gtk
@testable import Screens

/// What the app draws, on the renderer that people have.
final class RendererTests: ScreensTestCase {
  override func setUpWithError() throws {
    try super.setUpWithError()
    MainActor.assumeIsolated { setting("gtk-enable-animations", true) }
  }

  func testTestsDrawWithTheDefaultRenderer() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      rig.window.show()
      XCTAssertEqual(rig.window.window.rendererName, "GskGLRenderer")
      try rig.close()
    }
  }

  /// What the tests of frames rely on.
  func testTexturesOfAFrameAreFound() {
    MainActor.assumeIsolated {
      let tall = graphene_rect_t(origin: graphene_point_t(x: 0, y: 0), size: graphene_size_t(width: 990, height: 83_019))
      @MainActor func textures(_ node: OpaquePointer?) -> [String] {
        guard let node else { return ["no node"] }
        defer { gsk_render_node_unref(node) }
        return RenderTree(node).textures.map(\.description)
      }
      @MainActor func gradient(stops: Int, repeats: Bool) -> OpaquePointer? {
        let colors = (0..<stops).map {
          GskColorStop(offset: Float($0) / Float(stops - 1), color: GdkRGBA(red: 1, green: 0, blue: 0, alpha: 1))
        }
        var (bounds, start, end) = (tall, graphene_point_t(x: 0, y: 0), graphene_point_t(x: 92, y: 0))
        return repeats
          ? gsk_repeating_linear_gradient_node_new(&bounds, &start, &end, colors, gsize(stops))
          : gsk_linear_gradient_node_new(&bounds, &start, &end, colors, gsize(stops))
      }
      XCTAssertEqual(textures(gradient(stops: 5, repeats: false)), [])
      XCTAssertEqual(textures(gradient(stops: 6, repeats: false)), ["gradient 990 × 83019"])
      XCTAssertEqual(textures(gradient(stops: 5, repeats: true)), ["repeating gradient 990 × 83019"])
      var (bounds, color) = (tall, GdkRGBA(red: 0, green: 0, blue: 0, alpha: 1))
      XCTAssertEqual(textures(gsk_color_node_new(&color, &bounds)), [])
      XCTAssertEqual(textures(gsk_cairo_node_new(&bounds)), ["cairo 990 × 83019"])
      @MainActor func wrapped(_ wrap: (OpaquePointer) -> OpaquePointer?) -> OpaquePointer? {
        let plain = gsk_color_node_new(&color, &bounds)
        defer { gsk_render_node_unref(plain) }
        return wrap(plain)
      }
      XCTAssertEqual(textures(wrapped { gsk_opacity_node_new($0, 0.5) }), ["opacity 990 × 83019"])
      XCTAssertEqual(textures(wrapped { gsk_blur_node_new($0, 5) }), ["blur 1004 × 83033"])
      XCTAssertEqual(textures(wrapped { gsk_clip_node_new($0, &bounds) }), [])
      XCTAssertEqual(
        textures(
          wrapped {
            guard let wide = gsk_transform_scale(nil, 2, 1) else { return nil }
            let faded = gsk_opacity_node_new($0, 0.5)
            defer { gsk_render_node_unref(faded) }
            return gsk_transform_node_new(faded, wide)
          }), ["opacity 1980 × 83019"])
      var screen = graphene_rect_t(origin: tall.origin, size: graphene_size_t(width: 990, height: 700))
      var round = GskRoundedRect()
      gsk_rounded_rect_init_from_rect(&round, &bounds, 8)
      XCTAssertEqual(textures(wrapped { gsk_rounded_clip_node_new($0, &round) }), [], "not in another clip")
      XCTAssertEqual(
        textures(
          wrapped {
            let card: OpaquePointer = gsk_rounded_clip_node_new($0, &round)
            defer { gsk_render_node_unref(card) }
            return gsk_clip_node_new(card, &screen)
          }), ["rounded clip 990 × 83019"])
      XCTAssertEqual(
        textures(
          wrapped {
            let clip: OpaquePointer = gsk_clip_node_new($0, &bounds)
            defer { gsk_render_node_unref(clip) }
            return gsk_rounded_clip_node_new(clip, &round)
          }), ["clip 990 × 83019"])
    }
  }

  func testTheCurtainLiftsInFramesNoLargerThanTheWindow() throws {
    try MainActor.assumeIsolated {
      for (width, height) in [(1000, 720), (360, 640), (1400, 900)] {
        let rig = try AppRig(width: width, height: height)
        let watch = FrameWatch(rig.window.window)
        try rig.start()
        XCTAssertEqual(watch.tooLarge, [], "\(width) × \(height)")
        XCTAssertGreaterThan(watch.frames, 3)
        try rig.close()
      }
    }
  }

  func testNothingWaitsForTheCurtainToLift() throws {
    try MainActor.assumeIsolated {
      let former = try AppRig()
      try former.start()
      try former.signIn()
      try former.close()
      // It lifts, and does not get far.
      let slowdown = ProcessInfo.processInfo.environment["GTK_SLOWDOWN"] ?? "1"
      setenv("GTK_SLOWDOWN", "1e6", 1)
      defer { setenv("GTK_SLOWDOWN", slowdown, 1) }
      let rig = try AppRig(after: former)
      let requested = rig.line.requested.count
      rig.begin()
      eventually("rows have their pictures") { rig.seen.pictureCount > 2 }
      XCTAssertEqual(rig.shown, "curtain")
      XCTAssertTrue(rig.seen.isMoving)
      let requests = rig.line.requested.dropFirst(requested)
      for page in ["GET /v1/posts", "GET /v1/fanclubs"] { XCTAssertTrue(requests.contains { $0.hasPrefix(page) }, "\(requests)") }
      try rig.close()
    }
  }
}
