/// Why a step of a driven app failed, with what was seen instead.
public enum DriverError: Error, CustomStringConvertible {
  /// There is no display or no message bus to drive an app on.
  case noDesktop(String)
  /// A helper program could not be run or failed.
  case program(String, status: Int32, output: String)
  /// The app ended while something was expected of it.
  case died(status: Int32, log: [String])
  /// What was awaited did not come; `seen` is what was there at the end.
  case timedOut(String, seen: String)
  /// A widget is there and cannot perform the action.
  case refused(String)

  /// The error for a test's report.
  public var description: String {
    switch self {
    case .noDesktop(let reason): "There is no desktop to drive an app on: \(reason)"
    case .program(let name, let status, let output): "\(name) ended with \(status): \(output)"
    case .died(let status, let log): "The app ended with \(status); its last words:\n" + log.suffix(30).joined(separator: "\n")
    case .timedOut(let what, let seen): "Did not come in time: \(what)\n\(seen)"
    case .refused(let what): "Refused: \(what)"
    }
  }
}
