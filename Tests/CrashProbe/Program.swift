import AppConfig
import Foundation

/// A client for the crash matrix: buys with the real purchase layer, journal and network, and stands still at every point of the way, so
/// that it can be killed there.
@main enum Program {
  static func main() async {
    Config().setUpModules()
    let standing = Standing()
    var report: Report
    do {
      let errand = try JSONDecoder().decode(Errand.self, from: Data((CommandLine.arguments.dropFirst().first ?? "").utf8))
      report = try await Client(errand, standing).run()
    } catch {
      report = Report(failure: "\(error)")
    }
    standing.say(.done(report))
    _exit(0)
  }
}
