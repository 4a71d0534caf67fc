import FeatureKit
import FeedFormats
import Foundation
import PublicationAPI

extension ArticleBody.Block {
  /// Whether a picture is in it.
  func shows(_ url: String) -> Bool {
    switch self {
    case .image(let image): image.url == url
    case .quote(let blocks): blocks.contains { $0.shows(url) }
    case .list(let items): items.contains { $0.blocks.contains { $0.shows(url) } }
    case .paragraph, .heading, .code, .table, .rule: false
    }
  }
}

extension ArticleViewModel {
  /// Everything the page shows, and nothing else.
  public struct State: Equatable, Sendable {
    /// As much of the text as there is.
    public enum Text: Equatable, Sendable {
      /// The opening; the body is being loaded, could not be loaded, or there is none.
      case teaser(String)
      /// The opening; the rest requires access: "Unlock" belongs below it.
      case locked(teaser: String)
      /// The whole text, in blocks.
      case body([ArticleBody.Block])
    }

    /// How the article stands.
    public var phase = EntityPhase.loading
    /// Title, byline, club, date, picture, counts and flags; there from the first moment when a list has shown the post. Without the
    /// picture once the text itself shows it.
    public var post: PostRow?
    /// The text, once anything is known of the post.
    public var text: Text?
    /// The files that belong to the post; none while only its opening is there.
    public var attachments: [Attachment] = []
    /// How the reader can open a locked text with a pass: "Unlock with a pass (3 left)"; `nil` without passes.
    public var passOffer: String?
    /// Whether a pass is being spent, or what was paid for is on its way; nothing that unlocks can be pressed then.
    public var isUnlocking = false
    /// Whether a payment is under way that may unlock it.
    public var isPaying = false
    /// Whether the text is being loaded again on the reader's request.
    public var isRefreshing = false
    /// Whether the reader has begun a comment that was not sent.
    public var hasDraft = false
    /// What is special about the store, such as that nothing is charged; `nil` for nothing.
    public var badge: String?
    /// A note that the text is the one stored on this computer; `nil` for the publication's present one.
    public var note: String?
    /// A short message to the reader; `nil` for none.
    public var message: String?

    /// What the page shows in place of the article; `nil` where something of it is there, and the article was not removed.
    public var statusPage: StatusPage? {
      if case .gone = phase {} else if post != nil { return nil }
      return phase.statusPage(loading: "Fetching the article…")
    }
    /// What is under way while there is something to read; `nil` for nothing, and while the post is being unlocked, which its bar says.
    public var underWay: String? {
      guard post != nil, !isUnlocking else { return nil }
      return switch phase {
      case .loading: "Fetching the article…"
      case .ready: isRefreshing ? "Refreshing…" : nil
      case .offline, .failed, .gone: nil
      }
    }
    /// Why the rest of what is to be read did not come; `nil` while there is no reason.
    public var failure: String? {
      guard post != nil, !isUnlocking else { return nil }
      return switch phase {
      case .offline(let sentence), .failed(let sentence): sentence
      case .loading, .ready, .gone: nil
      }
    }
    /// Whether the rest requires access.
    public var isLocked: Bool { if case .locked = text { true } else { false } }
    /// What it takes to read on.
    public var wallSentence: String {
      isPaying
        ? "A payment of yours is being confirmed. “Unlock” says what it waits for."
        : "Unlock premium to read this story and everything else."
    }
    /// Whether what stands below a text is shown. While the post is being unlocked nothing moves, so that readers do not lose their place.
    public var showsEnd: Bool { phase == .ready || isUnlocking }
    /// What stands on the button that leads to the comments; `nil` without the button: a reader without access can read comments, and not
    /// write any.
    public var commentsTitle: String? {
      guard let post, !post.isLocked || !post.comments.isEmpty else { return nil }
      return hasDraft ? "Continue your comment" : post.comments.isEmpty ? "Write a comment" : "Read the comments"
    }

    /// The state before anything is loaded.
    public init() {}
  }
}

/// A file that belongs to a post, ready to be drawn.
public struct Attachment: Codable, Equatable, Sendable {
  /// Where it is: an absolute http or https URL.
  public var url: String
  /// What it is called.
  public var name: String
  /// Its kind, length and size, where known: "Audio · 45 min · 12.3 MB"; may be empty.
  public var facts: String

  /// - Returns: `nil` for what no program should be given.
  init?(_ enclosure: Enclosure, formatting: Formatting) {
    guard let parts = URLComponents(string: enclosure.url), ["http", "https"].contains(parts.scheme?.lowercased()),
      let host = parts.host, !host.isEmpty
    else { return nil }
    url = enclosure.url
    let title = enclosure.title?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    let file = parts.path.split(separator: "/").last.map(String.init) ?? ""
    name = !title.isEmpty ? title : file.isEmpty ? host : file
    let facts = [
      Self.kind(enclosure.type), enclosure.duration.map { formatting.duration(seconds: $0) },
      enclosure.length.map { formatting.bytes($0) },
    ]
    self.facts = facts.compactMap(\.self).joined(separator: "\u{a0}\u{a0}·  ")
  }

  private static func kind(_ type: String?) -> String? {
    guard let type = type?.lowercased() else { return nil }
    if type.hasPrefix("audio/") { return "Audio" }
    if type.hasPrefix("video/") { return "Video" }
    if type.hasPrefix("image/") { return "Picture" }
    return type.hasPrefix("application/pdf") ? "PDF" : nil
  }
}
