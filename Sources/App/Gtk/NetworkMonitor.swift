import CGtk

/// Reports when this computer has a network, as far as the desktop knows: the first one, another one, one after sleep.
///
/// Where no service watches the network, as in many containers, it always counts as there, and nothing is reported.
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
