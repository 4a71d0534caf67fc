import Foundation
import PublicationAPI

/// A session as the publication stores it: the family of its tokens (RFC 9700, section 4.14.2).
///
/// A refresh token is `FAMILY.TOKEN`. The first half stays the same as long as the session lasts: by it an exchanged token is recognised as
/// one of the family, without storing any of those. Of all secrets only digests are stored.
enum SessionFamily {
  /// Never used again.
  typealias ID = Int64

  /// The digests of a refresh token.
  struct Refresh: Equatable, Sendable {
    let family: Data
    let token: Data
  }

  /// The digests of the tokens that are given to a client together.
  struct Tokens: Equatable, Sendable {
    let access: Data
    let refresh: Refresh
  }

  /// One session of a reader, for the reader to look at.
  struct Listed: Equatable, Sendable {
    let id: ID
    let device: String?
    let began: Int64
    let used: Int64
  }

  /// The outcome of exchanging a refresh token.
  enum Exchange: Equatable, Sendable {
    /// It was exchanged, and whose and which session it is.
    case exchanged(Reader, ID)
    /// It had been exchanged before, so that its session was ended.
    case reused(ID)
    /// It is unknown, or no longer valid.
    case unknown
  }

  /// How many successors of a token are valid until one of them is used. A request may arrive after the one that replaced it, and a token
  /// store may wrongly report that it has stored a successor.
  static let successors = 4
  /// The most sessions of a reader; a further one ends the least recently used.
  static let most = 100
}
