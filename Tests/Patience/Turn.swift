import Foundation

/// Which third of a long test is played, 0 to 2, from `MATINEE_TURN=N`: CI counts on with each commit, so that three turns play everything.
/// `nil` for everything, with `MATINEE_TURN=all` or whatever else is no number.
public let turn: Int? = UInt(ProcessInfo.processInfo.environment["MATINEE_TURN"] ?? "0").map { Int($0 % 3) }
