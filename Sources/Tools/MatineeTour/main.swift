import Driver
import Foundation
import Runtime

// Plays the whole path in a real window, from login to an unlocked article, and writes a picture of each screen.
//
//   matinee-tour PROGRAM FOLDER [ARGUMENT…]
//
// The arguments are passed on to the program. Its data lies in a folder that is gone afterwards.

func complain(_ sentence: String) { StandardError.write("matinee-tour: \(sentence)") }

var arguments = CommandLine.arguments.dropFirst()
guard let program = arguments.popFirst(), let folder = arguments.popFirst() else {
  complain("usage: matinee-tour PROGRAM FOLDER [ARGUMENT…]")
  exit(1)
}
let home = FileManager.default.temporaryDirectory.appending(path: "matinee-tour-\(ProcessInfo.processInfo.processIdentifier)")
do {
  let app = try AppDriver(executable: URL(filePath: program), home: home)
  defer {
    app.kill()
    try? FileManager.default.removeItem(at: home)
  }
  app.provideKeyring()
  let tour = Tour(app: app, folder: URL(filePath: folder, directoryHint: .isDirectory))
  do {
    try tour.play(Array(arguments))
    try tour.check()
  } catch {
    try? app.screenshot(to: tour.folder.appending(path: "failed.png"))
    throw error
  }
} catch {
  complain("\(error)")
  exit(1)
}
