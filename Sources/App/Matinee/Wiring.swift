import AppAssembly
import AppConfig
import CStubProducts
import CurlTransport
import DesktopServices
import FeatureKit
import Foundation
import HTTPTransport
import PublicationAPI
import PublicationClient
import PublicationServer
import Runtime
import SQLiteStorage
import SessionService
import StubStore

/// The live parts of one start: where data is, which publication answers, what keeps the token.
struct Wiring {
  let origin: String
  let folder: DataFolder
  let transport: any Transport
  /// The same for pictures, which are kept in files. Their limit is that of preferences until those are read.
  let pictures: CachingTransport
  let tokenStore: any TokenStore
  /// Reaches identity providers. A redirect could lead anywhere, and would take what the reader signs in with along.
  let identities: any Transport
  /// What sells in place of the publication; `nil` for the publication itself.
  let testStore: TestStore?
  /// What answers in place of the publication, for the tester panel.
  let stubAnswers: StubTransport?

  /// - Parameter persistsSession: false for a start that must leave nothing behind.
  /// - Throws: `DataFolder.Failure`, `TransportError`, `LocatedJSON.Failure`, `TestStore.Refusal`:
  ///   each says what is wrong in a sentence.
  init(_ options: LaunchOptions, folder path: String? = nil, persistsSession: Bool = true) throws {
    let products = try Self.stubProducts(options)
    folder = try DataFolder(path: path ?? Self.folder(options))
    let clock = SystemClock()
    testStore = try products.map { [folder] in
      try TestStore($0, allowed: Config().allowsStubStore, clock: clock, folder: folder.path)
    }
    var answering: any Transport
    if let publication = options.publication {
      origin = publication
      answering = OriginSplit(publication: try NetworkTransport(origin: publication, limits: .init(redirects: 0)), web: try Self.web())
    } else {
      origin = "embedded"
      let embedded = Self.embedded(in: folder, clock: clock, web: try Self.feedWeb())
      answering = OriginSplit(publication: InProcessTransport { try await embedded.answer($0) }, web: try Self.web())
    }
    if let file = options.faultsFile {
      let plan = try FaultPlan(json: try LocatedJSON.contents(of: file), file: file)
      answering = FaultTransport(answering, plan: plan, clock: clock)
    }
    stubAnswers = try options.stubAnswersFile.map { [answering] in try StubTransport(answering, file: $0, clock: clock) }
    answering = stubAnswers ?? answering
    if LoggedTransport.logs("network") { answering = LoggedTransport(wrapped: answering) }
    transport = answering
    identities = try NetworkTransport(origin: nil, limits: .strangers(largest: IdentityProvider.documentLimit))
    pictures = CachingTransport(
      transport, folder: path.map { $0 + "/cache" } ?? Self.cacheFolder(options), limit: Preferences.Values().pictureLimit << 20,
      largest: APIClient.largestPicture, clock: clock)
    let keyringName = options.keyringName(of: origin, in: folder.path, canBuy: Config().canBuy)
    tokenStore =
      persistsSession
      ? SecretServiceTokenStore(schema: Config().identity, publication: keyringName, folder: folder.path) : MemoryTokenStore()
  }

  /// The publication inside the app, opened with the first request so that nothing is read before the curtain is painted.
  static func embedded(in folder: DataFolder, clock: any AppClock, web: (any Transport)?) -> EmbeddedPublication {
    EmbeddedPublication(folder: folder.path + "/publication", clock: clock, web: web) { line in
      StandardError.write("publication: \(line)")
    }
  }

  /// Where the publication inside the app fetches feeds; redirects are its to follow.
  static func feedWeb() throws(TransportError) -> NetworkTransport {
    try NetworkTransport(origin: nil, limits: .strangers(largest: Import.documentLimit))
  }

  /// What the test store sells; `nil` when the publication sells. A build that cannot buy sells for nothing, so that what comes after a
  /// purchase can be tried in it too.
  private static func stubProducts(_ options: LaunchOptions) throws -> StubStoreFile? {
    if let file = options.stubProductsFile { return try StubStoreFile(json: LocatedJSON.contents(of: file), name: file) }
    guard !Config().canBuy else { return nil }
    let sample = Data(bytes: matinee_stub_products_start(), count: matinee_stub_products_size)
    return try StubStoreFile(json: sample, name: "the sample's products")
  }

  /// What the web answers with: pictures. Apart from the publication, whose answers shall not have to wait for a slow host.
  private static func web() throws(TransportError) -> NetworkTransport {
    try NetworkTransport(origin: nil, limits: .init(body: APIClient.largestPicture))
  }

  private static func folder(_ options: LaunchOptions) -> String { folder(options, below: "XDG_DATA_HOME", or: ".local/share") }

  /// Pictures, in a folder of this publication's own: two may have the same path.
  private static func cacheFolder(_ options: LaunchOptions) -> String {
    let folder = folder(options, below: "XDG_CACHE_HOME", or: ".cache")
    return folder + (options.dataFolder == nil ? "/pictures" : "/cache")
  }

  private static func folder(_ options: LaunchOptions, below variable: String, or place: String) -> String {
    let base = getenv(variable).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(NSHomeDirectory())/\(place)"
    return options.folder(below: base, canBuy: Config().canBuy)
  }
}

/// Logs why there was no answer, in the system's words, for the person who runs the app: readers get a sentence.
struct LoggedTransport: Transport {
  let wrapped: any Transport

  /// Whether `MATINEE_LOG` names this topic, among others, for standard error.
  static func logs(_ name: String) -> Bool {
    // `ProcessInfo` would make a dictionary of all variables.
    getenv("MATINEE_LOG").map { String(cString: $0).split(separator: ",").contains { $0 == name } } ?? false
  }

  func send(_ request: Request) async throws -> Response {
    do {
      return try await wrapped.send(request)
    } catch let error as TransportError {
      StandardError.write("matinee: \(request.method.rawValue) \(request.target): \(error)")
      throw error
    }
  }
}
