import DesktopServices
import SessionService
import Testing

/// Against a real keyring in a session of its own; each step runs in a process of its own (see `TokenStoreProbe`).
@Suite(.enabled(if: PrivateSession.missingTools.isEmpty, "not installed: \(PrivateSession.missingTools.joined(separator: ", "))"))
struct KeyringTests {
  @Test func aSessionIsThereForTheNextProcess() async throws {
    let lines = try await PrivateSession.run(
      PrivateSession.keyring + """
        probe http://one load save:t1:ada load
        probe http://one load
        probe http://one save:t2:bo
        probe http://one load
        """)
    #expect(lines == ["nothing", "saved", "loaded t1 of ada", "loaded t1 of ada", "saved", "loaded t2 of bo"])
  }

  @Test func eachPublicationHasItsOwn() async throws {
    let lines = try await PrivateSession.run(
      PrivateSession.keyring + """
        probe http://one save:t1:ada
        probe http://two load save:t2:bo
        probe http://one load clear load clear
        probe http://two load
        """)
    #expect(lines == ["saved", "nothing", "saved", "loaded t1 of ada", "cleared", "nothing", "cleared", "loaded t2 of bo"])
  }

  @Test func whatIsNoSessionCountsAsNothing() async throws {
    let lines = try await PrivateSession.run(PrivateSession.keyring + "probe http://one garbage load save:t1:ada load")
    #expect(lines == ["nothing", "saved", "loaded t1 of ada"])
  }

  @Test func aLockedKeyringThatNobodyUnlocksIsLocked() async throws {
    let lines = try await PrivateSession.run(
      PrivateSession.keyring + "probe http://one save:t1:ada\n" + PrivateSession.lock + "probe http://one load save:t2:bo clear")
    #expect(lines == ["saved", "locked", "locked", "locked"])
  }

  /// Whoever is asked for the keyring's password, and says no, waits for nothing.
  @Test func aKeyringWhosePasswordIsRefusedIsLocked() async throws {
    let lines = try await PrivateSession.run(
      PrivateSession.keyring + "probe http://one save:t1:ada\n" + PrivateSession.refusing + PrivateSession.lock + "probe http://one load")
    #expect(lines == ["saved", "asked password", "locked"])
  }

  @Test func nobodyIsAskedToUnlockAKeyringWithNothingInIt() async throws {
    let lines = try await PrivateSession.run(PrivateSession.keyring + PrivateSession.lock + "probe http://one load clear")
    #expect(lines == ["nothing", "cleared"])
  }

  @Test func aKeyringThatDoesNotAnswerIsGivenUpAndTriedAgain() async throws {
    let lines = try await PrivateSession.run(
      PrivateSession.keyring + """
        probe http://one save:t1:ada "run:kill -STOP $keyring" limit:200 load save:t2:bo clear "run:kill -CONT $keyring" \\
          limit:5000 load
        """)
    #expect(lines == ["saved", "timed out", "timed out", "timed out", "loaded t1 of ada"])
  }

  @Test func whatAHangingKeyringWasToForgetIsNotFoundByTheNextProcess() async throws {
    let lines = try await PrivateSession.run(
      PrivateSession.keyring + """
        probe http://one save:t1:ada "run:kill -STOP $keyring" limit:200 willClear clear
        probe http://one limit:200 load
        kill -CONT $keyring
        probe http://one load load save:t2:bo
        probe http://one load willClear save:t3:ada
        probe http://one load
        """)
    #expect(
      lines == [
        "saved", "noted", "timed out", "timed out", "nothing", "nothing", "saved", "loaded t2 of bo", "noted", "saved", "loaded t3 of ada",
      ])
  }

  @Test func aKeyringThatGoesAndComesBackIsFoundAgain() async throws {
    let restart = "printf password | gnome-keyring-daemon --unlock --components=secrets --daemonize >/dev/null 2>&1"
    let wait = "until dbus-send --session --print-reply --dest=org.freedesktop.secrets / org.freedesktop.DBus.Peer.Ping; do true; done"
    let lines = try await PrivateSession.run(
      PrivateSession.keyring + """
        probe http://one save:t1:ada "run:kill -KILL $keyring" load save:t2:bo clear "run:\(restart)" \\
          "run:(\(wait)) >/dev/null 2>&1" load
        pid=$(dbus-send --session --print-reply --dest=org.freedesktop.DBus / \\
          org.freedesktop.DBus.GetConnectionUnixProcessID string:org.freedesktop.secrets)
        kill -KILL ${pid##* }
        """)
    #expect(lines == ["saved", "no service", "no service", "no service", "loaded t1 of ada"])
  }

  @Test func noTokenIsInAnyFileInTheClear() async throws {
    let lines = try await PrivateSession.run(
      PrivateSession.keyring + """
        probe http://one save:hush4711:ada
        find "$HOME" -name '*.keyring' | grep -c .
        grep -rl --exclude=printed hush4711 "$HOME" || echo none
        """)
    #expect(lines == ["saved", "1", "none"])
  }

  @Test func aBusWithoutAKeyringIsNoService() async throws {
    #expect(try await PrivateSession.run("probe http://one load save:t1:ada clear") == ["no service", "no service", "no service"])
  }
}

@Suite struct WithoutASessionBusTests {
  /// libsecret answers with NULL where there is nothing; its file back end needs neither a bus nor a keyring.
  @Test func nothingIsFoundWhereNothingIs() async throws {
    let lines = try await PrivateSession.run(
      """
      export SECRET_BACKEND=file SECRET_FILE_TEST_PATH="$HOME/secrets" SECRET_FILE_TEST_PASSWORD=password
      probe http://one load clear save:t1:ada load clear load
      """, bus: false)
    #expect(lines == ["nothing", "cleared", "saved", "loaded t1 of ada", "cleared", "nothing"])
  }

  @Test(
    arguments: [
      ["DBUS_SESSION_BUS_ADDRESS": "disabled:"],
      ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus"],
      // With a display GLib would start a bus by itself, and leave it behind.
      ["DISPLAY": ":4711"],
      [:],
    ])
  func thereIsNoService(environment: [String: String]) async throws {
    let lines = try await PrivateSession.run("probe http://one load save:t1:ada clear", bus: false, environment: environment)
    #expect(lines == ["no service", "no service", "no service"])
  }

  @Test func aSessionThenLastsUntilTheAppEndsAndNothingIsWritten() async throws {
    let script = "probe http://one save:hush4711:ada; grep -rl --exclude=printed hush4711 \"$HOME\" || echo none"
    let lines = try await PrivateSession.run(script, bus: false, environment: ["DBUS_SESSION_BUS_ADDRESS": "disabled:"])
    #expect(lines == ["no service", "none"])
  }
}
