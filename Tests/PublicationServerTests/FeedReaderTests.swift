import Dispatch
import FeedFormats
import Foundation
import HTTPTransport
import PublicationAPI
import Testing

@testable import PublicationServer

/// The thread that documents are read on.
@Suite struct FeedReaderTests {
  /// A document that takes until the semaphore is signalled.
  private struct LongDocument {
    let end = DispatchSemaphore(value: 0)
    let reading: Task<Void, any Error>

    /// Returns once it is being read.
    init(_ reader: FeedReader, bytes: Int = 0) async throws {
      let (begun, continuation) = AsyncStream<Void>.makeStream()
      reading = Task { [end] in
        try await reader.run(bytes) {
          continuation.finish()
          end.wait()
        }
      }
      for await _ in begun {}
    }
  }

  /// Each is a request to an address that the reader chooses.
  @Test func aReaderBeginsSoManyImportsAnHour() async throws {
    let readers = try await FeedReadersRig()
    for _ in 0..<120 { _ = try await readers.end(await readers.post(Data("none".utf8))) }
    let refused = await readers.post(Data("none".utf8))
    #expect((refused.status, try refused.problem.code) == (429, .tooManyAttempts))
    #expect(await readers.post(Data("none".utf8), readers.bo).status == 202)
    readers.rig.clock.advance(by: .seconds(3600))
    #expect(await readers.post(Data("none".utf8)).status == 202)
  }

  @Test func aReaderAddsSoMuchAnHour() async throws {
    let limits = ImportLimits()
    for _ in 0..<2 {
      try limits.startImport(of: "ada", at: 0)
      limits.add(bytes: 250_000_000, of: "ada", at: 0)
    }
    let refusal = #expect(throws: Problem.self) { try limits.startImport(of: "ada", at: 3599) }
    #expect(refusal?.title == "You have added 500 MB of feeds within an hour. Wait a while before the next one.")
    try limits.startImport(of: "bo", at: 3599)
    try limits.startImport(of: "ada", at: 3600)
    // What is in a document counts.
    let readers = try await FeedReadersRig()
    let reader = try await readers.rig.get("/v1/session", readers.ada, as: Reader.self).id
    func document(_ count: Int) -> Data {
      let text = String(repeating: "Twelve bytes", count: count)
      return Data("<rss version='2.0'><channel><item><description>\(text)</description></item></channel></rss>".utf8)
    }
    _ = try await readers.end(await readers.post(document(100)))
    #expect(readers.rig.publication.importLimits.bytes(of: reader) == 1200)
    readers.web.answer(FeedReadersRig.url, Response(200, body: document(100)))
    _ = try await readers.end(try await readers.begin(FeedReadersRig.url))
    #expect(readers.rig.publication.importLimits.bytes(of: reader) == 2400)
    // However little a post says, it has a row.
    _ = try await readers.end(await readers.post(document(1), name: "short.xml"))
    #expect(readers.rig.publication.importLimits.bytes(of: reader) == 2912)
  }

  /// Reading takes as long as somebody makes it take.
  @Test func nobodyElseWaitsWhileADocumentIsRead() async throws {
    let readers = try await FeedReadersRig()
    readers.web.answer(FeedReadersRig.url, Response(200, body: Documents.rss("One")))
    let document = try await LongDocument(readers.rig.publication.feedReader)
    let begun = [try await readers.begin(FeedReadersRig.url), await readers.post(Documents.rss("Two"))]
    // More often than the shared pool has threads.
    for _ in 0..<100 { #expect(try await readers.posts().isEmpty) }
    for response in begun {
      let id = try Wire.decode(Import.self, from: response.body).id
      #expect(try await readers.rig.get("/v1/imports/\(id)", readers.ada, as: Import.self).state == .running)
    }
    document.end.signal()
    try await document.reading.value
    for response in begun { #expect(try await readers.end(response).state == .done) }
    #expect(try await readers.posts().count == 2)
  }

  @Test func aShortDocumentDoesNotWaitForALongOneAndThereIsRoomForSoManyLongOnes() async throws {
    let reader = FeedReader()
    let long = try await LongDocument(reader, bytes: 50 << 20)
    #expect(try await reader.run(300) { 1 } == 1)
    let waiting = (0..<2).map { _ in Task { try await reader.run(50 << 20) {} } }
    for _ in 0..<1_000 { await Task.yield() }
    await #expect(throws: FeedReader.Busy.self) { try await reader.run(50 << 20) {} }
    long.end.signal()
    try await long.reading.value
    for task in waiting { try await task.value }
    // One that is larger than all of the room is read when it is alone.
    try await reader.run(1 << 30) {}
  }

  /// Whoever closes the publication waits for the document that is being read, and for none behind it.
  @Test func aDocumentThatNobodyWantsIsNotRead() async throws {
    let reader = FeedReader()
    let document = try await LongDocument(reader)
    let next = Task { try await reader.run(0) { Issue.record("was read") } }
    next.cancel()
    document.end.signal()
    try await document.reading.value
    await #expect(throws: CancellationError.self) { try await next.value }
  }

  /// One that is cancelled while it is being read is read no further.
  @Test func aDocumentThatNobodyWantsAnyMoreIsReadNoFurther() async throws {
    let reader = FeedReader()
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let gate = DispatchSemaphore(value: 0)
    let reading = Task {
      try await reader.run(0) {
        begin.yield()
        gate.wait()
        return try FeedParser.parse(Documents.rss("One"), source: "test").items.count
      }
    }
    for await _ in begun { break }
    reading.cancel()
    gate.signal()
    await #expect(throws: CancellationError.self) { try await reading.value }
  }
}
