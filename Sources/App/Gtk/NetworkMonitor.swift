import CGtk

/// Tells when this computer has a network, as far as the desktop knows: a start without one that comes later, another one, the end of sleep.
///
/// Where nothing watches the network, as in many containers, it is said to be there all the time and nothing is ever told.
@MainActor public final class NetworkMonitor {
  private let scope = Scope()

  /// Asks the system, which may take a moment the first time.
  /// - Parameter onAvailable: called each time the network changed and there is one.
  public init(onAvailable: @escaping @MainActor () -> Void) {
    Object(lasting: UnsafeMutableRawPointer(g_network_monitor_get_default())).connect("network-changed", .flag, in: scope) { isAvailable in
      if isAvailable { onAvailable() }
    }
  }
}
