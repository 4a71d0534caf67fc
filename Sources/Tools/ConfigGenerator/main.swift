import Foundation
import Runtime

// ConfigGenerator FLAVOUR.json OUTPUT.swift: called by ConfigPlugin. What is wrong with the file is an error at its line, in the form that
// compilers have.

func fail(_ sentence: String) -> Never {
  StandardError.write(sentence)
  exit(1)
}

let paths = CommandLine.arguments.dropFirst()
guard let input = paths.first, let output = paths.last, paths.count == 2 else { fail("usage: ConfigGenerator FLAVOUR.json OUTPUT.swift") }
do {
  let facts = try LocatedJSON.decode(BuildFacts.self, from: Data(contentsOf: URL(filePath: input)), file: input)
  if facts.homepage.isPlaceholder, URL(filePath: input).lastPathComponent == "release.json" {
    StandardError.write("\(input): warning: The homepage is a placeholder. Write the real one before this build is published.")
  }
  let source = Data(GeneratedSource.text(facts, path: input).utf8)
  // A change to the sources of this program runs it again; an output that is left alone makes no module recompile.
  if (try? Data(contentsOf: URL(filePath: output))) != source { try source.write(to: URL(filePath: output)) }
} catch let failure as LocatedJSON.Failure {
  fail("\(failure.file):\(failure.line):\(failure.column): error: \(failure.problem)")
} catch { fail("\(input): error: \(error.systemReason)") }
