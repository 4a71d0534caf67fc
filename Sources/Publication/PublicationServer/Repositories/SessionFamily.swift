import Foundation
import PublicationAPI

/// A session as the publication stores it: the family of its tokens (RFC 9700, section 4.14.2).
enum SessionFamily {
  /// Never used again.
  typealias ID = Int64

  /// The digests of the tokens that are given to a client together.
  struct Tokens: Equatable, Sendable {
    let access: Data
    let refresh: Data
  }

  /// What became of a refresh token.
  enum Exchange: Equatable, Sendable {
    /// It was exchanged, and whose it is.
    case exchanged(Reader)
    /// It had been exchanged before, so that its session was ended.
    case reused(ID)
    /// It is none, or none any more.
    case unknown
  }
}
