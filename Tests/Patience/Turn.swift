import Foundation

/// Which third of a long test is played, 0 to 2, from `MATINEE_TURN=N`: CI counts on with each commit, so that three turns play everything.
/// `nil` with `MATINEE_TURN=all`.
public let turn: Int? = {
  let text = ProcessInfo.processInfo.environment["MATINEE_TURN"] ?? "0"
  guard text != "all" else { return nil }
  guard let number = Int(text), number >= 0 else { fatalError("MATINEE_TURN is a number or all, and not \(text)") }
  return number % 3
}()
