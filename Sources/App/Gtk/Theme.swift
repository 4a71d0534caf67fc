import CAppResources
import CGtk
import CGtkShims
import Foundation

/// How the app looks: its style sheet, above the desktop's theme, and whether it is dark.
@MainActor public enum Theme {
  /// Whether the app is light or dark.
  public enum Scheme: String, Sendable, CaseIterable {
    /// As the desktop says, also when it changes its mind.
    case desktop
    /// Light, on every desktop.
    case light
    /// Dark, on every desktop.
    case dark
  }

  private static var provider: Object?

  /// Adds the app's style sheet to the display. Asking twice adds it once.
  /// - Returns: false without a display.
  @discardableResult public static func install() -> Bool {
    guard let display = gdk_display_get_default() else { return false }
    guard provider == nil else { return true }
    guard let made = gtk_css_provider_new().map({ Object(lasting: UnsafeMutableRawPointer($0)) }) else { return false }
    // The wrapper has a reference of its own.
    g_object_unref(made.raw)
    registerIcons()
    provider = made
    observeContrast()
    gtk_style_context_add_provider_for_display(display, made.opaque, guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
    // A person who walks through an article with the Tab key does not mean to select one paragraph after the other.
    if let settings = gtk_settings_get_default() {
      let settings = Object(lasting: UnsafeMutableRawPointer(settings))
      settings.setBoolean("gtk-label-select-on-focus", false)
      settings.connect("notify::gtk-xft-dpi", .notify, in: scope) { _ in textScaleChanged() }
    }
    return true
  }

  /// Makes our own icons known to the style sheet.
  private static func registerIcons() {
    let bytes = g_bytes_new_static(matinee_icons_start(), gsize(matinee_icons_size))
    defer { g_bytes_unref(bytes) }
    guard let resource = g_resource_new_from_data(bytes, nil) else { return }
    // Registered for as long as the process runs.
    g_resources_register(resource)
    g_resource_unref(resource)
  }

  /// Chooses between light and dark for all windows. Does nothing without a display.
  public static func use(_ scheme: Scheme) {
    self.scheme = scheme
    apply()
  }

  /// What ``use(_:)`` chose last.
  public private(set) static var scheme = Scheme.desktop

  /// Observes what the desktop prefers (the portal's `org.freedesktop.appearance`). ``Application`` calls it at its start.
  static func observe(_ application: Application) {
    matinee_follow_color_scheme(application.pointer(), schemeChanged)
  }

  fileprivate static func desktopChanged(prefersDark: Bool) {
    desktopPrefersDark = prefersDark
    apply()
  }

  /// What GTK's own setting said before anything was changed.
  private static var settingPrefersDark: Bool?
  private static var desktopPrefersDark: Bool?

  private static func apply() {
    guard let settings = gtk_settings_get_default() else { return }
    let object = Object(lasting: UnsafeMutableRawPointer(settings))
    let key = "gtk-application-prefer-dark-theme"
    if settingPrefersDark == nil { settingPrefersDark = object.boolean(key) }
    let desktop = desktopPrefersDark ?? settingPrefersDark ?? false
    let isDark = scheme == .dark || (scheme == .desktop && desktop)
    if object.boolean(key) != isDark { object.setBoolean(key, isDark) }
  }

  /// The scale of text: the desktop's, times that of ``useText(size:articlesHaveSerifs:)``.
  public static var textScale: Double {
    guard let settings = gtk_settings_get_default() else { return textSize }
    // In 1,024ths of a dot per inch; -1 for the usual 96.
    let resolution = matinee_object_get_int(UnsafeMutableRawPointer(settings), "gtk-xft-dpi")
    return resolution > 0 ? Double(resolution) / (1024 * 96) * textSize : textSize
  }

  private static var textSize = 1.0
  private static var haveArticlesSerifs = false
  private static var textProvider: Object?
  private static var scaled: [Int: () -> Void] = [:]
  private static var scaledCount = 0

  /// Draws all text in another size, and articles in another font. The desktop's own size still counts, also when it changes.
  /// - Parameters:
  ///   - size: how many times the size that the desktop wants.
  ///   - articlesHaveSerifs: otherwise they are set in the desktop's font.
  public static func useText(size: Double, articlesHaveSerifs: Bool) {
    guard (size, articlesHaveSerifs) != (textSize, haveArticlesSerifs), let display = gdk_display_get_default() else { return }
    (textSize, haveArticlesSerifs) = (size, articlesHaveSerifs)
    if textProvider == nil, let made = gtk_css_provider_new().map({ Object(made: UnsafeMutableRawPointer($0)) }) {
      gtk_style_context_add_provider_for_display(display, made.opaque, guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION) + 1)
      textProvider = made
    }
    guard let textProvider else { return }
    // Sizes follow the desktop's, also on surfaces that inherit nothing of their window in the toolkit's theme.
    var sheet = "window, tooltip, popover.background { font-size: \(size)rem; }"
    if articlesHaveSerifs { sheet += " label.article, .article label:not(.code) { font-family: serif; }" }
    load(sheet, into: textProvider)
    textScaleChanged()
  }

