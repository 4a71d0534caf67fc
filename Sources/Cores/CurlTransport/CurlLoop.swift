import CCurl
import Foundation
import HTTPTransport

/// The thread that all transfers of one transport run on.
///
/// @unchecked: `orders` and `stopped` are read and written under `lock`; the multi handle's `curl_multi_wakeup` may be called from any
/// thread; everything else belongs to the loop's own thread.
final class CurlLoop: @unchecked Sendable {
  private enum Order {
    case start(Transfer)
    case cancel(Transfer)
  }

  private let lock = NSLock()
  private var orders: [Order] = []
  private var stopped = false

  private let multi: OpaquePointer
  private let limits: NetworkTransport.Limits
  private let userAgent: String
  private let certificates: String?
  private let withoutProxy: String
  private var waiting: [Transfer] = []
  private var running: [UnsafeMutableRawPointer: Transfer] = [:]
  private var spare: [UnsafeMutableRawPointer] = []
  /// How many times the loop looked at what its transfers hold.
  private var round = 0

  init(limits: NetworkTransport.Limits, userAgent: String, certificates: String?, usesProxy: Bool) throws(TransportError) {
    guard matinee_curl_global_init() == CURLE_OK, let multi = matinee_curl_multi_init() else {
      throw .unsupported("libcurl cannot be started")
    }
    self.multi = OpaquePointer(multi)
    self.limits = limits
    self.userAgent = userAgent
    self.certificates = certificates
    let environment = ProcessInfo.processInfo.environment
    withoutProxy =
      !usesProxy ? "*" : ((environment["no_proxy"] ?? environment["NO_PROXY"]).map { $0 + "," } ?? "") + "localhost,127.0.0.0/8,::1"
    let thread = Thread { self.run() }
    thread.name = "curl"
    thread.start()
  }

  func start(_ transfer: Transfer) { add(.start(transfer)) }
  func cancel(_ transfer: Transfer) { add(.cancel(transfer)) }

  /// Ends the thread; nothing may be added afterwards.
  func stop() {
    lock.withLock {
      stopped = true
      matinee_curl_multi_wakeup(UnsafeMutableRawPointer(multi))
    }
  }

  private func add(_ order: Order) {
    lock.withLock {
      guard !stopped else { return }
      orders.append(order)
      matinee_curl_multi_wakeup(UnsafeMutableRawPointer(multi))
    }
  }

  private func run() {
    let multi = UnsafeMutableRawPointer(multi)
    while true {
      let (orders, stopped) = lock.withLock {
        defer { self.orders.removeAll() }
        return (self.orders, self.stopped)
      }
      if stopped { break }
      for order in orders { obey(order) }
      var active: Int32 = 0
      matinee_curl_multi_perform(multi, &active)
      collect()
      limitBufferedBytes()
      // curl's own timers cut this short; orders do by their wake-up.
      if !startWaiting() { matinee_curl_multi_poll(multi, 60_000) }
    }
    for (handle, transfer) in running {
      matinee_curl_multi_remove_handle(multi, handle)
      matinee_curl_easy_cleanup(handle)
      transfer.finish(.failure(CancellationError()))
    }
    for handle in spare { matinee_curl_easy_cleanup(handle) }
    matinee_curl_multi_cleanup(multi)
  }

  private func obey(_ order: Order) {
    switch order {
    case .start(let transfer): waiting.append(transfer)
    case .cancel(let transfer): if let handle = running.first(where: { $0.value === transfer })?.key { release(handle) }
    }
  }

