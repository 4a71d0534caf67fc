/// Why a source or a sink did not do its work.
public enum FlagError: Error, Equatable, Sendable {
  /// It may later: nothing is lost meanwhile.
  case unreachable
  /// It never will; one sentence that says why.
  case refused(String)
}
