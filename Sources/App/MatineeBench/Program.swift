import AppConfig
import BuildInfo
import Foundation
import Runtime

/// Why a benchmark cannot be run; one sentence.
struct Mistake: Error, CustomStringConvertible { let description: String }

/// `matinee-bench`: measures ours and a baseline in the same run. Figures never fail a test; `--check` makes goals count.
@main enum Program {
  private static let usage = """
    usage: matinee-bench NAME… [--rounds N] [--core NAME] [--feeds FOLDER] [--json] [--check]

      receipt       full verification of a receipt, against one signature check and one JSON decoding
      store         what was read, on the disk: the first page out of 100,000 posts, and writing 10,000, against sqlite3 in C
      cache         one action with 1,000 pages alive, 3 on screen, against broadcasting it to every page's own copy; with GTK the pages
                    on screen are widgets and need a display
      build         debug builds of `matinee` after a one-line change in each core, beside the same change with all sources in one module;
                    run it in the repository's folder
      feed          reading feeds of every format, against libxml2 parsing the same bytes, and JSONSerialization for those in JSON
      list          100,000 posts: making the model, binding a row, a frame while scrolling, against the same in C; needs GTK and a display
      start         starts of the installed app on both renderers, and its memory, against the least window in C; needs a display and xdotool
      --rounds N    how often each is measured; the median counts (default: 9, for build 5)
      --core NAME   build: only this core
      --feeds FOLDER  feed: the feeds to read (default: those of the tests, in the repository's folder)
      --json        one line of JSON for each figure
      --check       status 1 when a goal is missed

    meson-helpers/bench builds and runs it, with a virtual display where there is none.
    """

  static func main() async {
    Config().setUpModules()
    do {
      exit(try await run(Array(CommandLine.arguments.dropFirst())) ? 0 : 1)
    } catch {
      StandardError.write("matinee-bench: \(error)")
      exit(2)
    }
  }

  /// - Returns: whether goals that count are met.
  private static func run(_ arguments: [String]) async throws -> Bool {
    var (names, rounds, core, isJSON, isCheck) = ([String](), Int?.none, String?.none, false, false)
    var feeds = "Tests/FeedFormatsTests/Fixtures"
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h":
        print(usage)
        return true
      case "--version":
        print("matinee-bench \(Build.version)")
        return true
      case "--json": isJSON = true
      case "--check": isCheck = true
      case "--core": core = rest.popFirst()
      case "--feeds":
        guard let folder = rest.popFirst() else { throw Mistake(description: "--feeds takes a folder.") }
        feeds = folder
      case "--rounds":
        guard let number = rest.popFirst().flatMap({ Int($0) }), (1...1000).contains(number) else {
          throw Mistake(description: "--rounds takes a number from 1 to 1000.")
        }
        rounds = number
      case "receipt", "build", "feed", "store", "cache", "list", "start": names.append(argument)
      default: throw Mistake(description: "“\(argument)” is no benchmark. See matinee-bench --help.")
      }
    }
    guard !names.isEmpty else { throw Mistake(description: "it takes the name of a benchmark.\n\(usage)") }
    var areMet = true
    for name in names {
      let report: (Figure) throws -> Void = { figure in
        areMet = areMet && figure.isMet
        print(isJSON ? String(decoding: try JSONEncoder().encode(figure), as: UTF8.self) : figure.line)
      }
      switch name {
      case "build": try await BuildBenchmark(rounds: rounds ?? 5, core: core).run(report)
      case "feed": for figure in try FeedBenchmark(folder: feeds).run(rounds: rounds ?? 9) { try report(figure) }
      case "store": for figure in try await StoreBenchmark.run(rounds: rounds ?? 9) { try report(figure) }
      case "cache": for figure in try await CacheBenchmark.run(rounds: rounds ?? 9) { try report(figure) }
      case "list":
        #if GTK
          for figure in try await ListBenchmark.run(rounds: rounds ?? 9) { try report(figure) }
        #else
          throw Mistake(description: "list needs GTK, which this build leaves out.")
        #endif
      case "start":
        #if GTK
          for figure in try await StartBenchmark().run(rounds: rounds ?? 9) { try report(figure) }
        #else
          throw Mistake(description: "start needs GTK, which this build leaves out.")
        #endif
      default: for figure in try await ReceiptBenchmark.run(rounds: rounds ?? 9) { try report(figure) }
      }
    }
    return areMet || !isCheck
  }
}
