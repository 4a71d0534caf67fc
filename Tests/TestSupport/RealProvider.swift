import Foundation
import Runtime

/// An OpenID provider that is not ours, as a process of its own on loopback: one of the scripts in Tests/OpenIDConnectTests/providers.
public final class RealProvider: Sendable {
  /// Which server it is.
  public enum Kind: String, CaseIterable, Sendable {
    /// django-oauth-toolkit, from PyPI: RS256, any port.
    case django
    /// Debian's glewlwyd: ES256, registered ports alone.
    case glewlwyd

    /// Whether this machine has it.
    public var isHere: Bool {
      switch self {
      case .django: FileManager.default.fileExists(atPath: "\(RealProvider.packages)/oauth2_provider")
      case .glewlwyd: FileManager.default.isExecutableFile(atPath: "/usr/bin/glewlwyd")
      }
    }
  }

  /// What it says of itself.
  public struct Registration: Decodable, Sendable {
    /// Its identifier.
    public var issuer: String
    /// The identifier of the app there.
    public var clientID: String
    /// The ports that it knows; `nil` for any.
    public var ports: [Int]?
  }

  /// A provider that does not start.
  public struct Failure: Error { let output: String }

  /// What it says of itself.
  public let registration: Registration
  // Not Foundation's: a process that it starts has the signals blocked that this thread has, SIGTERM among them.
  private let process: ChildProcess
  private let input = Pipe()
  private let output = Pipe()

  private static let scripts = Checkout.root.appending(path: "Tests/OpenIDConnectTests/providers")
  private static var python: String { ProcessInfo.processInfo.environment["MATINEE_OPENID_PYTHON"] ?? "/usr/bin/python3" }
  /// Where PyPI's packages are; meson-helpers/test fetches them.
  private static let packages = Checkout.root.appending(path: ".build/openid-packages").path

  /// Starts one.
  /// - Parameter options: of its script.
  public init(_ kind: Kind, _ options: [String] = []) throws {
    let own = kind == .django ? ["--packages", Self.packages] : ["--redirect-ports", "27115", "27116"]
    // It ends with its input, and so with this process.
    process = try ChildProcess(
      Self.python, [Self.scripts.appending(path: "\(kind.rawValue)_provider.py").path] + own + options,
      environment: ProcessInfo.processInfo.environment, input: input.fileHandleForReading.fileDescriptor,
      output: output.fileHandleForWriting.fileDescriptor, errors: STDERR_FILENO)
    try output.fileHandleForWriting.close()
    registration = try JSONDecoder().decode(Registration.self, from: Self.line(output))
  }

  private static func line(_ output: Pipe) throws -> Data {
    let line = output.fileHandleForReading.line()
    guard line.last == UInt8(ascii: "\n") else { throw Failure(output: String(decoding: line, as: UTF8.self)) }
    return line
  }

  deinit { stop() }

  /// Ends it, and waits for that.
  public func stop() {
    // Its input may be open in a process that another test started just then.
    process.signal(SIGTERM)
    _ = process.wait()
  }

  /// Has it sign with a new key, where it was started so.
  /// - Throws: ``Failure``.
  public func rotate() throws {
    process.signal(SIGUSR1)
    _ = try Self.line(output)
  }

  /// Who signs in on the page.
  public enum Browser: String, Sendable {
    /// A script that plays one.
    case script = "browser.py"
    /// Debian's Chromium, without a window.
    case chromium = "chromium.py"

    /// Whether this machine has it.
    public var isHere: Bool { self == .script || FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium") }
  }

  /// Signs in on the page, and follows it back to the app.
  /// - Parameter options: of the script.
  /// - Returns: what the app answered to the browser.
  public static func browse(_ url: String, _ options: [String] = [], by browser: Browser = .script) async throws -> Program.Outcome {
    try await Program(browsing(options, by: browser) + [url]).run()
  }

  /// The command that does that; the page's address is its last word.
  public static func browsing(_ options: [String] = [], by browser: Browser = .script) -> [String] {
    [python, scripts.appending(path: browser.rawValue).path] + options
  }
}
