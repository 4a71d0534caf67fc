import ContentCache
import PublicationAPI
import PublicationClient

/// The texts of comments that the publication refused: the outbox keeps each until the reader has it back, or wants it no more.
extension ContentStore {
  /// The text of comments that the publication refused, so that the reader need not write it again: once, and again after the next start
  /// only if the draft that got it was not stored.
  public func takeRefusedComment(on post: Post.ID) -> String? {
    let taken = refusedComments.filter { $0.post == post }
    refusedComments.removeAll { $0.post == post }
    handedBack += taken
    let new = taken.filter { !unfinished.handedBack.contains($0.id) }
    unfinished.handedBack.formUnion(new.map(\.id))
    return new.isEmpty ? nil : new.compactMap(\.text).joined(separator: "\n\n")
  }

  /// Removes refused comments that the reader has sent again, or removed from the field.
  func forgetHandedBack() {
    let forgotten = handedBack.filter { commentDrafts[$0.post] == nil }
    if !forgotten.isEmpty { forget(forgotten) }
  }

  /// Tells the reader that a comment was refused. Its text goes back into its field; where the post is gone there is none, and the text is
  /// offered with the message.
  func commentRefused(on post: Post.ID, _ sentence: String) {
    guard onTextWithoutField != nil, posts[post] == nil else { return failed(sentence) }
    Task { [weak self] in
      let isGone = await self?.isGone(post) == true
      guard let self, !isClosed else { return }
      if isGone { offerRefusedText(on: post) } else { failed(sentence) }
    }
  }

  /// Whether there is no such post, according to the publication. One that is stored here can be opened, with its field.
  private func isGone(_ post: Post.ID) async -> Bool {
    guard await !isStored(post: post) else { return false }
    let client = client
    do { _ = try await request("comment.post") { try await client.post(post) } } catch {
      return (error as? ClientError)?.isNotFound == true
    }
    return false
  }

  /// Offers what the field would have: the refused texts, and the draft.
  private func offerRefusedText(on post: Post.ID) {
    let refused = (refusedComments + handedBack).filter { $0.post == post }
    let draft = commentDrafts[post]
    let texts = refused.filter { !unfinished.handedBack.contains($0.id) }.map(\.text) + [draft]
    let text = texts.compactMap(\.self).joined(separator: "\n\n")
    guard !text.isEmpty else { return }
    let line = text.onOneLine
    let beginning = line.count > 40 ? "\(line.prefix(40))…" : line
    onTextWithoutField?("Your comment “\(beginning)” was not saved, and its post is gone.", text) { [weak self] in
      guard let self, !isClosed else { return }
      forget(refused)
      // What was written since was not offered.
      if [draft, text].contains(commentDrafts[post]) { commentDrafts[post] = nil }
    }
  }

  /// Forgets refused comments, here and in the outbox.
  func forget(_ comments: [CommentAction]) {
    let ids = Set(comments.map(\.id))
    for id in ids { actions.forgetRefused(id) }
    refusedComments.removeAll { ids.contains($0.id) }
    handedBack.removeAll { ids.contains($0.id) }
    unfinished.handedBack.subtract(ids)
  }
}
