import Foundation
import TestSupport

/// A home folder and a session bus of their own for one script: the keyring of whoever runs the tests is neither seen nor touched.
struct PrivateSession {
  /// What a machine needs for these tests.
  static let missingTools: [String] = ["dbus-run-session", "dbus-send", "gnome-keyring-daemon"].filter { tool in
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return !folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
  }

  /// Starts the keyring, unlocked, and waits until it is there: the daemon takes its name only after it went to the background.
  static let keyring = """
    printf password | gnome-keyring-daemon --unlock --components=secrets --daemonize >/dev/null 2>&1
    tries=0
    until owner=$(dbus-send --session --print-reply --dest=org.freedesktop.DBus / \\
      org.freedesktop.DBus.GetConnectionUnixProcessID string:org.freedesktop.secrets 2>/dev/null); do
      tries=$((tries + 1))
      [ $tries -lt 2000 ] || { echo 'the keyring did not start'; exit 1; }
    done
    keyring=${owner##* }
    trap 'kill -KILL $keyring 2>/dev/null' EXIT

    """

  static let lock = """
    dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets \\
      org.freedesktop.Secret.Service.Lock array:objpath:/org/freedesktop/secrets/collection/login >/dev/null

    """

  /// What refuses to type the keyring's password. Debian's own python has what it needs.
  static let prompter = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "prompter.py").path
  static let refusing = """
    /usr/bin/python3 '\(prompter)' & prompter=$!
    trap 'kill -KILL $keyring $prompter 2>/dev/null' EXIT
    tries=0
    until dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner \
      string:org.gnome.keyring.SystemPrompter 2>/dev/null | grep -q true; do
      tries=$((tries + 1))
      [ $tries -lt 2000 ] || { echo 'the prompter did not start'; exit 1; }
    done

    """

  /// Runs a script, in which `probe` is the program beside this one that drives a token store.
  /// - Parameters:
  ///   - bus: whether to run it within a session bus.
  ///   - environment: on top of a bare one.
  /// - Returns: the lines that it printed.
  static func run(_ script: String, bus: Bool = true, environment: [String: String] = [:]) async throws -> [String] {
    let folder = URL(filePath: "/tmp/matinee-keyring-\(UUID().uuidString.prefix(8))")
    let runtime = folder.appending(path: "runtime")
    try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { remove(folder) }
    let configuration = try SessionBus.writeConfiguration(in: folder)
    let beside = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let program = "probe() { '\(beside.appending(path: "TokenStoreProbe").path)' \"$@\"; }\n" + script
    let wrapper = bus ? ["dbus-run-session", "--config-file=\(configuration.path)", "--"] : []

    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    // Test threads block signals, and children inherit that: the bus could not be told to end.
    process.arguments = ["--default-signal"] + wrapper + ["sh", "-c", program]
    // By default one looks for leaks, takes what GLib keeps for such, and ends the probe before its lines are written.
    let sanitizers = ProcessInfo.processInfo.environment.filter { ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains($0.key) }
    process.environment = [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": folder.path, "XDG_RUNTIME_DIR": runtime.path,
      "XDG_DATA_HOME": "\(folder.path)/data", "XDG_CONFIG_HOME": "\(folder.path)/config", "XDG_CACHE_HOME": "\(folder.path)/cache",
      "LD_LIBRARY_PATH": ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] ?? "", "G_DEBUG": "fatal-criticals",
    ].merging(sanitizers) { $1 }.merging(environment) { $1 }
    let printed = folder.appending(path: "printed")
    try Data().write(to: printed)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: printed)
    process.standardError = FileHandle.nullDevice
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in continuation.resume() }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    let text = try String(decoding: Data(contentsOf: printed), as: UTF8.self)
    return text.split(separator: "\n").map(String.init)
  }

  /// The bus may still be taking its socket away, which makes a removal fail half-way.
  private static func remove(_ folder: URL) {
    for _ in 0..<1000 where FileManager.default.fileExists(atPath: folder.path) { try? FileManager.default.removeItem(at: folder) }
  }
}
