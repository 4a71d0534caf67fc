import Foundation

/// What the stub payment provider remembers: one file, one JSON object a line, an entry for each call, also for those that were repeated.
///
/// A key that was seen before gets its first answer again, whatever else is asked: that is all there is of rules. One process at a time
/// has the file; another one waits for it.
struct Ledger {
  /// Why it cannot go on.
  struct Failure: Error, CustomStringConvertible { let description: String }

  private struct Call: Decodable {
    let operation: String
    let key: String
    let token: String
    let amount: Int
    let currency: String
  }

  private struct Entry: Codable {
    let call: Int
    let operation: String
    let key: String
    let token: String
    let amount: Int
    let currency: String
    let result: Result
    var charge: String?
    var reason: String?
  }

  private enum Result: String, Codable {
    case charged
    case declined
    /// Never in the file: the call could not be understood, and nothing happened.
    case error
  }

  private struct Answer: Codable {
    let result: Result
    var charge: String?
    var reason: String?
  }

  private let path: String
  private let file: Int32
  private var answers: [String: Answer] = [:]
  private var calls = 0

  /// Opens the file, waits until no other process has it, and reads it.
  init(path: String) throws(Failure) {
    self.path = path
    file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.failure(path, "cannot be opened") }
    while flock(file, LOCK_EX) != 0 { guard errno == EINTR else { throw Self.failure(path, "cannot be locked") } }
    try read()
  }

  /// Writes a call down and says what came of it.
  mutating func answer(_ line: Data) throws(Failure) -> Data {
    guard let call = try? JSONDecoder().decode(Call.self, from: line), call.operation == "charge" else {
      return try encode(Answer(result: .error, reason: "the call is not understood"))
    }
    calls += 1
    let answer = answers[call.key] ?? Self.decide(call, calls)
    answers[call.key] = answer
    try append(
      Entry(
        call: calls, operation: call.operation, key: call.key, token: call.token, amount: call.amount, currency: call.currency,
        result: answer.result, charge: answer.charge, reason: answer.reason))
    return try encode(answer)
  }

  private static func decide(_ call: Call, _ number: Int) -> Answer {
    switch call.token {
    case "tok_approved": Answer(result: .charged, charge: "ch_\(number)")
    case "tok_declined": Answer(result: .declined, reason: "Your bank declined the payment.")
    case "tok_insufficient_funds": Answer(result: .declined, reason: "There is not enough money in this account.")
    default: Answer(result: .declined, reason: "This payment method is not known.")
    }
  }

  private mutating func read() throws(Failure) {
    guard let data = FileManager.default.contents(atPath: path) else { throw Failure(description: "\(path) cannot be read.") }
    var whole = 0
    for line in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
      guard let entry = try? JSONDecoder().decode(Entry.self, from: Data(line)) else {
        throw Failure(description: "\(path): line \(calls + 1) is no entry of a ledger.")
      }
      calls += 1
      if answers[entry.key] == nil { answers[entry.key] = Answer(result: entry.result, charge: entry.charge, reason: entry.reason) }
      whole += line.count + 1
    }
    // A last line that was cut off was never answered: whoever asked will ask again.
    if whole < data.count, ftruncate(file, off_t(whole)) != 0 { throw Self.failure(path, "cannot be mended") }
  }

  private func append(_ entry: Entry) throws(Failure) {
    var rest = try encode(entry) + [UInt8(ascii: "\n")]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure(path, "cannot be written") }
      rest = rest.dropFirst(count)
    }
    guard fsync(file) == 0 else { throw Self.failure(path, "cannot be written") }
  }

  private func encode(_ value: some Encodable) throws(Failure) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do { return try encoder.encode(value) } catch { throw Failure(description: "an answer cannot be written: \(error)") }
  }

  private static func failure(_ path: String, _ what: String) -> Failure {
    Failure(description: "\(path) \(what): \(String(cString: strerror(errno))).")
  }
}
