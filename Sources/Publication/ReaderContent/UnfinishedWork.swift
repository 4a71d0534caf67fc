import Foundation
import PublicationAPI

/// What a reader has begun and not ended: it is there again at the next start.
public struct UnfinishedWork: Codable, Equatable, Sendable {
  /// What the reader is writing, by the post that it is about.
  public var drafts: [Post.ID: String] = [:]
  /// The refused comments whose text stands in a draft already.
  var handedBack: Set<UUID> = []
  /// The address of a feed that the reader is adding; `nil` for none.
  var feedAddress: String?
  /// Where the reader is in long posts.
  public var places: ReadingPlaces = ReadingPlaces()

  /// No drafts, no address and no places.
  public init() {}

  /// Whether it has a text that the reader typed, and that an earlier state of it has not.
  /// - Parameter stored: the earlier state; `nil` for none.
  public func hasText(beyond stored: UnfinishedWork?) -> Bool {
    drafts.contains { !$0.value.isEmpty && stored?.drafts[$0.key] != $0.value }
      || feedAddress != nil && feedAddress != stored?.feedAddress
  }
}

/// A place in the text of a post, at any width of the window.
public struct ReadingPlace: Codable, Equatable, Sendable {
  /// The block of the text that is at the upper edge, from 0.
  public var block: Int
  /// How much of it is above the edge, up to 1; negative for the first block while the picture above the text is read.
  public var fraction: Double

  public init(block: Int, fraction: Double) {
    self.block = block
    self.fraction = fraction
  }
}

/// The places in posts where a reader stopped, of as many as a reader comes back to.
public struct ReadingPlaces: Codable, Equatable, Sendable {
  private struct Entry: Codable, Equatable, Sendable {
    var post: Post.ID
    var place: ReadingPlace
  }

  /// The one that was left last is the last.
  private var entries: [Entry] = []
  private static let most = 200

  /// Without any place.
  public init() {}

  /// The place in a post; `nil` for its beginning. The one that was set first goes when there are too many.
  public subscript(post: Post.ID) -> ReadingPlace? {
    get { entries.last { $0.post == post }?.place }
    set {
      entries.removeAll { $0.post == post }
      if let newValue { entries.append(Entry(post: post, place: newValue)) }
      if entries.count > Self.most { entries.removeFirst() }
    }
  }
}
