// A process of its own for the tests of the token store: `TokenStoreProbe PUBLICATION STEP…` runs each step on a store of that
// publication and prints one line about it. Steps: `load`, `save:TOKEN:USER`, `clear`, `willClear`, `limit:MILLISECONDS`, `garbage` (puts what is no
// session where one is kept), `run:COMMAND` (by the shell, so that the keyring can change while this process lives).

import CSecretShims
import DesktopServices
import Foundation
import SessionService

let publication = CommandLine.arguments.dropFirst().first ?? ""
let folder = ProcessInfo.processInfo.environment["HOME"] ?? "/"
var limits = SecretServiceTokenStore.Limits(prompt: .seconds(5))
var store = SecretServiceTokenStore(schema: "app.matinee.Matinee.Test", publication: publication, folder: folder, limits: limits)

for step in CommandLine.arguments.dropFirst(2) {
  let parts = step.split(separator: ":").map(String.init)
  do {
    switch (parts.first, parts.count) {
    case ("load", 1):
      let session = try await store.load()
      print(session.map { "loaded \($0.token.revealed) of \($0.user.name)" } ?? "nothing")
    case ("save", 3):
      let user = User(id: parts[2], email: "\(parts[2])@example.org", name: parts[2])
      try await store.save(StoredSession(token: Secret(parts[1]), user: user))
      print("saved")
    case ("clear", 1):
      try await store.clear()
      print("cleared")
    case ("willClear", 1):
      await store.willClear()
      print("noted")
    case ("limit", 2):
      let limit = Duration.milliseconds(Int(parts[1]) ?? 0)
      store = SecretServiceTokenStore(
        schema: "app.matinee.Matinee.Test", publication: publication, folder: folder, limits: .init(answer: limit, prompt: limit))
    case ("garbage", 1):
      matinee_secret_answer_free(
        matinee_secret_save("app.matinee.Matinee.Test", publication, "session", "garbage", "no session", 5000, 5000))
    case ("run", 2):
      // Not `Process`, which waits for daemons too: they inherit what it waits on.
      guard system(parts[1]) == 0 else { print("could not run \(parts[1])"); continue }
    default: print("unknown step \(step)")
    }
  } catch {
    switch error {
    case .noService: print("no service")
    case .locked: print("locked")
    case .timedOut: print("timed out")
    case .failed(let detail): print("failed: \(detail)")
    }
  }
}
