import Foundation
import Runtime
import Testing

@testable import PublicationServer

/// The payment provider in its own process, as `matinee-ledger` was built beside these tests.
@Suite struct LedgerTests {
  private let folder: TemporaryFolder
  private var file: String { folder.file("ledger.jsonl") }

  init() throws { folder = try TemporaryFolder() }

  private struct Entry: Decodable, Equatable {
    var call: Int
    var operation: String
    var key: String
    var token: String
    var amount: Int
    var currency: String
    var result: String
    var charge: String?
    var reason: String?
    var refund: String?
  }

  private func entries() throws -> [Entry] {
    try Data(contentsOf: URL(fileURLWithPath: file)).split(separator: UInt8(ascii: "\n")).map {
      try JSONDecoder().decode(Entry.self, from: Data($0))
    }
  }

  private func gateway(delay: Int = 0, patience: Duration = .seconds(30)) -> LedgerGateway {
    LedgerGateway(program: LedgerGateway.besideThisProgram, file: file, delay: delay, patience: patience)
  }

  private func outcome(_ gateway: LedgerGateway, _ key: String, _ token: String = "tok_approved") async -> Result<String, GatewayError> {
    do throws(GatewayError) {
      return .success(try await gateway.charge(token: token, amount: 490, currency: "EUR", key: key))
    } catch { return .failure(error) }
  }

