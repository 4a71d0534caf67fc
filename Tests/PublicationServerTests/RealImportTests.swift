import FeedFormats
import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import Testing

private let feedFiles: [URL] = {
  let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  let folder =
    ProcessInfo.processInfo.environment["MATINEE_FEEDS"].map { URL(filePath: $0) }
    ?? package.deletingLastPathComponent().appending(path: "shared/data/feeds")
  let found = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
  return found.sorted { $0.path < $1.path }
}()

/// Feeds as they are on the web: run when the folder that they are kept in is there.
@Suite(.enabled(if: !feedFiles.isEmpty, "no feeds: set MATINEE_FEEDS")) struct RealImportTests {
  @Test func everyItemBecomesAPostOnce() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    var imported = 0
    for file in feedFiles {
      let document = try FeedParser.document(Data(contentsOf: file), source: file.path)
      if case .outline(let list) = document {
        let report = try await rig.publication.importOutline(list)
        #expect((report.items, report.added) == (list.outlines.count, list.feeds.count), "\(file.lastPathComponent)")
      }
      guard case .feed(let feed) = document else { continue }
      let first = try await rig.publication.importFeed(feed, source: file.path)
      #expect((first.items, first.added) == (feed.items.count, feed.items.count), "\(file.lastPathComponent)")
      rig.clock.advance(by: .seconds(60))
      let second = try await rig.publication.importFeed(feed, source: file.path)
      #expect((second.items, second.unchanged) == (feed.items.count, feed.items.count), "\(file.lastPathComponent)")
      imported += feed.items.count
    }
    var stored: [String] = []
    var cursor: String?
    repeat {
      let page = try await rig.get("/v1/posts?limit=100\(cursor.map { "&cursor=\($0)" } ?? "")", token, as: Page<Post>.self)
      stored += page.items.map(\.id).filter { $0.count == 25 }
      cursor = page.next
    } while cursor != nil
    #expect(imported > 0)
    #expect(stored.count == imported)
    #expect(Set(stored).count == imported)
  }
}
