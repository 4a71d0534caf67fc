import AppConfig
import AppAssembly
import BuildInfo
import Foundation
import Gtk
import Runtime

// Where live parts are wired, and nothing else. `main` stays synchronous: the toolkit's loop drives the main actor.

/// Says why in one sentence, and ends with a status other than 0.
func fail(_ sentence: String, status: Int32 = 1) -> Never {
  StandardError.write("matinee: \(sentence)")
  leave(status)
}

/// Ends the process at once. What was accepted is written by now; the handlers that `exit` runs are not for a process with threads:
/// libcrypto's frees what a thread that still works needs.
func leave(_ status: Int32) -> Never {
  fflush(nil)
  _exit(status)
}

// A closed pipe at the end of the log is no reason to end.
signal(SIGPIPE, SIG_IGN)
Toolkit.shareHeaps()
Config().setUpModules()
let options: LaunchOptions
do { options = try LaunchOptions(Array(CommandLine.arguments.dropFirst())) } catch { fail(error.sentence, status: 2) }

switch options.task {
case .version: print(Build.version)
case .help: print("\(LaunchOptions.help)\n\nReport problems at \(Config().homepage)/issues.")
case .importFeeds(let sources):
  Task { leave(await FeedImport(options).run(sources)) }
  dispatchMain()
case .open, .screenshot:
  let app = LiveApp(options)
  // Its closures hold it weakly; an optimized build lets go of it as early as it may.
  leave(withExtendedLifetime(app) { app.run() })
}
