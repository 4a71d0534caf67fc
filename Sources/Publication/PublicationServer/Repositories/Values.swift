import Foundation
import PublicationAPI

/// Which posts, and from where on.
struct PostQuery: Equatable, Sendable {
  var fanClub: FanClub.ID?
  var isBookmarked = false
  var isFollowed = false
  var isUnread = false
  /// Whether there may be posts whose club was removed, which would leave a page short.
  var isSweeping = false
  /// Whether only some of the posts are checked at a time.
  var isInParts = false
  /// The last post of the page before.
  var after: PostPosition?
  /// The last post that is checked; `nil` for the last one that there is.
  var until: PostPosition?
  var limit: Int
}

/// A post's place in the list, newest first. It stays where it is however many posts are added.
struct PostPosition: Equatable, Sendable {
  var published: Int64
  var id: Post.ID
}

/// Posts that are marked as read at one stroke.
struct ReadAll: Equatable, Sendable {
  /// When the newest of them appeared, in seconds since 1970.
  var until: Int64
  /// Whose posts; `nil` for all clubs'.
  var clubs: [FanClub.ID]?
  /// The post of the first of ``clubs`` behind which they start.
  var after: PostPosition?
  /// The same where they are all clubs': a post's number in the order in which they were stored.
  var number: Int64 = 0
  /// Names the stroke, to take it back by; `nil` for what cannot be taken back.
  var mark: String?
}

/// A club's place in the list by name.
struct NamePosition: Equatable, Sendable {
  var key: String
  var id: FanClub.ID
}

/// What a reader does to a post.
enum Mark: String, Sendable {
  case reaction
  case bookmark
  case read = "read_mark"
}

/// What became of writing a comment.
enum CommentOutcome: Equatable, Sendable {
  case written(Comment, isNew: Bool)
  /// The identifier is another comment's, or a deleted one's.
  case taken
}

/// Where a page of a search ended.
struct SearchPosition: Equatable, Sendable {
  /// What comes first. It stays the same from page to page.
  enum Order: String, Sendable {
    /// What has the words most, headlines before bodies.
    case best
    /// For words that nearly everything has, of which none is better than another.
    case newest
  }

  var order: Order
  /// How many hits came before.
  var offset: Int

  /// Where a page may start behind the first one: no reader goes through more than a million hits.
  static let offsets = 1...1_000_000
}

/// Which orders, and from where on.
struct OrderQuery: Equatable, Sendable {
  /// Whose; `nil` for all readers'.
  var reader: Reader.ID?
  /// In one state; `nil` for any.
  var state: Order.State?
  /// Of one product; `nil` for any.
  var product: ProductRecord.ID?
  /// The last order of the page before.
  var after: Order.ID?
  /// `nil` for all.
  var limit: Int?
}

/// An order as the publication stores it. Times are whole seconds since 1970.
struct StoredOrder: Equatable, Sendable {
  var id: Order.ID
  var reader: Reader.ID
  var product: ProductRecord.ID
  var kind: ProductRecord.Kind
  var entitlement: String
  var group: String?
  var period: String?
  var consumable: String?
  var amount: Int?
  var total: Int
  var currency: String
  var tax: Tax?
  /// The number for people; none before it was started.
  var code = ""
  var state = Order.State.open
  var created: Int64
  var declineReason: String?
  var paid: Int64?
  var expires: Int64?
  /// Why it is being given back, or was.
  var refundReason: String?
}

/// One try to charge an order. Its number changes only after a definite no, so that another request to the gateway is for the same charge.
struct ChargeAttempt: Equatable, Sendable {
  /// Each leaves a line in the books of publication and gateway.
  static let most = 100

  var order: Order.ID
  var number: Int
  var token: String
  /// What names the charge to the gateway: the order, and from the second try on its number.
  var key: String { number == 1 ? order : "\(order)-\(number)" }
}

/// A page for the system browser, as the publication stores it.
struct StoredCheckout: Equatable, Sendable {
  /// What the reader does there.
  enum Purpose: String, Sendable {
    /// To pay.
    case payment
    /// To confirm a payment that the bank wants to have confirmed.
    case confirmation
  }

  /// Where it stands.
  enum State: String, Sendable {
    case open, authorized, expired
    /// The reader said no on the page.
    case cancelled
    /// The reader went back on it in the client, which waits for no answer any more.
    case withdrawn

    /// What clients are told: whether it was there or here that the reader said no is nothing to them.
    var shown: Checkout.State {
      switch self {
      case .open: .open
      case .authorized: .authorized
      case .expired: .expired
      case .cancelled, .withdrawn: .cancelled
      }
    }
  }

  /// It cannot be guessed, and anybody who has it may answer.
  var key: String
  var order: Order.ID
  var purpose: Purpose
  var state = State.open
  var expires: Int64
  var token: String?
  var isUsed = false

  /// Where it stands at that time.
  func state(at time: Int64) -> State { state == .open && time >= expires ? .expired : state }
}

/// What became of spending a pass on a post.
enum UnlockOutcome: Equatable, Sendable {
  /// It is open to the reader, by this pass, an earlier one, or without any.
  case open
  case noBalance
  case noPost
}

/// What became of removing a fan club.
enum RemovalOutcome: Equatable, Sendable {
  case removed
  case noClub
  /// Somebody else added it, or no reader did.
  case notYours
  /// Another reader follows it, or did something to one of its posts.
  case inUse
}

/// A feed on its way into the publication.
struct ImportedFeed: Equatable, Sendable {
  /// A post, and whether its time is only when it was first seen, which does not change when it is seen again.
  struct Item: Equatable, Sendable {
    var post: Post
    var isUndated: Bool
  }

  var club: FanClub
  var source: String
  /// See ``FeedOrigin``.
  var isExisting = false
  var items: [Item]

  /// How many items are stored in one step, and of how many bytes: others have their turn in between.
  private static let mostOfPart = (items: 200, bytes: 1_000_000)

  /// The items in parts, each for one step; at least one part.
  var parts: [Range<Int>] {
    var (parts, start, bytes) = ([Range<Int>](), 0, 0)
    for (index, item) in items.enumerated() {
      if index - start == Self.mostOfPart.items || bytes > Self.mostOfPart.bytes {
        parts.append(start..<index)
        (start, bytes) = (index, 0)
      }
      bytes += (item.post.body ?? "").utf8.count
    }
    return parts + [start..<items.count]
  }
}

/// What became of a list of feeds, or of a part of one.
struct AddedClubs: Equatable, Sendable {
  /// How many are added in one step.
  static let mostOfPart = 200

  var all: [FanClub.ID] = []
  /// Those of them that were not there before.
  var new: [FanClub.ID] = []
  /// Those that the reader did not follow before.
  var followed: [FanClub.ID] = []
}
