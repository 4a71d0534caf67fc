/// A screen that is notified, while it is shown, of changes to the reader's content as a whole.
@MainActor public protocol ContentScreen: AnyObject {
  /// The reader's access changed: ``ContentStore/hasPremium``.
  func accessChanged()
  /// Something the reader did was undone; the sentence says what and why.
  func actionFailed(_ sentence: String)
  /// Repeats requests for which the publication could not be reached, if there are any. The reader did not request it: the screen shows
  /// neither the progress nor another failure.
  /// - Returns: whether there were any.
  @discardableResult func retryUnreachable() -> Bool
  /// A minute has passed: relative times are drawn again.
  func timePassed()
}
