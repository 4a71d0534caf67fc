import Foundation
import Testing

/// `matinee-server flag …`, whether the publication is being served or nobody has it open.
@Suite struct FlagCommandTests: ServerRig {
  let folder: Folder
  init() throws { folder = try Folder() }

  private func flag(_ arguments: String...) async throws -> Server.Outcome {
    if !FileManager.default.fileExists(atPath: data) { try await Server.makeSample(data) }
    return try await Server.run(["flag"] + arguments + ["--data", data])
  }

  @Test func switchesAreTurnedWhileItIsServedAndWhileItIsNot() async throws {
    let set = try await flag("set", "new", "--percent", "10", "--min-version", "1.2", "--feature", "a", "--feature", "b")
    #expect(
      set == Server.Outcome(status: 0, output: "new: on for 10 % of the readers, from version 1.2 on, with a, b\n", errors: ""))
    let server = try await RunningServer(folder: data)
    #expect(try await flag("set", "new", "--percent", "50").output == "new: on for 50 % of the readers\n")
    #expect(try await flag("set", "another", "--percent", "0").status == 0)
    #expect(
      try await flag("list").output == "another: on for 0 % of the readers\nnew: on for 50 % of the readers\n")
    let report = try await flag("report", "new")
    #expect(report.status == 0)
    #expect(report.output.hasPrefix("new: on for 50 % of the readers\n\n"))
    #expect(report.output.contains("\npaywalls seen         0     0\n"))
    #expect(try await server.end(SIGTERM) == 0)
    #expect(try await flag("list").output.hasSuffix("new: on for 50 % of the readers\n"))
  }

  @Test func whatMakesNoSenseIsRefused() async throws {
    let name = try await flag("set", "New", "--percent", "1")
    #expect(name.status == 1)
    #expect(name.errors == "matinee-server: “New” is no flag’s name: that is 1 to 64 of a-z, 0-9, “.”, “_” and “-”.\n")
    let version = try await flag("set", "new", "--percent", "1", "--min-version", "next")
    #expect(version.errors == "matinee-server: The flag “new” is for versions from “next” on, which is no version.\n")
    #expect(try await flag("report", "new").errors == "matinee-server: There is no flag “new”.\n")
    #expect(try await flag("set", "new").status == 2)
  }
}
