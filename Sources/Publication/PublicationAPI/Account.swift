import Foundation

/// `POST /v1/session`: signs in.
public struct Credentials: Codable, Equatable, Sendable {
  /// The address; compared without case.
  public var email: String
  /// The reader's password, as they typed it.
  public var password: String
  /// The reader's name of the device, such as its host name, which distinguishes their sessions.
  public var device: String?

  public init(email: String, password: String, device: String? = nil) {
    self.email = email
    self.password = password
    self.device = device
  }
}

/// `POST /v1/session/refresh`: exchanges a refresh token for new tokens of the same session (RFC 6749, section 6, with rotation as RFC 9700,
/// section 4.14.2, has it).
///
/// The old token can be exchanged again until one of its successors was used: no reader is signed out by an answer that was lost, late, or
/// not stored. Until then the last four successors are valid. An exchange of the old token after that ends the session: one of two clients
/// that have the token stole it.
public struct RefreshRequest: Codable, Equatable, Sendable {
  /// The token to exchange: ``SignedIn/refreshToken``.
  public var refreshToken: String

  public init(refreshToken: String) { self.refreshToken = refreshToken }
}

/// A reader of a publication.
public struct Reader: Codable, Equatable, Sendable, Identifiable {
  /// Stable within the publication.
  public var id: String
  /// The address that the reader signs in with.
  public var email: String
  /// What to call the reader.
  public var name: String

  public init(id: String, email: String, name: String) {
    self.id = id
    self.email = email
    self.name = name
  }
}

/// The answer to ``Credentials`` and to ``RefreshRequest``. Both tokens are secrets; never in a log.
public struct SignedIn: Codable, Equatable, Sendable {
  /// For `Authorization: Bearer …` of each request. Valid for an hour; never stored.
  public var accessToken: String
  /// Exchanged for new tokens when the access token has expired. Valid until the session was not used for ninety days.
  public var refreshToken: String
  /// The reader who is signed in by these tokens.
  public var reader: Reader

  public init(accessToken: String, refreshToken: String, reader: Reader) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.reader = reader
  }
}

/// The body of every answer with a status of 400 and above, as `application/problem+json` (RFC 9457).
public struct Problem: Codable, Equatable, Sendable, Error {
  /// What went wrong, for programs: see ``Code``.
  public struct Code: RawRepresentable, Codable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The code's text, in snake case.
    public var rawValue: String
    /// A code with that text; unknown ones stay as they are.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A code with that text.
    public init(stringLiteral value: String) { rawValue = value }

    /// The request's form is wrong.
    public static let badRequest: Code = "bad_request"
    /// Email and password do not match.
    public static let wrongCredentials: Code = "wrong_credentials"
    /// A code that was mailed is another one; the title says how many tries are left.
    public static let wrongCode: Code = "wrong_code"
    /// An ID token is not acceptable, or signs in no reader: 401, 403 or 409.
    public static let identityRejected: Code = "identity_rejected"
    /// A code that was mailed is too old, was used, or was tried too often.
    public static let codeExpired: Code = "code_expired"
    /// The token is missing, unknown or has ended.
    public static let sessionEnded: Code = "session_ended"
    /// A refresh token was exchanged twice, so that its session was ended: one of the two clients that have it stole it.
    public static let sessionReused: Code = "session_reused"
    /// There is no such thing.
    public static let notFound: Code = "not_found"
    /// The body, or the document in it, is larger than is read.
    public static let tooLarge: Code = "too_large"
    /// The path does not know this method.
    public static let methodNotAllowed: Code = "method_not_allowed"
    /// The publication does not sell this product.
    public static let unknownProduct: Code = "unknown_product"
    /// The payment provider declined; the title is a sentence for the reader.
    public static let paymentDeclined: Code = "payment_declined"
    /// The payment provider could not be reached; the charge's outcome is unknown, so try again with the same order.
    public static let paymentUnavailable: Code = "payment_unavailable"
    /// The reader has too little on the balance for this: see ``Balance``.
    public static let noBalance: Code = "no_balance"
    /// The reader needs access to do this: the post is premium.
    public static let locked: Code = "locked"
    /// It is another reader's.
    public static let notYours: Code = "not_yours"
    /// The publication cannot do this here, such as a hosted checkout without a server.
    public static let notOffered: Code = "not_offered"
    /// The receipt is not genuine, or not this reader's.
    public static let receiptRejected: Code = "receipt_rejected"
    /// The receipt was taken back, such as by a refund; the title is a sentence for the reader.
    public static let receiptRevoked: Code = "receipt_revoked"
    /// The same identifier was used for something else before.
    public static let conflict: Code = "conflict"
    /// The reader has what they want to buy already; the title is a sentence for the reader.
    public static let alreadyOwned: Code = "already_owned"
    /// Other readers use it, so it stays; the title is a sentence for the reader.
    public static let inUse: Code = "in_use"
    /// It took longer than a request may; nothing was changed.
    public static let deadlineExceeded: Code = "deadline_exceeded"
    /// The publication is being maintained; `Retry-After` says for how long, probably.
    public static let maintenance: Code = "maintenance"
    /// Something broke in the server.
    public static let internalError: Code = "internal_error"
  }

  /// What went wrong, as a word for programs.
  public var code: Code
  /// One sentence for people.
  public var title: String
  /// The status code, again.
  public var status: Int

  public init(code: Code, title: String, status: Int) {
    self.code = code
    self.title = title
    self.status = status
  }
}

/// `GET /v1/sessions`: one place where the reader is signed in.
public struct ReaderSession: Codable, Equatable, Sendable, Identifiable {
  /// Names it, as long as it lasts.
  public var id: String
  /// The reader's name of the device: ``Credentials/device``.
  public var device: String?
  /// When the reader signed in there.
  public var began: Date
  /// When it was last seen, to the hour.
  public var lastSeen: Date
  /// Whether it is the one that asks.
  public var isCurrent: Bool

  public init(id: String, device: String?, began: Date, lastSeen: Date, isCurrent: Bool) {
    self.id = id
    self.device = device
    self.began = began
    self.lastSeen = lastSeen
    self.isCurrent = isCurrent
  }
}

/// `PUT /v1/password`: sets another password, and ends all sessions but the one that sends it.
public struct PasswordChange: Codable, Equatable, Sendable {
  /// The password until now.
  public var currentPassword: String
  /// The new password: at least ten characters, and not a common one.
  public var newPassword: String

  public init(currentPassword: String, newPassword: String) {
    self.currentPassword = currentPassword
    self.newPassword = newPassword
  }
}
