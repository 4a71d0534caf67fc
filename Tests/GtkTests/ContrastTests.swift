import CGtk
import XCTest

@testable import Gtk

/// What the style sheet's colors come to above the toolkit's own themes.
final class ContrastTests: GtkTestCase {
  func testMarksAndSmallWordsStandOutFromTheirGround() {
    MainActor.assumeIsolated {
      for scheme in [Theme.Scheme.light, .dark] {
        let colors = colors(of: ["mark_color", "quiet_color", "theme_bg_color", "surface_color"], scheme)
        for ground in [colors[2], colors[3]] {
          XCTAssertGreaterThan(contrast(colors[0], ground), 3, "\(scheme): the focus ring, the dot of what is unread")
          XCTAssertGreaterThan(contrast(colors[1], ground), 4.5, "\(scheme): counts")
        }
      }
    }
  }

  func testWordsThatHaveAColorCanBeRead() throws {
    try MainActor.assumeIsolated {
      let settings = Object(lasting: UnsafeMutableRawPointer(try XCTUnwrap(gtk_settings_get_default())))
      let before = settings.text("gtk-theme-name")
      for (theme, scheme) in [
        (before, Theme.Scheme.light), (before, .dark), ("HighContrast", .light), ("HighContrastInverse", .dark),
      ] {
        settings.setString("gtk-theme-name", theme)
        let names = ["wrong_color", "right_color", "accent_color"]
        let colors = colors(of: names + ["theme_bg_color", "surface_color"], scheme)
        for (name, color) in zip(names, colors) {
          for ground in colors[3...] { XCTAssertGreaterThan(contrast(color, ground), 4.5, "\(name), \(theme) \(scheme)") }
        }
      }
      settings.setString("gtk-theme-name", before)
    }
  }

  func testWhatLiesOnThePageIsNoDarkerThanIt() {
    MainActor.assumeIsolated {
      for scheme in [Theme.Scheme.light, .dark] {
        let colors = colors(of: ["surface_color", "theme_bg_color"], scheme)
        XCTAssertGreaterThan(luminance(colors[0]), luminance(colors[1]), "\(scheme)")
      }
    }
  }

  func testLinesAreSeenInHighContrast() throws {
    try MainActor.assumeIsolated {
      let settings = Object(lasting: UnsafeMutableRawPointer(try XCTUnwrap(gtk_settings_get_default())))
      let before = settings.text("gtk-theme-name")
      for (theme, scheme) in [("HighContrast", Theme.Scheme.light), ("HighContrastInverse", .dark)] {
        settings.setString("gtk-theme-name", theme)
        let colors = colors(of: ["line_color", "theme_bg_color", "surface_color"], scheme)
        for ground in colors[1...] { XCTAssertGreaterThan(contrast(colors[0], ground), 3, theme) }
      }
      settings.setString("gtk-theme-name", before)
    }
  }

  func testTheInverseOfHighContrastIsDark() throws {
    try MainActor.assumeIsolated {
      XCTAssertTrue(Theme.isInverse(theme: "HighContrastInverse"))
      XCTAssertFalse(Theme.isInverse(theme: "HighContrast"))
      try XCTSkipIf(ProcessInfo.processInfo.environment["GTK_THEME"] != nil, "a theme that is named there overrules all settings")
      let usual = colors(of: ["theme_bg_color"], .light)[0]
      let settings = Object(lasting: UnsafeMutableRawPointer(try XCTUnwrap(gtk_settings_get_default())))
      let before = settings.text("gtk-theme-name")
      settings.setString("gtk-theme-name", "HighContrastInverse")
      let ground = colors(of: ["theme_bg_color"], .desktop)[0]
      settings.setString("gtk-theme-name", before)
      XCTAssertLessThan(luminance(ground), 0.1)
      XCTAssertEqual(luminance(colors(of: ["theme_bg_color"], .light)[0]), luminance(usual), "and back")
    }
  }
}

private typealias Color = (red: Double, green: Double, blue: Double, alpha: Double)

@MainActor private func colors(of names: [String], _ scheme: Theme.Scheme) -> [Color] {
  Theme.install()
  Theme.use(scheme)
  let window = Window(nil, title: "Colors", width: 100, height: 100)
  window.present()
  settle()
  defer {
    window.destroy()
    Theme.use(.desktop)
  }
  return names.map { name in
    var color = GdkRGBA()
    let isKnown = gtk_style_context_lookup_color(gtk_widget_get_style_context(window.widget), name, &color)
    XCTAssertNotEqual(isKnown, 0, name)
    return (Double(color.red), Double(color.green), Double(color.blue), Double(color.alpha))
  }
}

private func contrast(_ color: Color, _ ground: Color) -> Double {
  let over = { (top: Double, bottom: Double) in top * color.alpha + bottom * (1 - color.alpha) }
  let drawn = (red: over(color.red, ground.red), green: over(color.green, ground.green), blue: over(color.blue, ground.blue), alpha: 1.0)
  let (one, other) = (luminance(drawn), luminance(ground))
  return (max(one, other) + 0.05) / (min(one, other) + 0.05)
}

private func luminance(_ color: Color) -> Double {
  let linear = { (part: Double) in part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4) }
  return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue)
}
