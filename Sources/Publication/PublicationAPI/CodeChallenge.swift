import Foundation

/// `POST /v1/session/code`: has a code mailed to an address, with which its reader signs in or sets another password.
///
/// The answer is the same, ``CodeChallenge``, whether the address is a reader's or not.
public struct CodeRequest: Codable, Equatable, Sendable {
  /// The address; compared without case.
  public var email: String

  public init(email: String) { self.email = email }
}

/// The answer to ``CodeRequest``: what the client adds to the code. Only the client that asked for a code can use it.
public struct CodeChallenge: Codable, Equatable, Sendable {
  /// How many digits a mailed code has. The app sends no code of another length.
  public static let codeLength = 6
  /// ``codeLength`` in words, for people.
  public static let codeForm = "Six digits"

  /// A secret that ``CodeCredentials`` sends back with the code; never in a log.
  public var challenge: String
  /// For how long the code is good, in seconds.
  public var expiresIn: Int

  public init(challenge: String, expiresIn: Int) {
    self.challenge = challenge
    self.expiresIn = expiresIn
  }
}

/// `POST /v1/session/mailed`: signs in by a code that was mailed. The answer is ``SignedIn``.
public struct CodeCredentials: Codable, Equatable, Sendable {
  /// What the publication answered when the code was requested: ``CodeChallenge/challenge``.
  public var challenge: String
  /// The code of the mail, which has ``CodeChallenge/codeLength`` digits.
  public var code: String
  /// The reader's name of the device: ``Credentials/device``.
  public var device: String?
  /// Another password, for a reader who forgot theirs: at least ten characters, and not a common one. All other sessions end. `nil` leaves the
  /// password as it is.
  public var newPassword: String?

  public init(challenge: String, code: String, device: String? = nil, newPassword: String? = nil) {
    self.challenge = challenge
    self.code = code
    self.device = device
    self.newPassword = newPassword
  }
}
