import PublicationAPI

/// The rule for new passwords. One that was set before the rule stays valid.
///
/// Length and a list, and no rules about digits and signs: NIST SP 800-63B, 5.1.1.2.
enum PasswordRule {
  /// The fewest characters.
  static let shortest = 10
  /// The most bytes, in UTF-8.
  static let longest = 1024

  /// - Parameter email: the address of the account.
  /// - Throws: `Problem` with `Problem.Code.badRequest`, and a sentence for the person who set it.
  static func check(_ password: String, email: String) throws(Problem) {
    guard password.utf8.count <= longest else { throw .badRequest("A password has at most \(longest) bytes.") }
    // It cannot be typed, and much of what a password passes through ends there.
    guard !password.utf8.contains(0) else { throw .badRequest("A password has no NUL character.") }
    guard password.count >= shortest else { throw .badRequest("A password has at least \(shortest) characters.") }
    let lowercased = password.lowercased()
    guard !commonest.contains(lowercased[...]), Set(lowercased).count > 1 else {
      throw .badRequest("This password is one of the commonest, which are tried first. Choose another one.")
    }
    guard lowercased != email.lowercased() else { throw .badRequest("The password is the address. Choose another one.") }
  }
}
