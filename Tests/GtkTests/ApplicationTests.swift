import CGtk
import Foundation
import XCTest

@testable import Gtk

/// The life of an application. What needs a process of its own runs the same test in it, with a variable set that says so.
final class ApplicationTests: GtkTestCase {
  func testLifeFromStartToShutdown() {
    MainActor.assumeIsolated {
      let signals = Diagnostics.liveSignals
      let probe = Probe()
      autoreleased {
        guard let application = try? Application(id: "org.example.MatineeTests.Life", instance: .own) else {
          return XCTFail("no application")
        }
        application.onStartup = { probe.events.append("startup") }
        application.onShutdown = { probe.events.append("shutdown") }
        application.onActivate = { [weak application] in
          probe.events.append("activate")
          let window = Window(application, title: "Window")
          window.present()
          Task { @MainActor in
            probe.events.append("task")
            window.destroy()
          }
        }
        XCTAssertEqual(try? application.run(), 0)
      }
      XCTAssertEqual(probe.events, ["startup", "activate", "task", "shutdown"])
      settle()
      XCTAssertEqual(Diagnostics.liveSignals, signals)
    }
  }

  func testOpensWhatItIsGivenLetterByLetter() {
    MainActor.assumeIsolated {
      let uris = Self.uris
      let probe = Probe()
      guard let application = try? Application(id: "org.example.MatineeTests.Open", instance: .own) else {
        return XCTFail("no application")
      }
      application.onActivate = { probe.events.append("activate") }
      application.onOpen = { [weak application] given in
        probe.events += given
        application?.quit()
      }
      XCTAssertEqual(try? application.run(opening: uris), 0)
      XCTAssertEqual(probe.events, uris)
    }
  }

  func testSecondStartHandsOver() throws {
    if isChild { return startSecond() }
    let uris = Self.uris
    let second = child("testSecondStartHandsOver")
    MainActor.assumeIsolated {
      let probe = Probe()
      guard let application = try? Application(id: Self.sharedID, instance: .unique) else { return XCTFail("no application") }
      application.onActivate = {
        application.hold()
        do { try second.run() } catch { XCTFail("\(error)") }
      }
      application.onOpen = { given in
        probe.events += given
        application.quit()
      }
      MainLoop.after(seconds: 20) { application.quit() }
      XCTAssertEqual(try? application.run(), 0)
      XCTAssertEqual(probe.events, uris)
    }
    second.waitUntilExit()
    XCTAssertEqual(second.terminationStatus, 0)
  }

  func testActionsReachTheProgram() {
    MainActor.assumeIsolated {
      let probe = Probe()
      guard let application = try? Application(id: "org.example.MatineeTests.Act", instance: .own) else { return XCTFail("no application") }
      application.addAction("refresh", accelerators: ["F5", "<Control>r"]) { probe.events.append("refresh") }
      application.addAction("quit") { application.quit() }
      application.onActivate = {
        application.hold()
        XCTAssertTrue(application.activateAction("refresh"))
        XCTAssertFalse(application.activateAction("none"))
        XCTAssertTrue(application.activateAction("quit"))
      }
      MainLoop.after(seconds: 20) { application.quit() }
      XCTAssertEqual(try? application.run(), 0)
      XCTAssertEqual(probe.events, ["refresh"])
    }
  }

  func testAClickOnANotificationOpensItsLinkLetterByLetter() {
    MainActor.assumeIsolated {
      let probe = Probe()
      guard let application = try? Application(id: "org.example.MatineeTests.Tell", instance: .own) else {
        return XCTFail("no application")
      }
      application.onOpen = { probe.events += $0 }
      application.onActivate = {
        let name = "org.freedesktop.Notifications"
        guard
          let desktop = DesktopProgram(
            name, at: "/org/freedesktop/Notifications", DesktopProgram.notifications, application: application, probe: probe)
        else { return XCTFail("no desktop that shows notifications") }
        application.hold()
        for count in 1...2 {
          application.notify("p1", title: "A <b>club</b>", body: "A post", opening: Self.uris[0])
          XCTAssertTrue(MainLoop.run(upTo: 5) { probe.events.count == count })
        }
        application.withdrawNotification("p1")
        XCTAssertTrue(MainLoop.run(upTo: 5) { probe.events.count == 3 })
        application.withdrawNotification("never shown")
        // What the desktop does when the notification is clicked.
        g_action_group_activate_action(application.opaque, "open-link", g_variant_new_string(Self.uris[0]))
        desktop.end()
        application.quit()
      }
      XCTAssertEqual(try? application.run(), 0)
      XCTAssertEqual(probe.events, ["Notify", "Notify", "CloseNotification", Self.uris[0]])
    }
  }

