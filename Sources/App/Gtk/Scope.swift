/// Every connection that one screen made. Closing it ends them all, also those of gestures, models and shortcuts, so that no closure of the
/// screen is called or retained afterwards.
@MainActor public final class Scope {
  private var connections: [ObjectIdentifier: SignalConnection] = [:]
  /// Whether ``close()`` was called. Connections made afterwards end at once.
  public private(set) var isClosed = false

  /// A scope without connections, which is open.
  public init() {}

  isolated deinit { close() }

  /// How many connections live.
  public var count: Int { connections.count }

  /// Ends every connection. Further calls do nothing.
  public func close() {
    isClosed = true
    let ending = connections.values
    connections.removeAll()
    for connection in ending { connection.end() }
  }

  func record(_ connection: SignalConnection) {
    guard !isClosed else { return connection.end() }
    connections[ObjectIdentifier(connection)] = connection
    connection.scope = self
  }

  func forget(_ connection: SignalConnection) { connections[ObjectIdentifier(connection)] = nil }
}

/// An object that reacts to widgets: its connections hold it weakly, and its scope ends the connections.
@MainActor public protocol SignalOwner: AnyObject {
  /// Where the connections are recorded.
  var scope: Scope { get }
}

/// A part of the window: a widget, and the object that fills it from a state.
@MainActor public protocol View: SignalOwner {
  /// What goes into the window.
  var root: Widget { get }
  /// Puts the focus where a person begins, once it is on screen; by default on the first widget that takes it.
  func takeKeyboard()
  /// The place of the window's messages while this is the page, at its lower edge: above bars, which do not move when a message appears or
  /// goes. Nil for the lower edge of the page.
  var messages: Overlay? { get }
}

extension View {
  /// The lower edge of the page.
  public var messages: Overlay? { nil }
  /// Puts the keyboard on the first widget that takes it.
  public func takeKeyboard() { root.focusFirst() }
}

/// One connection of a closure to an object.
@MainActor public final class SignalConnection {
  weak var scope: Scope?
  private var ending: (() -> Void)?

  init(ending: @escaping () -> Void) { self.ending = ending }

  /// Ends the connection; the closure is released. Further calls do nothing.
  public func disconnect() {
    scope?.forget(self)
    end()
  }

  func end() {
    let ending = ending
    self.ending = nil
    ending?()
  }

  /// The other side ended the connection.
  func ended() {
    ending = nil
    scope?.forget(self)
  }
}
