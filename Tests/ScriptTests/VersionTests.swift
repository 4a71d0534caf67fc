import Foundation
import Testing

/// What meson-helpers/build-info writes into a build, seen from the places that sources may lie in.
@Suite struct VersionTests {
  private let shell: Shell

  init() throws { shell = try Shell() }

  private func git(_ folder: String, _ arguments: String...) throws -> String {
    // Nothing of this machine's settings: no signing, no hooks.
    let answer = try Shell.run(
      ["/usr/bin/env", "git", "-C", folder, "-c", "user.name=Ada", "-c", "user.email=ada@example.org"] + arguments,
      environment: ["PATH": "/usr/bin:/bin", "HOME": shell.folder.path, "GIT_CONFIG_NOSYSTEM": "1"])
    try #require(answer.status == 0, "\(answer.output)")
    return answer.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// A repository of so many commits, and the short hash of the last.
  private func repository(commits: Int) throws -> (folder: String, hash: String) {
    let folder = shell.folder.appending(path: "repository").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    _ = try git(folder, "init", "-q")
    for number in 0..<commits { _ = try git(folder, "commit", "-q", "--allow-empty", "-m", "\(number)") }
    return (folder, try git(folder, "rev-parse", "--short", "HEAD"))
  }

  /// `BUILDS.CI.HASH`, for a build of the sources in a folder.
  private func build(_ folder: String, ci: String = "", path: String = "/usr/bin:/bin") throws -> String {
    let output = shell.folder.appending(path: "Generated.swift")
    let answer = try Shell.run(
      ["/bin/sh", Shell.root.appending(path: "meson-helpers/build-info").path, folder, output.path, ci],
      environment: ["PATH": path, "HOME": shell.folder.path])
    try #require(answer.status == 0, "\(answer.output)")
    let text = try String(contentsOf: output, encoding: .utf8)
    return String(try #require(text.firstMatch(of: /static var build: String { "(.*)" }/), "\(text)").1)
  }

  @Test func aRepositoryCountsItsCommitsAndNamesTheLast() throws {
    defer { shell.remove() }
    let (folder, hash) = try repository(commits: 3)
    #expect(try build(folder) == "3.0.\(hash)")
    #expect(try build(folder, ci: "17") == "3.17.\(hash)")
    #expect(try build(folder, ci: "v17") == "3.0.\(hash)")
  }

  @Test func soDoesAWorktreeOfIt() throws {
    defer { shell.remove() }
    let (folder, hash) = try repository(commits: 2)
    let worktree = shell.folder.appending(path: "worktree").path
    _ = try git(folder, "worktree", "add", "-q", "--detach", worktree)
    #expect(try build(worktree) == "2.0.\(hash)")
  }

  @Test func outsideARepositoryNothingIsKnown() throws {
    defer { shell.remove() }
    let plain = shell.folder.appending(path: "plain").path
    try FileManager.default.createDirectory(atPath: plain, withIntermediateDirectories: true)
    #expect(try build(plain) == "0.0.unknown")
  }

  @Test func theRepositoryAroundAnUnpackedArchiveIsNotItsOwn() throws {
    defer { shell.remove() }
    let archive = try repository(commits: 1).folder + "/archive"
    try FileManager.default.createDirectory(atPath: archive, withIntermediateDirectories: true)
    #expect(try build(archive) == "0.0.unknown")
  }

  @Test func soItIsWhereNobodyHasGit() throws {
    defer { shell.remove() }
    try shell.keep("cat")
    #expect(try build(try repository(commits: 1).folder, path: shell.bin.path) == "0.0.unknown")
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away")) func aRepositoryOfAnotherUserIsReadAsWell() throws {
    defer { shell.remove() }
    let (folder, hash) = try repository(commits: 1)
    _ = try Shell.run(["/bin/chown", "-R", "65534:65534", folder], environment: [:])
    #expect(try build(folder) == "1.0.\(hash)")
  }
}
