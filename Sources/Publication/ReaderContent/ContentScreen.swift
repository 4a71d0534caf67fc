/// A page that wants to know, while it is on screen, what happens to the reader's content as a whole.
@MainActor public protocol ContentScreen: AnyObject {
  /// The reader's access changed: ``ContentStore/hasPremium``.
  func accessChanged()
  /// Something the reader did was undone; the sentence says what and why.
  func actionFailed(_ sentence: String)
  /// Asks again for what nobody could be reached for, if anything. The reader did not ask: nothing is said while that is under way, nor when
  /// it is in vain once more.
  func retryUnreachable()
  /// A minute has passed: what says how long ago something was says it again.
  func timePassed()
}
