import Foundation
import Synchronization

/// Another program, started by this one.
///
/// Unlike Foundation's `Process`, it gives the child only the three standard descriptors. Foundation's learns of a child's end from a
/// socket that every other child inherits, so that waiting for one may last until another has ended. Safe from any thread.
public final class ChildProcess: Sendable {
  /// How a process ended.
  public enum Ending: Equatable, Sendable {
    /// With that status, 0 to 255.
    case exit(Int32)
    /// A signal of that number ended it.
    case signal(Int32)
  }

  /// The program could not be started; the reason is the system's.
  public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The program, and why it could not be started, in one line.
    public let description: String
  }

  /// The system's number for it, until ``wait()`` has returned.
  public let identifier: pid_t
  private let ending = Mutex<Ending?>(nil)

  /// Starts a program, in a process group of its own and with no signal blocked.
  /// - Parameters:
  ///   - program: its path.
  ///   - arguments: what follows its name.
  ///   - environment: its whole environment; `nil` for this process's own.
  ///   - input: the descriptor that becomes its standard input; this process's own unless given. It stays open here, as do the others.
  ///   - output: the descriptor that becomes its standard output.
  ///   - errors: the descriptor that becomes its standard error.
  /// - Throws: ``Failure``.
  public init(
    _ program: String, _ arguments: [String], environment: [String: String]? = nil, input: Int32 = 0, output: Int32 = 1,
    errors: Int32 = 2
  ) throws(Failure) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, standard) in [(input, Int32(0)), (output, 1), (errors, 2)] {
      posix_spawn_file_actions_adddup2(&actions, descriptor, standard)
    }
    // Some more than are open now: another thread may open one in between. Closing a descriptor that is not open does no harm.
    for descriptor in 3...(Self.highestDescriptor + 64) { posix_spawn_file_actions_addclose(&actions, descriptor) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    var variables = (environment ?? ProcessInfo.processInfo.environment).map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (words + variables).forEach { free($0) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, program, &actions, &attributes, &words, &variables)
    guard code == 0 else { throw Failure(description: "\(program) cannot be started: \(String(cString: strerror(code)))") }
    identifier = process
  }

  /// Whether it has ended.
  public var hasEnded: Bool {
    ending.withLock { ending in
      if ending == nil { ending = reap(WNOHANG) }
      return ending != nil
    }
  }

  /// Whether it ends within that time. Blocks the thread.
  public func hasEnded(within patience: Duration) -> Bool {
    let deadline = ContinuousClock.now + patience
    while !hasEnded {
      guard ContinuousClock.now < deadline else { return false }
      usleep(5000)
    }
    return true
  }

  /// Waits until it has ended. Blocks the thread: call it on one that may wait.
  public func wait() -> Ending {
    // Looks without reaping: a signal sent meanwhile must not hit another process with the same number.
    var information = siginfo_t()
    while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    return ending.withLock { ending in
      let found = ending ?? reap(0) ?? .exit(-1)
      ending = found
      return found
    }
  }

  /// Sends it a signal, unless it has ended.
  public func signal(_ number: Int32) {
    ending.withLock { ending in
      if ending == nil { ending = reap(WNOHANG) }
      if ending == nil { kill(identifier, number) }
    }
  }

  private func reap(_ options: Int32) -> Ending? {
    var status: Int32 = 0
    guard waitpid(identifier, &status, options) == identifier else { return nil }
    let signal = status & 0x7F
    return signal == 0 ? .exit(status >> 8 & 0xFF) : .signal(signal)
  }

  private static var highestDescriptor: Int32 {
    let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    return open?.compactMap { Int32($0) }.max() ?? 1023
  }
}
