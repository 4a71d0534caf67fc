import Foundation
import PackagePlugin

/// Turns the flavour's JSON file in the target that uses it, the one that Package.swift does not exclude, into its `Config`.
@main
struct ConfigPlugin: BuildToolPlugin {
  struct Failure: Error, CustomStringConvertible { let description: String }

  func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
    let files = target.sourceModule?.sourceFiles.map(\.url).filter { $0.pathExtension == "json" } ?? []
    guard let file = files.first, files.count == 1 else {
      throw Failure(description: "\(target.name) needs the JSON file of one flavour, and has \(files.map(\.lastPathComponent))")
    }
    let output = context.pluginWorkDirectoryURL.appending(path: "GeneratedConfig.swift")
    return [
      .buildCommand(
        displayName: "Writing the configuration of the flavour \(file.deletingPathExtension().lastPathComponent)",
        executable: try context.tool(named: "ConfigGenerator").url, arguments: [file.path, output.path], inputFiles: [file],
        outputFiles: [output])
    ]
  }
}
