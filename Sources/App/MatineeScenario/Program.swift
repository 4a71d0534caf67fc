import AppConfig
import AppScenarios
import BuildInfo
import CurlTransport
import Foundation
import HTTPTransport
import OpenIDConnectTesting
import PublicationAPI
import PublicationServer
import Runtime
import Synchronization

/// `matinee-scenario`: plays scenario files against the whole app, without a window and without a network.
@main @MainActor enum Program {
  private static let usage = """
    usage: matinee-scenario run [--quiet] FILE…

    Plays each scenario against the whole app with the sample publication, prints every change of a screen's state, and ends with
    `N passed, N failed`. A folder stands for the .json files in it. The status is 1 when one failed, 2 when a file is no scenario.
      --quiet     print no changes, only what became of each file
      --version   print the version
      --help      print this
    """

  static func main() async {
    Config().setUpModules()
    var arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "--help", "-h", "help": tell(usage)
    case "--version": tell("matinee-scenario \(Build.version)")
    case "run":
      arguments.removeFirst()
      let isQuiet = arguments.first == "--quiet"
      if isQuiet { arguments.removeFirst() }
      leave(await run(arguments, isQuiet: isQuiet))
    case let other:
      say(other.map { "“\($0)” is no command." } ?? "It takes a command.")
      say("See matinee-scenario --help.")
      leave(2)
    }
    leave(0)
  }

  private static func run(_ names: [String], isQuiet: Bool) async -> Int32 {
    guard !names.isEmpty, !names.contains(where: { $0.hasPrefix("-") }) else {
      say("run takes scenario files. See matinee-scenario --help.")
      return 2
    }
    // All are read before one is played, so that a slip in the last costs no time.
    let scenarios: [(file: String, scenario: Scenario)]
    do { scenarios = try names.flatMap(files).map { ($0, try read($0)) } } catch {
      say("\(error)")
      return 2
    }
    var failed = 0
    for (file, scenario) in scenarios {
      tell("\(file): \(scenario.name)")
      if let failure = await play(scenario, isQuiet ? { _ in } : { tell("  \($0)") }) {
        failed += 1
        tell("\(file):\(failure)")
      }
    }
    tell("\(scenarios.count - failed) passed, \(failed) failed")
    return failed == 0 ? 0 : 1
  }

  /// - Returns: where and why it did not go as it says; `nil` when it did.
  private static func play(_ scenario: Scenario, _ print: @escaping (String) -> Void) async -> String? {
    let folder = NSTemporaryDirectory() + "matinee-scenario-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let player = try await ScenarioPlayer(
        scenario, folder: folder,
        publication: { clock in
          let gateway = LedgerGateway(program: LedgerGateway.besideThisProgram, file: folder + "/ledger.jsonl")
          let publication = try await Publication(folder: nil, gateway: gateway, clock: clock, passwordCost: .none)
          var content = try SampleContent.publication(openedAt: clock.now)
          let other = Scenario.otherAccount
          content.accounts.append(.init(email: other.email, name: other.name, password: other.password))
          try await publication.install(content)
          return try await ScenarioPublication(around: publication, origin: scenario.origin, clock: clock)
        }, print: print)
      try await player.play()
      return nil
    } catch { return "\(error)" }
  }

  private static func read(_ file: String) throws(LocatedJSON.Failure) -> Scenario {
    try Scenario(json: LocatedJSON.contents(of: file), file: file) { try Data(contentsOf: URL(fileURLWithPath: $0)) }
  }

  /// A folder's scenarios in their names' order.
  private static func files(_ name: String) throws(LocatedJSON.Failure) -> [String] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: name, isDirectory: &isFolder), isFolder.boolValue else { return [name] }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: name).filter { $0.hasSuffix(".json") }.sorted().map { "\(name)/\($0)" }
    } catch { throw LocatedJSON.Failure(file: name, unreadable: error) }
  }

  private static func tell(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
  private static func say(_ line: String) { StandardError.write("matinee-scenario: \(line)") }

  /// At once: an app that a scenario killed is still there, and waits for what never comes.
  private static func leave(_ status: Int32) -> Never { _exit(status) }
}
