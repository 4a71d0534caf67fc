import Foundation
import PackagePlugin

/// Writes the commit into one generated source file of the target that uses it.
///
/// The command runs again when what HEAD points to changes; git records that in different files for a commit, a checkout, a
/// worktree and a fresh clone, so all that exist are inputs.
@main
struct BuildInfoPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
    let package = context.package.directoryURL
    let script = package.appending(path: "meson-helpers/build-info")
    let output = context.pluginWorkDirectoryURL.appending(path: "GeneratedBuildInfo.swift")
    let ciRun = ProcessInfo.processInfo.environment["MATINEE_CI_RUN"] ?? "0"
    return [
      .buildCommand(
        displayName: "Writing the version of this build",
        executable: URL(filePath: "/bin/sh"),
        arguments: [script.path, package.path, output.path, ciRun],
        inputFiles: [script] + headFiles(in: package),
        outputFiles: [output])
    ]
  }

  private func headFiles(in package: URL) -> [URL] {
    guard let own = gitFolder(of: package) else { return [] }
    // A worktree has a HEAD of its own and shares the branches with the main checkout.
    var shared = own
    if let common = text(at: own.appending(path: "commondir")) {
      shared = URL(filePath: common, directoryHint: .isDirectory, relativeTo: own)
    }
    var files = [own.appending(path: "HEAD"), own.appending(path: "logs/HEAD"), shared.appending(path: "packed-refs")]
    if let head = text(at: own.appending(path: "HEAD")), head.hasPrefix("ref: ") {
      files.append(shared.appending(path: String(head.dropFirst("ref: ".count))))
    }
    // A missing input would fail the build.
    return files.map(\.standardizedFileURL).filter { FileManager.default.fileExists(atPath: $0.path) }
  }

  /// The folder git keeps its state in; nil when the package is no checkout, e.g. an unpacked archive.
  private func gitFolder(of package: URL) -> URL? {
    let git = package.appending(path: ".git")
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: git.path, isDirectory: &isFolder) else { return nil }
    if isFolder.boolValue { return URL(filePath: git.path, directoryHint: .isDirectory) }
    guard let pointer = text(at: git), pointer.hasPrefix("gitdir: ") else { return nil }
    return URL(filePath: String(pointer.dropFirst("gitdir: ".count)), directoryHint: .isDirectory, relativeTo: package)
  }

  private func text(at file: URL) -> String? {
    try? String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
