import MenuFeature
import Runtime
import Testing

/// The question before a move by which something is lost.
@MainActor @Suite struct ConfirmTests {
  /// The keys that the person is about to press are meant for it.
  @Test func itStaysWhenNothingWouldBeLostAnyMoreAndSaysSo() {
    let loss = LastValue<String?>("All of it.")
    var (losses, outputs) = ([String](), [ConfirmViewModel.Output]())
    let question = ConfirmViewModel(loss: loss.observe, isQuitting: true) { outputs.append($0) }
    question.observe { losses.append($0.loss) }
    loss.value = nil
    loss.value = "Some of it."
    #expect(losses == ["All of it.", "Nothing would be lost any more.", "Some of it."])
    #expect(outputs == [])
    question.send(.cancelTapped)
    question.send(.confirmTapped)
    #expect(outputs == [.cancelled, .confirmed])
  }

  @Test(arguments: [(true, "Quit Matinee?", "Quit"), (false, "Leave this?", "Leave")])
  func itNamesTheMove(isQuitting: Bool, question: String, action: String) {
    let state = ConfirmViewModel(loss: LastValue<String?>("It.").observe, isQuitting: isQuitting) { _ in }.state
    #expect((state.question, state.loss, state.action) == (question, "It.", action))
  }
}
