// JSON and files, without the rest of Foundation, whose tables of languages are three quarters of a program.
import FoundationEssentials
import Glibc

/// What the stub payment provider remembers: one file, one JSON object a line, an entry for each call. A call that is repeated has one more
/// entry for each process that answers it: clients that ask again and again whether an approval is there would fill the disk.
///
/// A key that was seen before gets its first answer again, also with another token; with another amount or currency it is declined. Only an
/// answer that waits for an approval changes, once, by `approve` or `decline`. One process at a time has the file; another one waits for it.
struct Ledger {
  /// Why it cannot go on.
  struct Failure: Error, CustomStringConvertible { let description: String }

  private struct Call: Decodable {
    let operation: Operation
    let key: String
    var token: String?
    var amount: Int?
    var currency: String?
  }

  private enum Operation: String, Codable {
    case charge
    case approve
    case decline
    case refund
  }

  private struct Entry: Codable {
    let call: Int
    let operation: Operation
    let key: String
    let token: String
    let amount: Int
    let currency: String
    let result: Result
    var charge: String?
    var reason: String?
    var refund: String?
  }

  private enum Result: String, Codable {
    case charged
    case declined
    /// Waits for an approval.
    case deferred
    /// Nothing is charged under this key: the reader has to confirm first.
    case needsAction = "needs_action"
    case refunded
    /// Never in the file: the call could not be understood or answered, and nothing happened.
    case error
  }

  private struct Answer: Codable, Equatable {
    let result: Result
    var charge: String?
    var reason: String?
    var refund: String?
  }

  private let path: String
  private let file: Int32
  /// The outcome of each key's charge: its last entry.
  private var charges: [String: Entry] = [:]
  private var refunds: [String: Answer] = [:]
  private var calls = 0
  /// What this process wrote down last, by operation and key.
  private var written: [String: Answer] = [:]

  /// Opens the file, waits until no other process has it, and reads it.
  init(path: String) throws(Failure) {
    self.path = path
    file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.failure(path, "cannot be opened") }
    while flock(file, LOCK_EX) != 0 { guard errno == EINTR else { throw Self.failure(path, "cannot be locked") } }
    try read()
  }

  /// Records a call and returns its outcome.
  mutating func answer(_ line: Data) throws(Failure) -> Data {
    let call = try? JSONDecoder().decode(Call.self, from: line)
    // What was not charged is not refunded, however often it is requested, so there is nothing to write down.
    if let call, call.operation == .refund, charges[call.key]?.result != .charged {
      return try encode(Answer(result: .declined, reason: "Nothing was charged."))
    }
    guard let call, let payment = payment(call) else {
      return try encode(Answer(result: .error, reason: "the call is not understood"))
    }
    if let known = charges[call.key], (payment.amount, payment.currency) != (known.amount, known.currency) {
      return try encode(Answer(result: .declined, reason: "This order’s number was used for another amount. Start a new order."))
    }
    let number = calls + 1
    let answer = decide(call, payment, number)
    let name = "\(call.operation.rawValue) \(call.key)"
    guard answer.result != .error, written[name] != answer else { return try encode(answer) }
    let entry = Entry(
      call: number, operation: call.operation, key: call.key, token: payment.token, amount: payment.amount, currency: payment.currency,
      result: answer.result, charge: answer.charge, reason: answer.reason, refund: answer.refund)
    try append(entry)
    remember(entry)
    written[name] = answer
    return try encode(answer)
  }

  /// What is to be charged; of a key with an entry, what was.
  private func payment(_ call: Call) -> (token: String, amount: Int, currency: String)? {
    if call.operation != .charge, let entry = charges[call.key] { return (entry.token, entry.amount, entry.currency) }
    guard call.operation == .charge, let token = call.token, let amount = call.amount, let currency = call.currency else { return nil }
    return (token, amount, currency)
  }

  private func decide(_ call: Call, _ payment: (token: String, amount: Int, currency: String), _ number: Int) -> Answer {
    let recorded = charges[call.key].map { Answer(result: $0.result, charge: $0.charge, reason: $0.reason) }
    switch call.operation {
    case .charge: return recorded ?? Self.decide(payment.token, number)
    case .approve where recorded?.result == .deferred: return Answer(result: .charged, charge: "ch_\(number)")
    case .decline where recorded?.result == .deferred: return Answer(result: .declined, reason: "The payment was not approved.")
    case .approve, .decline: return recorded ?? Answer(result: .error, reason: "there is no such charge")
    case .refund: return refunds[call.key] ?? Answer(result: .refunded, charge: recorded?.charge, refund: "re_\(number)")
    }
  }

  private static func decide(_ token: String, _ number: Int) -> Answer {
    switch token {
    case "tok_approved": Answer(result: .charged, charge: "ch_\(number)")
    case "tok_declined": Answer(result: .declined, reason: "Your bank declined the payment.")
    case "tok_insufficient_funds": Answer(result: .declined, reason: "There is not enough money in this account.")
    case "tok_deferred": Answer(result: .deferred)
    case "tok_interrupted": Answer(result: .needsAction)
    case "tok_unavailable": Answer(result: .error, reason: "the bank cannot be reached")
    default: Answer(result: .declined, reason: "This payment method is not known.")
    }
  }

  private mutating func remember(_ entry: Entry) {
    calls += 1
    if entry.operation == .refund {
      refunds[entry.key] = Answer(result: entry.result, charge: entry.charge, refund: entry.refund)
    } else {
      charges[entry.key] = entry
    }
  }

  private static let space: Set<UInt8> = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")]

  private mutating func read() throws(Failure) {
    guard let data = FileManager.default.contents(atPath: path) else { throw Failure(description: "\(path) cannot be read.") }
    var (whole, number) = (0, 0)
    for line in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
      (whole, number) = (whole + line.count + 1, number + 1)
      // Editors leave empty lines at the end.
      if line.allSatisfy({ Self.space.contains($0) }) { continue }
      guard let entry = try? JSONDecoder().decode(Entry.self, from: Data(line)) else {
        throw Failure(description: "\(path): line \(number) is no entry of a ledger.")
      }
      remember(entry)
    }
    // A last line that was cut off was never answered: the client will send it again.
    if whole < data.count, ftruncate(file, off_t(whole)) != 0 { throw Self.failure(path, "cannot be mended") }
  }

  private func append(_ entry: Entry) throws(Failure) {
    guard Self.write(try encode(entry) + [UInt8(ascii: "\n")], to: file), fsync(file) == 0 else {
      throw Self.failure(path, "cannot be written")
    }
  }

  /// Writes all of it.
  /// - Returns: false when that is not possible; `errno` says why.
  static func write(_ bytes: Data, to file: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
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