  /// Fills free slots; true when a transfer was added, which has to be performed before the loop waits.
  private func startWaiting() -> Bool {
    var started = false
    while running.count < limits.concurrent, !waiting.isEmpty {
      let transfer = waiting.removeFirst()
      // Cancelled while it waited: it must not run.
      if transfer.isFinished { continue }
      guard let handle = spare.popLast() ?? matinee_curl_easy_init() else {
        transfer.finish(.failure(TransportError.unreachable("libcurl is out of memory")))
        continue
      }
      configure(handle)
      transfer.prepare(handle, limits: limits)
      running[handle] = transfer
      guard matinee_curl_multi_add_handle(UnsafeMutableRawPointer(multi), handle) == CURLM_OK else {
        transfer.finish(.failure(TransportError.unreachable("libcurl cannot add a transfer")))
        release(handle)
        continue
      }
      started = true
    }
    return started
  }

  private func collect() {
    var left: Int32 = 0
    while let message = matinee_curl_multi_info_read(UnsafeMutableRawPointer(multi), &left) {
      guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
        let transfer = running[handle]
      else { continue }
      let result = transfer.result(matinee_curl_message_result(message), of: handle)
      release(handle)
      transfer.finish(result)
    }
  }

  /// Ends transfers while all of them hold too much. What was received in one round is all that there is too much meanwhile.
  private func limitBufferedBytes() {
    guard limits.bufferedBytes < .max else { return }
    round += 1
    for transfer in running.values where transfer.bufferedBytes > transfer.grown.bytes { transfer.grown = (transfer.bufferedBytes, round) }
    var total = running.values.reduce(0) { $0 + $1.bufferedBytes }
    while total > limits.bufferedBytes {
      // One that holds more than its share: there is one, and small answers are no trouble.
      let large = running.filter { $0.value.bufferedBytes > limits.bufferedBytes / limits.concurrent }
      guard
        let (handle, transfer) = large.min(by: {
          ($0.value.grown.round, -$0.value.bufferedBytes) < ($1.value.grown.round, -$1.value.bufferedBytes)
        })
      else { return }
      total -= transfer.bufferedBytes
      release(handle)
      transfer.finish(.failure(TransportError.timedOut))
    }
  }

  /// Removes a transfer; its handle is reused, its connection stays with the multi handle.
  private func release(_ handle: UnsafeMutableRawPointer) {
    matinee_curl_multi_remove_handle(UnsafeMutableRawPointer(multi), handle)
    matinee_curl_easy_reset(handle)
    running[handle] = nil
    spare.append(handle)
  }

  private func configure(_ handle: UnsafeMutableRawPointer) {
    matinee_curl_set_long(handle, CURLOPT_NOSIGNAL, 1)
    matinee_curl_set_string(handle, CURLOPT_PROTOCOLS_STR, "http,https")
    matinee_curl_set_string(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    matinee_curl_set_long(handle, CURLOPT_FOLLOWLOCATION, limits.redirects > 0 ? 1 : 0)
    matinee_curl_set_long(handle, CURLOPT_MAXREDIRS, limits.redirects)
    matinee_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, limits.connect.milliseconds)
    matinee_curl_set_long(handle, CURLOPT_TIMEOUT_MS, limits.total.milliseconds)
    matinee_curl_set_long(handle, CURLOPT_LOW_SPEED_LIMIT, 1)
    matinee_curl_set_long(handle, CURLOPT_LOW_SPEED_TIME, max(1, limits.stall.milliseconds / 1000))
    matinee_curl_set_string(handle, CURLOPT_ACCEPT_ENCODING, Transfer.coding)
    // Without it, a transfer that ends while its host's name is looked up stops all others until the name server answers or is given up.
    matinee_curl_set_long(handle, CURLOPT_QUICK_EXIT, 1)
    matinee_curl_set_string(handle, CURLOPT_USERAGENT, userAgent)
    matinee_curl_set_string(handle, CURLOPT_NOPROXY, withoutProxy)
    if let certificates { matinee_curl_set_string(handle, CURLOPT_CAINFO, certificates) }
  }
}

extension Duration {
  /// The same length in whole milliseconds, at least one, since zero is "no limit" to curl.
  fileprivate var milliseconds: Int { max(1, Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)) }
}