  func testAMailIsWrittenByTheDesktopsProgramOrByItsAddress() {
    MainActor.assumeIsolated {
      guard let application = try? Application(id: "org.example.MatineeTests.Mail", instance: .own) else {
        return XCTFail("no application")
      }
      let probe = Probe()
      application.onActivate = {
        application.hold()
        let path = "/org/freedesktop/portal/desktop"
        guard
          let portal = DesktopProgram(
            "org.freedesktop.portal.Desktop", at: path, DesktopProgram.mail, application: application, probe: probe)
        else {
          return XCTFail("no portal")
        }
        @MainActor func compose(_ response: Int, _ token: String, ends: Bool) {
          let before = probe.events.count
          application.composeMail(subject: "Ünder & over?", text: "https://example.org/posts/1") { probe.events.append("no program") }
          XCTAssertTrue(MainLoop.run(upTo: 5) { probe.events.count > before })
          XCTAssertTrue(probe.events.last?.contains("<'Ünder & over?'>") == true && probe.events.last?.contains("<'\(token)'>") == true)
          XCTAssertTrue(probe.events.last?.contains("<'https://example.org/posts/1'>") == true)
          portal.respond(response, to: token)
          XCTAssertEqual(MainLoop.run(upTo: ends ? 5 : 0.3) { probe.events.last == "no program" }, ends)
        }
        compose(0, "matinee1", ends: false)
        compose(1, "matinee2", ends: false)
        // By its address then, which this desktop has no program for either.
        compose(2, "matinee3", ends: true)
        portal.end()
        application.composeMail(subject: "A", text: "B") { probe.events.append("no portal and no program") }
        XCTAssertTrue(MainLoop.run(upTo: 5) { probe.events.last == "no portal and no program" })
        application.quit()
      }
      XCTAssertEqual(try? application.run(), 0)
      XCTAssertEqual(probe.events.count, 5)
    }
  }

  /// What is said by the address instead of the portal. RFC 6068: UTF-8, and `%0D%0A` for each break of a line.
  func testTheAddressOfAMail() {
    let text = "One line = 100%\nAnother: #2 + \"three\"\r\n\r\nhttps://example.org/a?b=c&d"
    let address = MainActor.assumeIsolated { Application.mailAddress(subject: "Ünder & over?", text: text) }
    XCTAssertEqual(
      address,
      "mailto:?subject=%C3%9Cnder%20%26%20over%3F"
        + "&body=One%20line%20%3D%20100%25%0D%0AAnother%3A%20%232%20%2B%20%22three%22%0D%0A%0D%0Ahttps%3A%2F%2Fexample%2Eorg%2Fa%3Fb%3Dc%26d"
    )
  }

  func testDesktopMayTurnDarkAndLight() {
    MainActor.assumeIsolated {
      guard let application = try? Application(id: "org.example.MatineeTests.Dark", instance: .own) else {
        return XCTFail("no application")
      }
      let probe = Probe()
      application.onActivate = {
        application.hold()
        guard let bus = g_application_get_dbus_connection(application.pointer()) else { return XCTFail("no session bus") }
        let name = g_bus_own_name_on_connection(
          bus, "org.freedesktop.portal.Desktop", GBusNameOwnerFlags(rawValue: 0), nil, nil, nil, nil)
        @MainActor func announce(_ scheme: Int, _ isDark: Bool) {
          let value = g_variant_parse(nil, "('org.freedesktop.appearance', 'color-scheme', <uint32 \(scheme)>)", nil, nil, nil)
          g_dbus_connection_emit_signal(
            bus, nil, "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings", "SettingChanged", value, nil)
          if let value { g_variant_unref(value) }
          MainLoop.run(upTo: 5) { Theme.isDark == isDark }
          probe.events.append("\(Theme.isDark)")
        }
        settle()
        announce(1, true)
        Theme.use(.light)
        announce(1, false)
        Theme.use(.desktop)
        announce(0, false)
        announce(1, true)
        announce(2, false)
        g_bus_unown_name(name)
        application.quit()
      }
      XCTAssertEqual(try? application.run(), 0)
      XCTAssertEqual(probe.events, ["true", "false", "false", "true", "false"])
    }
  }

  func testTerminationIsAskedFor() {
    MainActor.assumeIsolated {
      let probe = Probe()
      guard let application = try? Application(id: "org.example.MatineeTests.End", instance: .own) else { return XCTFail("no application") }
      application.onActivate = {
        application.hold()
        kill(getpid(), SIGTERM)
      }
      application.onTerminate = {
        probe.events.append("terminate")
        application.quit()
      }
      MainLoop.after(seconds: 20) { application.quit() }
      XCTAssertEqual(try? application.run(), 0)
      XCTAssertEqual(probe.events, ["terminate"])
    }
  }

