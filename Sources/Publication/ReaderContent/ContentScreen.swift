/// A page that wants to know, while it is on screen, what happens to the reader's content as a whole.
@MainActor public protocol ContentScreen: AnyObject {
  /// The reader's access changed: ``ContentStore/hasPremium``.
  func accessChanged()
  /// Something the reader did was undone; the sentence says what and why.
  func actionFailed(_ sentence: String)
  /// Repeats requests for which the publication could not be reached, if there are any. The reader did not ask: the page says nothing while
  /// that is under way, nor when it fails once more.
  func retryUnreachable()
  /// A minute has passed: words that say how long ago something was are drawn again.
  func timePassed()
}