  @Test func everyCallIsWrittenDown() async throws {
    let gateway = gateway()
    #expect(await outcome(gateway, "a") == .success("ch_1"))
    #expect(await outcome(gateway, "b", "tok_declined") == .failure(.declined("Your bank declined the payment.")))
    #expect(await outcome(gateway, "c", "tok_insufficient_funds") == .failure(.declined("There is not enough money in this account.")))
    #expect(await outcome(gateway, "d", "\"\\\n🎬") == .failure(.declined("This payment method is not known.")))
    #expect(await outcome(gateway, "a", "tok_declined") == .success("ch_1"))
    #expect(await outcome(gateway, "b") == .failure(.declined("Your bank declined the payment.")))
    let entries = try entries()
    // A repeated one once: it has the answer that stands there.
    #expect(entries.map(\.call) == [1, 2, 3, 4])
    #expect(entries.map(\.key) == ["a", "b", "c", "d"])
    #expect(entries.map(\.result) == ["charged", "declined", "declined", "declined"])
    #expect(entries.map(\.charge) == ["ch_1", nil, nil, nil])
    #expect(
      entries[0]
        == Entry(
          call: 1, operation: "charge", key: "a", token: "tok_approved", amount: 490, currency: "EUR", result: "charged", charge: "ch_1"))
  }

  /// As after the publication's database alone was put back: the order with this key may be another one by now.
  @Test func whatWasPaidWithAKeyPaysForNothingElse() async throws {
    let gateway = gateway()
    #expect(await outcome(gateway, "a") == .success("ch_1"))
    let refusal = Result<String, GatewayError>.failure(.declined("This order’s number was used for another amount. Start a new order."))
    for (amount, currency) in [(4900, "EUR"), (490, "USD")] {
      do throws(GatewayError) {
        let charge = try await gateway.charge(token: "tok_approved", amount: amount, currency: currency, key: "a")
        Issue.record("\(charge)")
      } catch { #expect(Result.failure(error) == refusal) }
    }
    #expect(await outcome(gateway, "a") == .success("ch_1"))
    #expect(try entries().count == 1)
  }

  private func settled(_ gateway: LedgerGateway, _ key: String, _ approved: Bool) async -> Result<String, GatewayError> {
    do throws(GatewayError) { return .success(try await gateway.settle(key: key, approved: approved)) } catch { return .failure(error) }
  }

  private func refunded(_ gateway: LedgerGateway, _ key: String) async -> GatewayError? {
    do throws(GatewayError) {
      try await gateway.refund(key: key)
      return nil
    } catch { return error }
  }

  @Test func whatWaitsIsDecidedOnce() async throws {
    let first = gateway()
    for key in ["a", "b"] { #expect(await outcome(first, key, "tok_deferred") == .failure(.deferred)) }
    await first.stop()
    let gateway = gateway()
    #expect(await outcome(gateway, "a") == .failure(.deferred))
    #expect(await settled(gateway, "a", true) == .success("ch_4"))
    #expect(await settled(gateway, "b", false) == .failure(.declined("The payment was not approved.")))
    // Decided is decided, whoever asks and after whichever restart.
    await gateway.stop()
    #expect(await settled(gateway, "a", false) == .success("ch_4"))
    #expect(await settled(gateway, "b", true) == .failure(.declined("The payment was not approved.")))
    #expect(await outcome(gateway, "a") == .success("ch_4"))
    #expect(await settled(gateway, "nobody", true).isUnavailable)
    #expect(Set(try entries().compactMap(\.charge)) == ["ch_4"])
    #expect(try entries().filter { $0.operation == "approve" }.map(\.amount) == [490, 490])
  }

  /// However often somebody asks whether it was approved, and refunds it after that.
  @Test func whatIsAskedAgainAndAgainIsWrittenDownOnce() async throws {
    let gateway = gateway()
    for _ in 0..<50 { #expect(await outcome(gateway, "a", "tok_deferred") == .failure(.deferred)) }
    #expect(try entries().count == 1)
    for _ in 0..<5 { #expect(await settled(gateway, "a", true) == .success("ch_2")) }
    // The same question has another answer now.
    for _ in 0..<5 { #expect(await outcome(gateway, "a") == .success("ch_2")) }
    for _ in 0..<5 { #expect(await refunded(gateway, "a") == nil) }
    #expect(try entries().map(\.operation) == ["charge", "approve", "charge", "refund"])
    await gateway.stop()
    // Another process writes down that it was asked.
    for _ in 0..<5 { #expect(await outcome(gateway, "a") == .success("ch_2")) }
    #expect(try entries().count == 5)
  }

  @Test func aChargeIsGivenBackOnce() async throws {
    let gateway = gateway()
    #expect(await outcome(gateway, "a") == .success("ch_1"))
    #expect(await refunded(gateway, "a") == nil)
    await gateway.stop()
    #expect(await refunded(gateway, "a") == nil)
    #expect(await refunded(gateway, "b") == .declined("Nothing was charged."))
    #expect(await outcome(gateway, "a") == .success("ch_1"))
    #expect(try entries().map(\.refund) == [nil, "re_2", "re_2", nil])
    #expect(try entries().map(\.result) == ["charged", "refunded", "refunded", "charged"])
  }

  @Test func aBankThatAsksAndABankThatIsAway() async throws {
    let gateway = gateway()
    for _ in 0..<2 { #expect(await outcome(gateway, "a", "tok_interrupted") == .failure(.needsAction)) }
    #expect(await outcome(gateway, "b", "tok_unavailable").isUnavailable)
    // Nothing happened under this key, so another card can be charged with it.
    #expect(await outcome(gateway, "b") == .success("ch_2"))
    #expect(try entries().map(\.key) == ["a", "b"])
    #expect(try await gateway.authorize(amount: 1, currency: "EUR", key: "k") == "tok_approved")
  }

  @Test func itRemembersAcrossItsOwnEnd() async throws {
    let gateway = gateway()
    #expect(await outcome(gateway, "a") == .success("ch_1"))
    await gateway.stop()
    // The last line was being written when the power went.
    let handle = try #require(FileHandle(forWritingAtPath: file))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(#"{"call":2,"operation":"char"#.utf8))
    try handle.close()
    #expect(await outcome(gateway, "a") == .success("ch_1"))
    #expect(await outcome(gateway, "b") == .success("ch_3"))
    #expect(try entries().map(\.key) == ["a", "a", "b"])
  }

  @Test func itIsStartedAgainWhenItWasKilled() async throws {
    let gateway = gateway()
    #expect(await outcome(gateway, "a") == .success("ch_1"))
    let first = try #require(await gateway.process)
    first.signal(SIGKILL)
    #expect(await outcome(gateway, "a") == .success("ch_1"))
    #expect(await gateway.process !== first)
    #expect(first.wait() == .signal(SIGKILL))
  }

  /// A stopped process takes no notice of SIGTERM.
  @Test(.timeLimit(.minutes(10))) func oneThatHangsIsKilled() async throws {
    let gateway = gateway(patience: .seconds(2))
    #expect(await outcome(gateway, "a") == .success("ch_1"))
    let first = try #require(await gateway.process)
    first.signal(SIGSTOP)
    #expect(await outcome(gateway, "b").isUnavailable)
    #expect(first.wait() == .signal(SIGKILL))
    // It read the question when it was stopped, or did not; either way it is charged once.
    #expect(await outcome(gateway, "b").isCharged)
    #expect(Set(try entries().filter { $0.key == "b" }.map(\.charge)).count == 1)
  }

  @Test func whoeverAskedMayBeGone() throws {
    let (questions, answers) = (Pipe(), Pipe())
    // A program that another test starts meanwhile would keep the answers' reader.
    for handle in [questions.fileHandleForWriting, answers.fileHandleForReading] { _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC) }
    let child = try ChildProcess(
      LedgerGateway.besideThisProgram, [file], input: questions.fileHandleForReading.fileDescriptor,
      output: answers.fileHandleForWriting.fileDescriptor)
    for handle in [questions.fileHandleForReading, answers.fileHandleForReading, answers.fileHandleForWriting] { try handle.close() }
    let call = #"{"operation":"charge","key":"a","token":"tok_approved","amount":490,"currency":"EUR"}"# + "\n"
    try questions.fileHandleForWriting.write(contentsOf: Data(call.utf8))
    // It ends by itself, as one that is not asked any more does, and what it charged stays written.
    #expect(child.wait() == .exit(0))
    try questions.fileHandleForWriting.close()
    #expect(try entries().map(\.charge) == ["ch_1"])
  }

  @Test func oneProcessAtATimeHasTheFile() async throws {
    let first = gateway()
    #expect(await outcome(first, "a") == .success("ch_1"))
    let second = gateway(patience: .milliseconds(200))
    #expect(await outcome(second, "b").isUnavailable)
    await first.stop()
    let third = gateway()
    #expect(await outcome(third, "b") == .success("ch_2"))
    #expect(try entries().map(\.key) == ["a", "b"])
  }

  @Test func aSlowAnswerIsNoAnswerAndTheChargeStands() async throws {
    let slow = gateway(delay: 60_000, patience: .milliseconds(500))
    #expect(await outcome(slow, "a").isUnavailable)
    let quick = gateway()
    #expect(await outcome(quick, "a") == .success("ch_1"))
    // On a busy machine the slow one may have been ended before it wrote anything.
    #expect(Set(try entries().map(\.charge)) == ["ch_1"])
  }

  @Test func aProgramThatIsNotThere() async throws {
    let gateway = LedgerGateway(program: folder.file("nothing"), file: file)
    #expect(await outcome(gateway, "a").isUnavailable)
    #expect(await outcome(LedgerGateway(program: "/bin/true", file: file), "a").isUnavailable)
    // A folder is no file to write into.
    #expect(await outcome(LedgerGateway(program: LedgerGateway.besideThisProgram, file: folder.path), "a").isUnavailable)
  }

  /// As an editor leaves them.
  @Test(arguments: ["\n", "\n \n\r\n\n"]) func emptyLinesAreIgnored(lines: String) async throws {
    let first = gateway()
    #expect(await outcome(first, "a") == .success("ch_1"))
    await first.stop()
    let entry = try String(contentsOfFile: file, encoding: .utf8)
    try (entry + lines).write(toFile: file, atomically: false, encoding: .utf8)
    let second = gateway()
    #expect(await outcome(second, "a") == .success("ch_1"))
    #expect(await outcome(second, "b") == .success("ch_3"))
    await second.stop()
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.hasPrefix(entry + lines), "nothing is taken away")
    let whole = text.split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
    #expect(try whole.map { try JSONDecoder().decode(Entry.self, from: Data($0.utf8)).key } == ["a", "a", "b"])
  }

  @Test func aFileThatIsNoLedgerIsLeftAlone() async throws {
    let text = "Dear diary,\ntoday nobody paid.\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    #expect(await outcome(gateway(), "a").isUnavailable)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
  }

  @Test func aWholePurchaseThroughIt() async throws {
    let rig = try await Rig(gateway: gateway())
    let token = try await rig.signIn()
    let id = UUID()
    _ = try await rig.begin(id, "premium.yearly", token)
    #expect(try await rig.charge(id, token, with: "tok_insufficient_funds").problem.title == "There is not enough money in this account.")
    #expect(try await rig.charge(id, token).order.state == .paid)
    #expect(try await rig.charge(id, token).order.state == .paid)
    #expect(try entries().map(\.key) == [id.uuidString, "\(id.uuidString)-2"])
    #expect(try entries().map(\.amount) == [4900, 4900])
  }
}

extension Result where Success == String, Failure == GatewayError {
  fileprivate var isCharged: Bool { if case .success = self { true } else { false } }
  fileprivate var isUnavailable: Bool { if case .failure(.unavailable) = self { true } else { false } }
}