  func testWithoutADisplayNothingBreaks() throws {
    if isChild { return startWithoutDisplay() }
    let process = child("testWithoutADisplayNothingBreaks")
    process.environment?["DISPLAY"] = nil
    process.environment?["WAYLAND_DISPLAY"] = nil
    process.environment?["GDK_BACKEND"] = nil
    // The toolkit warns about the display that it does not find; that is what is tried here.
    process.environment?["G_DEBUG"] = nil
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0, said)
  }

  // MARK: In the other process

  private static let sharedID = "org.example.MatineeTests.Shared"
  private static let childKey = "MATINEE_GTK_TEST_CHILD"
  private static let uris = [
    "matinee://posts/1?publication=http%3A%2F%2F127.0.0.1%3A80", "matinee://posts/A b//../c", "nonsense", "-x", "matinee:%zz#é", "",
  ]

  private var isChild: Bool { ProcessInfo.processInfo.environment[Self.childKey] != nil }

  override func setUpWithError() throws {
    // A child may be meant to find no display.
    if !isChild { try super.setUpWithError() }
  }

  private func child(_ test: String) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["GtkTests.ApplicationTests/" + test]
    process.environment = ProcessInfo.processInfo.environment
    process.environment?[Self.childKey] = "1"
    process.standardOutput = FileHandle.nullDevice
    return process
  }

  private func startSecond() {
    MainActor.assumeIsolated {
      guard let application = try? Application(id: Self.sharedID, instance: .unique) else { return XCTFail("no application") }
      application.onStartup = { XCTFail("it is the first") }
      XCTAssertEqual(try? application.run(opening: Self.uris), 0)
    }
  }

  private func startWithoutDisplay() {
    MainActor.assumeIsolated {
      XCTAssertFalse(Toolkit.start())
      XCTAssertFalse(Theme.install())
      XCTAssertFalse(Icon.heart.isAvailable)
      Theme.use(.dark)
      guard let application = try? Application(id: "org.example.MatineeTests.Blind", instance: .own) else {
        return XCTFail("no application")
      }
      application.onStartup = { XCTFail("it cannot start") }
      application.onActivate = { XCTFail("it cannot be shown") }
      do throws(Application.Failure) {
        _ = try application.run()
        XCTFail("it cannot run")
      } catch {
        XCTAssertEqual(error, .noDisplay)
      }
    }
  }
}

/// A program of the desktop, by its name on the bus. Without one that shows notifications GLib warns as soon as the bus has said so, which may
/// be before the application ends.
@MainActor private struct DesktopProgram {
  static let notifications = """
    <node><interface name="org.freedesktop.Notifications">
      <method name="Notify">
        <arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
        <arg type="s" direction="in"/><arg type="as" direction="in"/><arg type="a{sv}" direction="in"/><arg type="i" direction="in"/>
        <arg type="u" direction="out"/>
      </method>
      <method name="CloseNotification"><arg type="u" direction="in"/></method>
    </interface></node>
    """
  static let mail = """
    <node><interface name="org.freedesktop.portal.Email">
      <method name="ComposeEmail">
        <arg type="s" direction="in"/><arg type="a{sv}" direction="in"/><arg type="o" direction="out"/>
      </method>
    </interface></node>
    """

  private let bus: OpaquePointer
  private let name: guint
  private let registration: guint

  /// - Parameters:
  ///   - interface: what it offers, as XML.
  ///   - probe: is told what the application asks for.
  init?(_ name: String, at path: String, _ interface: String, application: Application, probe: Probe) {
    guard let bus = g_application_get_dbus_connection(application.pointer()), let node = g_dbus_node_info_new_for_xml(interface, nil) else {
      return nil
    }
    defer { g_dbus_node_info_unref(node) }
    guard let offered = node.pointee.interfaces[0] else { return nil }
    var methods = GDBusInterfaceVTable()
    methods.method_call = { _, _, _, _, method, parameters, invocation, data in
      guard let method, let parameters, let invocation, let data else { return }
      var requested = String(cString: method)
      if requested == "ComposeEmail" {
        let text = g_variant_print(parameters, 0)
        requested += " " + String(cString: text)
        g_free(text)
      }
      nonisolated(unsafe) let probe = data
      MainActor.assumeIsolated { Unmanaged<Probe>.fromOpaque(probe).takeUnretainedValue().events.append(requested) }
      let answer: String? = requested == "Notify" ? "(uint32 1,)" : requested == "CloseNotification" ? nil : "(objectpath '/request',)"
      g_dbus_method_invocation_return_value(invocation, answer.flatMap { g_variant_parse(nil, $0, nil, nil, nil) })
    }
    self.bus = bus
    registration = g_dbus_connection_register_object(
      bus, path, offered, &methods, Unmanaged.passRetained(probe).toOpaque(), { Unmanaged<Probe>.fromOpaque($0!).release() }, nil)
    self.name = g_bus_own_name_on_connection(bus, name, GBusNameOwnerFlags(rawValue: 0), nil, nil, nil, nil)
  }

  /// Says what became of a request of the application's own.
  func respond(_ code: Int, to token: String) {
    let sender = String(cString: g_dbus_connection_get_unique_name(bus)!).dropFirst().replacing(".", with: "_")
    let value = g_variant_parse(nil, "(uint32 \(code), @a{sv} {})", nil, nil, nil)
    g_dbus_connection_emit_signal(
      bus, nil, "/org/freedesktop/portal/desktop/request/\(sender)/\(token)", "org.freedesktop.portal.Request", "Response", value, nil)
    if let value { g_variant_unref(value) }
  }

  func end() {
    g_bus_unown_name(name)
    g_dbus_connection_unregister_object(bus, registration)
  }
}
