import Foundation
import Synchronization

/// One named thread that runs an actor's jobs in order: for C calls that block (SQLite, scrypt, libsecret's `_sync` calls), which must
/// run neither on the shared pool nor on the main thread.
///
/// `unownedExecutor` of such an actor returns this executor's; the thread ends when the executor is released.
public final class ThreadExecutor: SerialExecutor, Sendable {
  private let queue: JobQueue

  /// - Parameter name: the thread's name, as debuggers show it; Linux keeps the first 15 bytes.
  public init(name: String) { queue = JobQueue(name) }

  deinit { queue.stop() }

  /// Whether the caller runs on this executor's thread.
  public var isCurrent: Bool { queue.isCurrent }

  /// Adds a job, to run after those already there.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // Holds the executor while the job runs: an actor's last job is its deinit, which releases it.
    queue.add { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// The executor, as an actor's `unownedExecutor` wants it.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  /// Stops the process when the caller is not on this thread: `assumeIsolated` and the storage entry points rely on this.
  public func checkIsolated() { precondition(isCurrent, "called off the thread that owns this state") }

  /// Adds work that no caller awaits, to run after what is already there.
  public func post(_ work: @escaping @Sendable () -> Void) { queue.add(work) }

  /// Runs blocking work on the thread.
  /// - Throws: what `work` throws.
  public func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.add { continuation.resume(with: Result { try work() }) }
    }
  }
}

// @unchecked: every variable is read and written under `condition`.
private final class JobQueue: @unchecked Sendable {
  private let name: String
  private let condition = NSCondition()
  private var jobs: [() -> Void] = []
  private var hasStarted = false
  private var stopped = false
  /// Read with each statement: cheaper than `Thread.current`.
  private let thread = Atomic(pthread_t())

  init(_ name: String) { self.name = name }

  var isCurrent: Bool { thread.load(ordering: .relaxed) == pthread_self() }

  func add(_ job: @escaping () -> Void) {
    condition.lock()
    jobs.append(job)
    let isFirst = !hasStarted
    hasStarted = true
    condition.signal()
    condition.unlock()
    // The thread starts with a job in its queue: otherwise it would fall asleep, and have to be woken.
    if isFirst { start() }
  }

  func stop() {
    condition.lock()
    stopped = true
    condition.signal()
    condition.unlock()
  }

  /// Not one of Foundation's threads: those take longer to start, and the first page waits for this one.
  private func start() {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    // Room for the deepest JSON in the largest frames, those of the address sanitizer; only what is used takes memory.
    pthread_attr_setstacksize(&attributes, 8 << 20)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    let queue = Unmanaged.passRetained(self)
    let code = pthread_create(
      &thread, &attributes,
      { queue in
        if let queue { Unmanaged<JobQueue>.fromOpaque(queue).takeRetainedValue().run() }
        return nil
      }, queue.toOpaque())
    precondition(code == 0, "there is no room for a thread: \(String(cString: strerror(code)))")
  }

  private func run() {
    thread.store(pthread_self(), ordering: .relaxed)
    var isNamed = false
    while let batch = next() {
      for job in batch { job() }
      // Not before the first jobs: a caller awaits those.
      if !isNamed, isIdle {
        Self.nameThread(name)
        isNamed = true
      }
    }
  }

  private var isIdle: Bool {
    condition.lock()
    defer { condition.unlock() }
    return jobs.isEmpty
  }

  /// Names the calling thread: the C library's function for it is not visible to Swift.
  private static func nameThread(_ name: String) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = Array(name.utf8.prefix(15)).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    close(file)
  }

  /// Waits for jobs; `nil` when there will be none. The lock is not held while a job is destroyed, which may stop this queue.
  private func next() -> [() -> Void]? {
    condition.lock()
    defer { condition.unlock() }
    while jobs.isEmpty && !stopped { condition.wait() }
    defer { jobs.removeAll() }
    return jobs.isEmpty ? nil : jobs
  }
}
