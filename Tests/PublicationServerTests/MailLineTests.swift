import PublicationAPI
import Testing

@testable import PublicationServer

/// Which mail goes next, and which one goes when there are too many.
@Suite struct MailLineTests {
  private let line = MailLine()

  private func add(_ recipients: String..., at now: Duration = .zero) {
    for recipient in recipients { line.add(Mail(sender: "a", recipient: recipient, subject: "b", text: ""), at: now) }
  }

  /// How many were dropped: with codes that have expired, and because they are too many.
  private func drop(at now: Duration) -> [Int] {
    let dropped = line.drop(at: now)
    return [dropped.expired, dropped.surplus]
  }

  /// All for which there is a place.
  private func next() -> [MailLine.Entry] { Array(sequence(state: line) { $0.next() }) }

  /// The recipients of all, sent one after the other.
  private func drain() -> [String] {
    var sent: [String] = []
    while let entry = line.next() {
      sent.append(entry.mail.recipient)
      end(entry)
    }
    return sent
  }

  private func end(_ entry: MailLine.Entry, tookLong: Bool = false, at now: Duration = .zero) {
    line.leavePlace(entry, tookLong: tookLong, at: now)
    line.end(entry)
  }

  private func makeSlow(_ recipients: String..., at now: Duration = .zero) {
    for recipient in recipients {
      add(recipient, at: now)
      for entry in next() {
        line.takesLong(entry, at: now)
        end(entry, tookLong: true, at: now)
      }
    }
  }

  @Test func fourAtATimeAndOneOfEachRecipient() {
    add("ada", "ada", "bo", "cy", "dan", "eve")
    let first = next()
    #expect(first.map(\.mail.recipient) == ["ada", "bo", "cy", "dan"])
    line.leavePlace(first[0], tookLong: false, at: .zero)
    #expect(next().map(\.mail.recipient) == ["eve"], "hers may have to be tried again")
    end(first[1])
    line.end(first[0])
    #expect(next().map(\.mail.recipient) == ["ada"])
  }

  @Test func whatWasNotTriedGoesBeforeWhatWas() {
    add("ada", "ada")
    let first = next()[0]
    line.leavePlace(first, tookLong: false, at: .zero)
    line.wait(first)
    add("bo")
    let all = next()
    #expect(all.map(\.mail.recipient) == ["bo", "ada"])
    #expect(all.map(\.failures) == [0, 1])
  }

  @Test func whatTakesLongLeavesItsPlace() {
    add("ada", "bo", "cy", "dan", "eve")
    let first = next()
    #expect(first.count == 4)
    for entry in first { line.takesLong(entry, at: .seconds(5)) }
    #expect(next().map(\.mail.recipient) == ["eve"])
    // Leaving it once more changes nothing.
    for entry in first { end(entry, tookLong: true, at: .seconds(30)) }
    add("f", "g", "h", "i")
    #expect(next().map(\.mail.recipient) == ["f", "g", "h"])
  }

  @Test func slowRecipientsGoLastAndTwoAtATime() {
    for (number, recipient) in ["cy", "ada", "bo", "dan"].enumerated() { makeSlow(recipient, at: .seconds(number)) }
    add("ada", "ada", "bo", "cy", "eve")
    let first = next()
    // Those whose last mail is the longest ago.
    #expect(first.map(\.mail.recipient) == ["eve", "cy", "ada"])
    // Neither of the two gives up its place before it is done.
    line.takesLong(first[1], at: .seconds(10))
    #expect(next().isEmpty)
    end(first[1], tookLong: true, at: .seconds(30))
    #expect(next().map(\.mail.recipient) == ["bo"])
    // Whoever is not slow any more is like everybody.
    end(first[2])
    add("cy")
    #expect(next().map(\.mail.recipient) == ["ada", "cy"])
  }

  @Test func slownessIsForgotten() {
    makeSlow("ada", "bo", "cy")
    add("ada", "bo", "cy", at: .seconds(3599))
    _ = drop(at: .seconds(3599))
    #expect(next().count == 2)
    _ = drop(at: .seconds(3600))
    #expect(next().map(\.mail.recipient) == ["cy"])
  }

  @Test func aCodeThatHasExpiredIsNotSent() {
    add("ada", "ada")
    let first = next()[0]
    line.leavePlace(first, tookLong: false, at: .zero)
    line.wait(first)
    add("ada", at: .seconds(1))
    #expect(drop(at: .seconds(599)) == [0, 0])
    #expect(drop(at: .seconds(600)) == [2, 0])
    #expect(next().map(\.added) == [.seconds(1)])
  }

  @Test func ofTooManyTheNewestGoOfWhoHasTheMost() {
    for second in 0..<150 { add("ada", at: .seconds(second)) }
    for second in 0..<50 { add("bo", at: .seconds(second)) }
    #expect(drop(at: .seconds(200)) == [0, 0])
    add("cy", at: .seconds(200))
    #expect(drop(at: .seconds(200)) == [0, 1])
    var added: [String: [Duration]] = [:]
    while let entry = line.next() {
      added[entry.mail.recipient, default: []].append(entry.added)
      end(entry)
    }
    #expect(added["ada"] == (0..<149).map { Duration.seconds($0) })
    #expect(added["bo"]?.count == 50 && added["cy"]?.count == 1)
  }

  @Test func ofTooManyThoseOfSlowRecipientsGoFirst() {
    makeSlow("bo")
    add("bo")
    for _ in 0..<200 { add("ada") }
    #expect(drop(at: .zero) == [0, 1])
    #expect(drain() == Array(repeating: "ada", count: 200))
  }

  @Test func ofTooManyRecipientsTheLastOneGetsNone() {
    let recipients = (0...200).map { "reader-\($0)" }
    for recipient in recipients { add(recipient) }
    #expect(drop(at: .zero) == [0, 1])
    #expect(drain() == Array(recipients.dropLast()))
  }
}
