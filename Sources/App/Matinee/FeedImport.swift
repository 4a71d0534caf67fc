import AppAssembly
import CurlTransport
import FeedFormats
import Foundation
import HTTPTransport
import PublicationServer
import Runtime
import SQLiteStorage

/// `matinee --import`: adds feeds to the embedded publication, without a window.
struct FeedImport {
  private let options: LaunchOptions

  init(_ options: LaunchOptions) { self.options = options }

  /// - Returns: the exit status: 0 when every source was imported.
  func run(_ sources: [String]) async -> Int32 {
    let wiring: Wiring
    do { wiring = try Wiring(options, persistsSession: false) } catch { fail("\(error)") }
    let publication: Publication
    let web: NetworkTransport
    do {
      web = try Wiring.feedWeb()
      publication = try await Wiring.embedded(in: wiring.folder, clock: SystemClock(), web: nil).opened()
    } catch { fail("\(error)") }
    let status = await ImportCommand(publication: publication, web: web, json: options.json).run(sources)
    await publication.close()
    // The folder stays locked as long as the publication may write to it.
    return withExtendedLifetime(wiring.folder) { status }
  }
}
