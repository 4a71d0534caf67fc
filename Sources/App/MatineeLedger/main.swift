import Foundation

// The stub payment provider: a process of its own that charges nobody, and writes down every call.
//
//   matinee-ledger [--delay-ms N] FILE
//
// Each line on standard input is a JSON call, each line on standard output its answer. Before an answer is given, the call is in FILE, one
// JSON object a line. A key that was seen before gets the first answer again: that is all there is of rules. Ends with its input.

struct Call: Decodable {
  let token: String
  let amount: Int
  let currency: String
  let key: String
}

struct Answer: Codable {
  var charge: String?
  var declined: String?
}

struct Entry: Codable {
  let call: Int
  let operation: String
  let key: String
  let token: String
  let amount: Int
  let currency: String
  let isRepeat: Bool
  let answer: Answer
}

func fail(_ sentence: String) -> Never {
  FileHandle.standardError.write(Data("matinee-ledger: \(sentence)\n".utf8))
  exit(1)
}

var arguments = CommandLine.arguments.dropFirst()
var delay: UInt32 = 0
if arguments.first == "--delay-ms" {
  arguments.removeFirst()
  guard let milliseconds = arguments.popFirst().flatMap({ UInt32($0) }) else { fail("--delay-ms takes a number.") }
  delay = milliseconds
}
guard let path = arguments.popFirst(), arguments.isEmpty else { fail("usage: matinee-ledger [--delay-ms N] FILE") }

let file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
guard file >= 0 else { fail("\(path) cannot be opened: \(String(cString: strerror(errno))).") }
// One that is still finishing its last call holds it; this one waits.
guard flock(file, LOCK_EX) == 0 else { fail("\(path) cannot be locked: \(String(cString: strerror(errno))).") }

/// What was answered for each key, and how many calls there were. A last line that a crash cut off was never answered, and is cut.
func readEntries() -> (answers: [String: Answer], calls: Int) {
  guard let data = FileManager.default.contents(atPath: path) else { fail("\(path) cannot be read.") }
  var answers: [String: Answer] = [:]
  var calls = 0
  var whole = 0
  for line in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
    guard let entry = try? JSONDecoder().decode(Entry.self, from: Data(line)) else { fail("\(path): line \(calls + 1) is no entry.") }
    if answers[entry.key] == nil { answers[entry.key] = entry.answer }
    calls += 1
    whole += line.count + 1
  }
  if whole < data.count, ftruncate(file, off_t(whole)) != 0 { fail("\(path) cannot be mended.") }
  return (answers, calls)
}

func decide(_ call: Call, _ number: Int) -> Answer {
  switch call.token {
  case "tok_approved": Answer(charge: "ch_\(number)")
  case "tok_declined": Answer(declined: "Your bank declined the payment.")
  case "tok_insufficient_funds": Answer(declined: "There is not enough money in the account.")
  default: Answer(declined: "This payment method is not known.")
  }
}

var (answers, calls) = readEntries()
let encoder = JSONEncoder()
encoder.outputFormatting = [.sortedKeys]

while let line = readLine() {
  guard let call = try? JSONDecoder().decode(Call.self, from: Data(line.utf8)) else { fail("a call is no JSON that is known here.") }
  calls += 1
  let known = answers[call.key]
  let answer = known ?? decide(call, calls)
  answers[call.key] = answer
  let entry = Entry(
    call: calls, operation: "charge", key: call.key, token: call.token, amount: call.amount, currency: call.currency,
    isRepeat: known != nil, answer: answer)
  guard var written = try? encoder.encode(entry), var reply = try? encoder.encode(answer) else { fail("an entry cannot be written.") }
  written.append(UInt8(ascii: "\n"))
  reply.append(UInt8(ascii: "\n"))
  guard written.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == written.count, fsync(file) == 0 else {
    fail("\(path) cannot be written.")
  }
  if delay > 0 { usleep(delay * 1000) }
  // Whoever asked may be gone; the charge stands all the same.
  signal(SIGPIPE, SIG_IGN)
  _ = reply.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}