  /// Calls `body` when ``textScale`` is another one: for what the style sheet does not size.
  public static func onTextScaleChanged<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void) {
    scaledCount += 1
    let number = scaledCount
    scaled[number] = { [weak owner] in if let owner { body(owner) } }
    owner.scope.record(SignalConnection { scaled[number] = nil })
  }

  private static func textScaleChanged() {
    Button.wrapLabelsOfWindows()
    for call in scaled.values { call() }
  }

  /// Whether the desktop wants lines and focus to be seen well: its theme is one of high contrast.
  static var isHighContrast: Bool { isHighContrast(theme: namedTheme) }

  // GTK_THEME overrides the setting.
  private static var namedTheme: String { getenv("GTK_THEME").map { String(cString: $0) } ?? themeName }

  /// Whether that is the dark theme of high contrast by the name that it had in GTK 3, and has in desktops' settings: the toolkit does not
  /// know it any more, and would use its light one.
  static func isInverse(theme name: String) -> Bool { name.lowercased().hasPrefix("highcontrastinverse") }

  /// Whether that is a theme of high contrast: `HighContrast`, `HighContrastInverse`, `Default-hc`, `Adwaita:hc`.
  static func isHighContrast(theme name: String) -> Bool {
    let name = name.lowercased()
    return name.contains("highcontrast") || name.split { $0 == "-" || $0 == ":" }.dropFirst().contains("hc")
  }

  private static var themeName: String {
    guard let settings = gtk_settings_get_default() else { return "" }
    return Object(lasting: UnsafeMutableRawPointer(settings)).text("gtk-theme-name")
  }

  /// Reads the style sheet for the contrast that the desktop wants, and again when that changes.
  private static func observeContrast() {
    applyContrast()
    guard let settings = gtk_settings_get_default() else { return }
    Object(lasting: UnsafeMutableRawPointer(settings)).connect("notify::gtk-theme-name", .notify, in: scope) { _ in applyContrast() }
  }

  private static let scope = Scope()
  private static var loadedHighContrast: Bool?

  private static func applyContrast() {
    applyInverse()
    guard let provider, loadedHighContrast != isHighContrast else { return }
    loadedHighContrast = isHighContrast
    load(styleSheet(isHighContrast: isHighContrast), into: provider)
  }

  private static var inverse: Object?

  /// Puts the toolkit's own dark theme of high contrast above the one that it chose, as long as that is wanted.
  private static func applyInverse() {
    guard let display = gdk_display_get_default(), (inverse != nil) != isInverse(theme: namedTheme) else { return }
    if let inverse {
      gtk_style_context_remove_provider_for_display(display, inverse.opaque)
      self.inverse = nil
    } else if let made = gtk_css_provider_new().map({ Object(made: UnsafeMutableRawPointer($0)) }) {
      gtk_css_provider_load_from_resource(made.pointer(), "/org/gtk/libgtk/theme/Default/Default-hc-dark.css")
      gtk_style_context_add_provider_for_display(display, made.opaque, guint(GTK_STYLE_PROVIDER_PRIORITY_SETTINGS) + 1)
      inverse = made
    }
  }

  /// The style sheet; in high contrast with its end, which comes after a mark.
  static func styleSheet(isHighContrast: Bool) -> String {
    let mark = Array("/* High contrast".utf8)
    // A search in the text would take longer than GTK takes to read it.
    let end = isHighContrast ? nil : styleBytes.indices.first { styleBytes[$0] == mark[0] && styleBytes[$0...].starts(with: mark) }
    return String(decoding: styleBytes[..<(end ?? styleBytes.endIndex)], as: UTF8.self)
  }

  /// Whether windows are dark now, as far as the app decides it.
  public static var isDark: Bool {
    guard let settings = gtk_settings_get_default() else { return false }
    return Object(lasting: UnsafeMutableRawPointer(settings)).boolean("gtk-application-prefer-dark-theme")
  }

  /// What the app's style sheet says.
  static var styleSheet: String { String(decoding: styleBytes, as: UTF8.self) }

  private static var styleBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: matinee_style_sheet_start(), count: matinee_style_sheet_size)
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

// Outside of the isolated type: C calls it, and a closure written there would inherit the isolation.
private let schemeChanged: @convention(c) (gboolean) -> Void = { dark in
  MainActor.assumeIsolated { Theme.desktopChanged(prefersDark: dark != 0) }
}
