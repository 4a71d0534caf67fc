import CGtk
import CGtkShims

/// The running program, as the desktop sees it.
///
/// ```swift
/// let application = Application(id: "org.example.App", instance: .unique)
/// application.onActivate = { showWindow() }
/// application.onOpen = { uris in open(uris) }
/// exit(try application.run(opening: uris))
/// ```
@MainActor public final class Application: Object {
  /// How a start relates to one that runs already.
  public enum Instance: Sendable {
    /// Hands over to the one that runs, and ends.
    case unique
    /// Runs as a process of its own, also beside others.
    case own
    /// Was started by the session bus, which will say what to open.
    case service
  }

  /// Why the program could not start.
  public enum Failure: Error, Equatable {
    /// There is no display to draw on.
    case noDisplay
    /// The application id is not one that a desktop accepts.
    case invalidID(String)
  }

  /// Called once in the first instance, before anything else.
  public var onStartup: (@MainActor () -> Void)?
  /// Called when the program is started or activated without something to open.
  public var onActivate: (@MainActor () -> Void)?
  /// Called with the URIs to open, letter by letter as they were given; also those that a second start was given.
  public var onOpen: (@MainActor ([String]) -> Void)?
  /// Called once when the loop has ended.
  public var onShutdown: (@MainActor () -> Void)?
  /// Called when the process is asked to end from outside (SIGINT, SIGTERM, SIGHUP). Without it, the application quits.
  public var onTerminate: (@MainActor () -> Void)?

  private let scope = Scope()
  private var signalSources: [guint] = []
  private var application: UnsafeMutablePointer<GApplication> { pointer() }

  /// - Parameters:
  ///   - id: reverse domain name; also the name on the session bus.
  ///   - name: the program's name, as window managers match it to the .desktop file; nil uses the id.
  /// - Throws: ``Failure/invalidID(_:)``.
  public init(id: String, instance: Instance, name: String? = nil) throws(Failure) {
    var flags = G_APPLICATION_HANDLES_OPEN.rawValue
    switch instance {
    case .unique: break
    case .own: flags |= G_APPLICATION_NON_UNIQUE.rawValue
    case .service: flags |= G_APPLICATION_IS_SERVICE.rawValue
    }
    g_set_prgname(name ?? id)
    guard let made = matinee_application_new(id, GApplicationFlags(rawValue: flags)) else { throw .invalidID(id) }
    super.init(made: UnsafeMutableRawPointer(made))
    addOpenAction()
    connect("startup", .plain, in: scope) { [weak self] in self?.started() }
    connect("activate", .plain, in: scope) { [weak self] in self?.onActivate?() }
    connect("open", .files, in: scope) { [weak self] uris in self?.onOpen?(uris) }
    connect("shutdown", .plain, in: scope) { [weak self] in self?.ended() }
  }

  /// Runs until the last window is closed or ``quit()`` is called; a start that passes its work to a running instance returns at once.
  /// - Parameter uris: what to open, handed on unchanged.
  /// - Returns: the exit status for the process.
  /// - Throws: ``Failure/noDisplay``.
  public func run(opening uris: [String] = []) throws(Failure) -> Int32 {
    var arguments: [UnsafeMutablePointer<CChar>?] = ([string(g_get_prgname()) ?? ""] + uris).map { g_strdup($0) }
    let count = Int32(arguments.count)
    arguments.append(nil)
    let status = g_application_run(application, count, &arguments)
    for argument in arguments { g_free(argument) }
    if matinee_application_lacks_display(pointer()) != 0 { throw .noDisplay }
    return status
  }

  /// Ends the loop; ``run(opening:)`` returns.
  public func quit() { g_application_quit(application) }

  /// Keeps the program running without a window until ``quit()``: for tests.
  public func hold() { g_application_hold(application) }

  /// Offers an action to the desktop and to keys: `gapplication action ID NAME` reaches it, and so do the accelerators.
  /// - Parameter accelerators: such as `"<Control>q"`.
  public func addAction(_ name: String, accelerators: [String] = [], _ body: @escaping @MainActor () -> Void) {
    guard let made = g_simple_action_new(name, nil) else { return }
    let action = Object(made: UnsafeMutableRawPointer(made))
    action.connect("activate", Trampoline.notify, in: scope) { body() }
    g_action_map_add_action(opaque, action.opaque)
    setAccelerators(accelerators, for: "app." + name)
  }

