import Foundation
import Runtime

/// Waits for another process to have written something, without asking again and again.
struct FileWatch: Sendable {
  struct TooLate: Error {}

  private let folder: String
  private let executor = ThreadExecutor(name: "file-watch")

  init(folder: String) { self.folder = folder }

  /// Returns when `name` in the folder holds `text`.
  /// - Throws: ``TooLate`` after 20 seconds.
  func wait(for name: String, toHold text: String) async throws {
    try await executor.run { [folder] in
      let watch = inotify_init1(Int32(IN_CLOEXEC))
      defer { close(watch) }
      inotify_add_watch(watch, folder, UInt32(IN_MODIFY | IN_CREATE))
      while true {
        let content = FileManager.default.contents(atPath: folder + "/" + name) ?? Data()
        if content.range(of: Data(text.utf8)) != nil { return }
        var wanted = pollfd(fd: watch, events: Int16(POLLIN), revents: 0)
        guard poll(&wanted, 1, 20_000) == 1 else { throw TooLate() }
        var events = [UInt8](repeating: 0, count: 4096)
        _ = read(watch, &events, events.count)
      }
    }
  }
}
