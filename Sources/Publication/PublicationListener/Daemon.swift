import CMicroHTTPD
import Foundation
import HTTPTransport
import Runtime
import Synchronization

/// libmicrohttpd's daemon, and its requests under way. Its callbacks are in Callbacks.swift.
final class Daemon: Sendable {
  // @unchecked: libmicrohttpd locks its daemon itself, and the pointers never change.
  private struct Handle: @unchecked Sendable {
    let pointer: OpaquePointer
    let logger: UnsafeMutablePointer<matinee_mhd_logger>
  }

  private struct State {
    var handle: Handle?
    var isStopping = false
    /// Whether the daemon may be stopped at any moment: no connection may sleep.
    var isDrained = false
    var hasToldOfProxy = false
    var hasToldOfNoRoom = false
    var isDone = false
    /// Requests that were received and not wholly answered.
    var exchanges: [ObjectIdentifier: Exchange] = [:]
    var tasks: [ObjectIdentifier: Task<Void, Never>] = [:]
    var sweeping: Task<Void, Never>?
    var drained: CheckedContinuation<Void, Never>?
    var stopped: [CheckedContinuation<Void, Never>] = []
  }

  let limits: Listener.Limits
  let connections: Connections
  let unknownMethod: @Sendable (String) -> Response
  private let clock: any AppClock
  private let handler: @Sendable (Request) async -> Response
  private let admission: Listener.Admission?
  private let notify: @Sendable (Listener.Notice) -> Void
  private let state = Mutex(State())

  init(
    limits: Listener.Limits, clock: any AppClock, unknownMethod: @escaping @Sendable (String) -> Response,
    admission: Listener.Admission?, notify: @escaping @Sendable (Listener.Notice) -> Void,
    handler: @escaping @Sendable (Request) async -> Response
  ) {
    self.limits = limits
    connections = Connections(limits: limits)
    self.clock = clock
    self.unknownMethod = unknownMethod
    self.handler = handler
    self.admission = admission
    self.notify = notify
  }

  /// Starts its thread. ``stop()`` retains the daemon until it has ended; the listener calls it.
  func start(_ socket: Int32) -> Bool {
    let context = Unmanaged.passRetained(self)
    let logger = UnsafeMutablePointer<matinee_mhd_logger>.allocate(capacity: 1)
    logger.initialize(to: matinee_mhd_logger(complained: requestRefused, context: context.toOpaque()))
    // Room for twice as much as a head may have: one that is too large is mostly whole then, and refused like anything else.
    let started = matinee_mhd_start(
      socket, UInt32(limits.connections), UInt32(limits.idle.components.seconds), 2 * limits.head, requestOpened, requestContinued,
      requestCompleted, connectionChanged, logger, context.toOpaque())
    guard let started else {
      logger.deallocate()
      context.release()
      return false
    }
    state.withLock { state in
      state.handle = Handle(pointer: started, logger: logger)
      state.sweeping = Task { [clock, weak self] in
        while (try? await clock.sleep(for: .seconds(1))) != nil { self?.sweep() }
      }
    }
    return true
  }

  var isStopping: Bool { state.withLock { $0.isStopping } }

  // MARK: What the callbacks tell

  var uptime: Duration { clock.uptime }

  func connected(_ connection: OpaquePointer) {
    connections.opened(
      connection, descriptor: matinee_mhd_descriptor(connection), client: ClientAddress.other(connection, than: limits.trustedProxies),
      at: clock.uptime)
  }

  /// Cancels the request of a client that went away.
  private func sweep() {
    for exchange in connections.sweep(at: clock.uptime) {
      state.withLock { $0.tasks[ObjectIdentifier(exchange)] }?.cancel()
      // 499 is what proxies call a client that closed the connection; no client reads it.
      exchange.finish(Response(499))
    }
  }

  func opened(_ exchange: Exchange, _ connection: OpaquePointer) {
    connections.began(exchange, connection)
    state.withLock { $0.exchanges[ObjectIdentifier(exchange)] = exchange }
  }

  /// libmicrohttpd 0.9.75 refuses some requests before it calls any callback, does not say on which connection, and sends the head of its
  /// answer twice. So this code answers, on the connections that such a request can be on: one whose head is whole, since no callback ran
  /// for it because its length is none; those whose head is too large already, though it is not whole; and otherwise the only one whose
  /// head has started. When there are several of the last kind, the library's own answer stays.
  /// - Parameter status: that of the library's own answer; 0 when it may not give any.
  func refused(_ status: Int) {
    let isAnswered = connections.refuse { connection, exchange, size in
      if let exchange, matinee_mhd_head_size(connection) > 0 { return RequestReader(self, exchange, connection).refusalOfHead }
      // Of such a connection the library may have given up the memory: it must not be used for anything else.
      let target = exchange.map { $0.target?.utf8.count ?? 0 } ?? size
      return RequestReader.refusal(ofHeadWith: size, target: target, limit: limits.head)
    }
    guard !isAnswered, let refusal = RequestReader.refusal(by: status, limit: limits.head) else { return }
    connections.refuseOnly(refusal.answer, hasLine: refusal.hasLine)
  }

  func completed(_ exchange: Exchange, _ connection: OpaquePointer?) {
    if let connection { connections.enter(.head, connection, taken: exchange.size, at: clock.uptime) }
    forget(exchange)
  }

  /// Answers in the library's place, while the client sends a body that is thrown away. A stop does not wait for the rest of that.
  func answer(_ exchange: Exchange, _ response: Response, _ connection: OpaquePointer) {
    connections.answer(response, connection, withBody: exchange.method != "HEAD")
    forget(exchange)
  }

