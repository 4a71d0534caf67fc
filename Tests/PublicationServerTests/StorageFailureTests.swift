import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import SQLiteStorage
import Synchronization
import Testing

@testable import PublicationServer

/// A file beside the database that cannot be written: people read a sentence, and nothing of Foundation's.
@Suite struct StorageFailureTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// As `PrivateFile` and Foundation report a full disk.
  static let full: [CocoaError] = [
    failure(.fileWriteUnknown, ENOSPC), failure(.fileWriteUnknown, EDQUOT), CocoaError(.fileWriteOutOfSpace),
  ]

  private static func failure(_ code: CocoaError.Code, _ cause: Int32) -> CocoaError {
    CocoaError(code, userInfo: [NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(cause))])
  }

  @Test(arguments: full) func aFullDiskIsToldAsByTheDatabase(error: CocoaError) async throws {
    let told = Mutex<[String]>([])
    let rig = try await Rig { line in told.withLock { $0.append(line) } }
    let failure = StorageFailure.of(error, at: "/data/receipts.pem")
    #expect("\(failure)" == "The disk is full, and nothing of this was stored.")
    let response = rig.publication.response(to: Request(.post, "/v1/operator/keys"), after: failure)
    #expect(response.status == 507)
    #expect(try response.problem.title == "The publication has no room left, and nothing of this was stored. Try again later.")
    #expect(told.withLock { $0.count } == 1)
    #expect(told.withLock { $0.allSatisfy { $0.hasSuffix("is full, and nothing of this was stored.") } })
    await rig.publication.close()
  }

  @Test(arguments: [EACCES, EROFS, EIO]) func anyOtherReasonIsTheSystems(cause: Int32) {
    let failure = StorageFailure.of(Self.failure(.fileWriteUnknown, cause), at: "/data/receipts.pem")
    #expect("\(failure)" == "/data/receipts.pem cannot be used: \(String(cString: strerror(cause))).")
  }

  @Test func aFirstStartThatCannotWriteTheKeySaysWhy() async throws {
    // In the way of the key, also where a superuser runs the tests.
    try FileManager.default.createDirectory(atPath: folder.file("receipts.pem.partial"), withIntermediateDirectories: true)
    let lines = Mutex<[String]>([])
    let embedded = EmbeddedPublication(folder: folder.path, clock: ManualClock(now: Rig.start), web: nil) { line in
      lines.withLock { $0.append(line) }
    }
    let reason = "\(folder.file("receipts.pem")) cannot be used: \(String(cString: strerror(EEXIST)))."
    let answer = try await embedded.answer(Request(.get, "/v1/publication"))
    #expect(try answer.problem.title == "The publication on this computer cannot be opened. \(reason)")
    #expect(lines.withLock { $0 } == [reason])
    // The next request tries again.
    try FileManager.default.removeItem(atPath: folder.file("receipts.pem.partial"))
    #expect(try await embedded.answer(Request(.get, "/v1/publication")).status == 200)
    await (try await embedded.opened()).close()
  }
}