  /// Shows a notification on the desktop, in place of an earlier one with the same id. A click on it opens the URI as a second start would,
  /// also after this process has ended.
  /// - Parameters:
  ///   - title: plain text, one line.
  ///   - body: plain text, a line or two; angle brackets look a little different, since some desktops would take them for markup.
  ///   - uri: given to ``onOpen``, letter by letter.
  public func notify(_ id: String, title: String, body: String, opening uri: String) {
    guard let made = g_notification_new(title.withoutNull) else { return }
    g_notification_set_body(made, body.withoutNull.withoutMarkup)
    g_notification_set_default_action_and_target_value(made, "app." + Self.openAction, g_variant_new_string(uri.withoutNull))
    g_application_send_notification(application, id, made)
    g_object_unref(UnsafeMutableRawPointer(made))
  }

  /// Takes a notification back; does nothing when it is not there any more.
  public func withdrawNotification(_ id: String) { g_application_withdraw_notification(application, id) }

  /// Opens a new mail in the mail program that the desktop has: by its portal, else as a `mailto:` address (RFC 6068).
  /// - Parameter failed: called when the desktop has no program for it.
  public func composeMail(subject: String, text: String, over window: Window? = nil, failed: @escaping @MainActor () -> Void) {
    let byAddress: @MainActor () -> Void = {
      Toolkit.open(Self.mailAddress(subject: subject, text: text), over: window, failed: failed)
    }
    let handler = Handler<Bool, Void> { opened in if !opened { byAddress() } }
    let ended: @convention(c) (gboolean, UnsafeMutableRawPointer) -> Void = { opened, data in
      fire(data, opened != 0, as: Void.self)
      releaseData(data)
    }
    let data = handler.retained
    guard matinee_compose_mail(application, subject.withoutNull, text.withoutNull, ended, data) == 0 else { return }
    releaseData(data)
    byAddress()
  }

  /// The `mailto:` address of a new mail (RFC 6068): in UTF-8, and a line of the text ends in CR and LF, which section 5 asks for.
  static func mailAddress(subject: String, text: String) -> String {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).joined(separator: "\r\n")
    return "mailto:?subject=\(percentEncoded(subject))&body=\(percentEncoded(lines))"
  }

  private static func percentEncoded(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        String(UnicodeScalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }

  private static let openAction = "open-link"

  /// What a click on a notification does. The desktop may ask for it in a process that it has only just started.
  private func addOpenAction() {
    let text = g_variant_type_new("s")
    defer { g_variant_type_free(text) }
    guard let made = g_simple_action_new(Self.openAction, text) else { return }
    let action = Object(made: UnsafeMutableRawPointer(made))
    action.connect("activate", Trampoline.object, in: scope) { [weak self] link in
      if let uri = string(g_variant_get_string(OpaquePointer(link.raw), nil)) { self?.onOpen?([uri]) }
    }
    g_action_map_add_action(opaque, action.opaque)
  }

  /// Does what an action does; for tests.
  /// - Returns: false when there is none of that name.
  @discardableResult public func activateAction(_ name: String) -> Bool {
    guard g_action_group_has_action(opaque, name) != 0 else { return false }
    g_action_group_activate_action(opaque, name, nil)
    return true
  }

  private func setAccelerators(_ accelerators: [String], for action: String) {
    guard !accelerators.isEmpty else { return }
    var texts: [UnsafePointer<CChar>?] = accelerators.map { UnsafePointer(g_strdup($0)) }
    texts.append(nil)
    gtk_application_set_accels_for_action(pointer(), action, &texts)
    for text in texts { g_free(UnsafeMutableRawPointer(mutating: text)) }
  }

  private func started() {
    MainLoop.attachMainActor()
    guard matinee_application_lacks_display(pointer()) == 0 else { return }
    if let id = g_application_get_application_id(application) { gtk_window_set_default_icon_name(id) }
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      let handler = Handler<Void, Void> { [weak self] in self?.terminate() }
      signalSources.append(g_unix_signal_add_full(G_PRIORITY_DEFAULT, signal, Self.signalArrived, handler.retained, releaseData))
    }
    Theme.observe(self)
    onStartup?()
  }

  private func ended() {
    for source in signalSources { g_source_remove(source) }
    signalSources.removeAll()
    onShutdown?()
  }

  private func terminate() { if let onTerminate { onTerminate() } else { quit() } }

  private static let signalArrived: GSourceFunc = { data in
    fire(data, (), as: Void.self)
    return 1
  }
}