  private func forget(_ exchange: Exchange) {
    let isDrained = state.withLock { state in
      state.exchanges[ObjectIdentifier(exchange)] = nil
      return state.exchanges.isEmpty
    }
    if isDrained { stopWaiting() }
  }

  /// Answers a whole request, in a task.
  func dispatch(_ request: Request, _ exchange: Exchange, _ connection: OpaquePointer) {
    suspend(exchange, connection) { [handler] in exchange.finish(await handler(request)) }
  }

  /// Reports the first proxy that no option names.
  func reportUnnamedProxy(on connection: OpaquePointer, _ headers: Headers) {
    guard let address = ClientAddress.unnamedProxy(connection, headers, trusting: limits.trustedProxies) else { return }
    let isFirst = state.withLock { state in
      defer { state.hasToldOfProxy = true }
      return !state.hasToldOfProxy
    }
    if isFirst { notify(.unnamedProxy(address)) }
  }

  /// Reports that documents find no room, once until one does.
  /// - Parameter hasRoom: whether a document was stored to its end.
  func told(ofDocumentWithRoom hasRoom: Bool) {
    let isNews = state.withLock { state in
      defer { state.hasToldOfNoRoom = !hasRoom }
      return !hasRoom && !state.hasToldOfNoRoom
    }
    if isNews { notify(.noRoom(folder: limits.uploads)) }
  }

  /// The most bytes of a request's body without a decision on a larger one.
  func bodyLimit(_ head: Request) -> Int { min(limits.body, admission?.limit(head) ?? limits.body) }

  /// Starts a task that decides whether a request may have a body that is larger than usual.
  /// - Returns: whether there is something to decide; the connection sleeps until it is.
  func admit(_ head: Request, _ exchange: Exchange, _ connection: OpaquePointer) -> Bool {
    guard let admission, admission.limit(head) > limits.body else { return false }
    suspend(exchange, connection) {
      switch await admission.decide(head) {
      case .body(let limit, let place): exchange.admit(limit, place)
      case .refused(let response): exchange.finish(response)
      }
    }
    return true
  }

  /// Puts the connection to sleep, which `work` ends.
  private func suspend(_ exchange: Exchange, _ connection: OpaquePointer, until work: @escaping @Sendable () async -> Void) {
    connections.enter(.answering, connection, exchange: exchange, at: clock.uptime)
    exchange.suspend(connection)
    let id = ObjectIdentifier(exchange)
    let isTooLate = state.withLock { state in
      guard !state.isDrained else { return true }
      state.tasks[id] = Task {
        await work()
        self.state.withLock { $0.tasks[id] = nil }
      }
      return false
    }
    // libmicrohttpd ends the process when it is stopped while a connection sleeps.
    if isTooLate { exchange.finish(Self.stopping) }
  }

  private static let stopping = Response.problem(503, "busy", "The publication is being stopped. Try again in a moment.")

  // MARK: Stopping

  func stop() async {
    let handle: Handle? = state.withLock { state in
      defer { state.isStopping = true }
      // One that never started has nothing to stop.
      if state.handle == nil { state.isDone = true }
      return state.isStopping ? nil : state.handle
    }
    guard let handle else { return await waitUntilStopped() }
    let socket = MHD_quiesce_daemon(handle.pointer)
    if socket >= 0 {
      // Closing alone is not enough while a child process that is being started still has a copy.
      shutdown(socket, Int32(SHUT_RDWR))
      close(socket)
    }
    let timer = Task { [clock, limits] in
      guard (try? await clock.sleep(for: limits.grace)) != nil, self.giveUp() else { return }
      // What was answered just now is written out first, unless its client does not read it.
      guard (try? await clock.sleep(for: .seconds(1))) != nil else { return }
      self.stopWaiting()
    }
    await drain()
    timer.cancel()
    state.withLock { $0.sweeping }?.cancel()
    // It waits for its thread, so it has one of its own.
    let executor = ThreadExecutor(name: "listener-stop")
    try? await executor.run { MHD_stop_daemon(handle.pointer) }
    handle.logger.deallocate()
    Unmanaged.passUnretained(self).release()
    let waiting = state.withLock { state in
      state.isDone = true
      return state.stopped
    }
    for continuation in waiting { continuation.resume() }
  }

  private func drain() async {
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if state.exchanges.isEmpty {
          state.isDrained = true
          return true
        }
        state.drained = continuation
        return false
      }
      if isEmpty { continuation.resume() }
    }
  }

  /// The grace period is over: every waiting client gets an answer, and the listener waits for nothing else.
  /// - Returns: whether there is a client that gets one.
  private func giveUp() -> Bool {
    let (exchanges, tasks) = state.withLock { state in (state.exchanges, Array(state.tasks.values)) }
    for task in tasks { task.cancel() }
    for (id, exchange) in exchanges {
      exchange.finish(Self.stopping)
      if exchange.answer == nil { state.withLock { $0.exchanges[id] = nil } }
    }
    let isDrained = state.withLock { $0.exchanges.isEmpty }
    if isDrained { stopWaiting() }
    return !isDrained
  }

  /// Has the stop go on, if one waits: from here on no connection sleeps.
  private func stopWaiting() {
    let stop = state.withLock { state in
      state.drained.take().map { continuation in
        state.isDrained = true
        return (continuation: continuation, exchanges: Array(state.exchanges.values))
      }
    }
    guard let stop else { return }
    for exchange in stop.exchanges { exchange.finish(Self.stopping) }
    stop.continuation.resume()
  }

  private func waitUntilStopped() async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if !state.isDone { state.stopped.append(continuation) }
        return state.isDone
      }
      if isDone { continuation.resume() }
    }
  }
}
