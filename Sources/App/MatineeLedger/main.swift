import FoundationEssentials
import Glibc

// The stub payment provider: a process of its own that moves no money, and writes down every call. See `Ledger`.

let usage = """
  usage: matinee-ledger [--delay-ms N] FILE

  Reads a JSON call from each line of its input and answers with a line of its output. Every call is in FILE before it is answered.
    --delay-ms N   keeps each answer back for N milliseconds (also MATINEE_LEDGER_DELAY_MS)
  """

func fail(_ sentence: String) -> Never {
  _ = Ledger.write(Data("matinee-ledger: \(sentence)\n".utf8), to: STDERR_FILENO)
  exit(1)
}

var arguments = CommandLine.arguments.dropFirst()
var delay = ProcessInfo.processInfo.environment["MATINEE_LEDGER_DELAY_MS"]
if arguments.first == "--help" {
  print(usage)
  exit(0)
}
if arguments.first == "--delay-ms" {
  guard arguments.count > 1 else { fail("--delay-ms takes a number.\n\(usage)") }
  delay = arguments.dropFirst().first
  arguments = arguments.dropFirst(2)
}
let milliseconds = delay.map { text in UInt32(text).flatMap { $0 <= 600_000 ? $0 : nil } } ?? 0
guard let milliseconds else { fail("the delay is a number of milliseconds up to 600000.") }
guard let path = arguments.first, arguments.count == 1, !path.hasPrefix("-") else { fail("it takes one file.\n\(usage)") }

// The client may be gone when the answer is written; the entry stays.
signal(SIGPIPE, SIG_IGN)
do throws(Ledger.Failure) {
  var ledger = try Ledger(path: path)
  while let line = readLine() {
    let answer = try ledger.answer(Data(line.utf8))
    if milliseconds > 0 { usleep(milliseconds * 1000) }
    // The only client is gone: the end, and no failure.
    guard Ledger.write(answer + [UInt8(ascii: "\n")], to: STDOUT_FILENO) else { break }
  }
} catch { fail(error.description) }
