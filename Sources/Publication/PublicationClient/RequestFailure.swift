import ContentCache

extension RequestFailure {
  /// What an error of a call means to a page or an action, with a sentence for the reader.
  public init(explaining error: any Error) {
    let error = error as? ClientError
    let sentence = error?.sentence ?? "Something went wrong. Try again."
    self = error?.isOffline == true ? .unreachable(sentence) : .refused(sentence)
  }
}
