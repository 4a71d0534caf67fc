import ContentCache
import FeatureKit
import Foundation
import HTTPTransport
import PublicationAPI
import PublicationClient
import ReaderContent
import Runtime

/// One signed-in reader of a scripted publication, with nothing live around.
@MainActor public struct ReaderFixture {
  /// The other end.
  public let publication: ScriptedPublication
  /// The door of this test.
  public let effects = Effects()
  /// Stands at the time that sample posts are as old as their numbers.
  public let clock = ManualClock(now: Date(timeIntervalSince1970: 1_700_000_000))
  /// Speaks for the reader.
  public let client: APIClient
  /// The reader's content.
  public let store: ContentStore
  /// British English, UTC.
  public let formatting: Formatting

  /// Signs in.
  public init(posts: [Post] = [], clubs: [FanClub] = []) {
    publication = ScriptedPublication(posts: posts, clubs: clubs)
    client = APIClient(transport: publication, token: { "token" })
    store = ContentStore(
      client: client, retry: RetryEnvironment(on: clock, random: FixedRandom()), effects: effects, identifiers: SequentialIdentifiers())
    formatting = Formatting(clock: clock, locale: Locale(identifier: "en_GB"), timeZone: .gmt)
  }

  /// Returns when all answers are there and all change notices were sent. Hangs while a request is held: see ``waitForSuspended(_:)``.
  public func settle() async {
    await effects.settled()
    await mainQueueTurn()
    await effects.settled()
  }

  /// Returns when that many requests are held and everything else that was to happen has happened.
  public func waitForSuspended(_ count: Int = 1) async {
    await publication.waitForSuspended(count)
    await effects.settled(holding: publication.suspendedCount)
    await mainQueueTurn()
    await effects.settled(holding: publication.suspendedCount)
  }
}
