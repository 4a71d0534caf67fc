import CAppResources
import CGtk
import CGtkShims
import Foundation

/// How the app looks: its style sheet, above the desktop's theme, and whether it is dark.
@MainActor public enum Theme {
  /// Light or dark.
  public enum Scheme: String, Sendable, CaseIterable {
    /// As the desktop says.
    case desktop
    /// Light, whatever the desktop says.
    case light
    /// Dark, whatever the desktop says.
    case dark
  }

  private static var provider: Object?
  private static var preference: Bool?

  /// Adds the app's style sheet to the display. Asking twice adds it once.
  /// - Returns: false without a display.
  @discardableResult public static func install() -> Bool {
    guard let display = gdk_display_get_default() else { return false }
    guard provider == nil else { return true }
    let made = Object(made: UnsafeMutableRawPointer(gtk_css_provider_new()))
    load(styleSheet, into: made)
    gtk_style_context_add_provider_for_display(display, made.opaque, guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
    provider = made
    return true
  }

  /// Chooses between light and dark for all windows. Does nothing without a display.
  public static func use(_ scheme: Scheme) {
    guard let settings = gtk_settings_get_default() else { return }
    let object = Object(borrowed: UnsafeMutableRawPointer(settings))
    let key = "gtk-application-prefer-dark-theme"
    if preference == nil { preference = object.boolean(key) }
    object.setBoolean(key, scheme == .dark || (scheme == .desktop && preference == true))
  }

  /// What the app's style sheet says.
  static var styleSheet: String {
    String(decoding: UnsafeRawBufferPointer(start: matinee_style_sheet_start(), count: matinee_style_sheet_size), as: UTF8.self)
  }

  /// What the toolkit does not understand in a style sheet.
  static func problems(in sheet: String) -> [String] { load(sheet, into: Object(made: UnsafeMutableRawPointer(gtk_css_provider_new()))) }

  /// Reads a style sheet.
  /// - Returns: what is wrong with it, a sentence each.
  @discardableResult static func load(_ sheet: String, into provider: Object) -> [String] {
    let scope = Scope()
    var problems: [String] = []
    provider.connect("parsing-error", .problem, in: scope) { problems.append($0) }
    gtk_css_provider_load_from_data(provider.pointer(), sheet, gssize(sheet.utf8.count))
    scope.close()
    return problems
  }
}
