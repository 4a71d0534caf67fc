import FeatureFlags
import Foundation
import Runtime

// An app that does nothing but run: a session over the file it is given, until its standard input ends; then it quits as it should.

/// One flag, on for everybody; takes no events.
private struct Backend: FlagSource, FlagSink {
  func rules(for client: ClientCapabilities) async throws -> FetchedRules { FetchedRules(rules: [try FlagRule(name: "new", percent: 100)]) }
  func send(_ events: [FlagEvent], of user: String) async throws { throw FlagError.unreachable }
}

let flags = Flags(
  FlagEnvironment(
    client: ClientCapabilities(version: .zero), scope: "server", path: CommandLine.arguments[1], clock: SystemClock(), effects: Effects()),
  source: Backend(), sink: Backend())
flags.onProblem = { FileHandle.standardError.write(Data("\($0)\n".utf8)) }
await flags.open()
await flags.refresh()
flags.begin("reader")
_ = flags.isOn(Flag("new"))
await flags.written()
FileHandle.standardOutput.write(Data("running\n".utf8))
_ = try await ThreadExecutor(name: "input").run { readLine() }
flags.end()
await flags.written()
