import CMicroHTTPD
import Foundation
import HTTPTransport
import PublicationServer

// Called by libmicrohttpd on its own thread, so they belong to no actor. The context is a `Daemon`, a request's own an `Exchange`.

let requestOpened: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>, OpaquePointer) -> UnsafeMutableRawPointer? = {
  context, target, connection in
  guard let context else { return nil }
  let exchange = Exchange(target: String(validatingCString: target))
  // The library parses the query next, and hangs when it has no memory for so many parameters (0.9.75). We do not read them, so the query
  // is empty for it: the text lies in the connection's memory, where the library writes as well.
  if let query = strchr(target, Int32(UInt8(ascii: "?"))) { query[1] = 0 }
  Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue().opened(exchange, connection)
  return Unmanaged.passRetained(exchange).toOpaque()
}

let connectionChanged: MHD_NotifyConnectionCallback = { context, connection, _, code in
  guard let context, let connection else { return }
  let daemon = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
  // MHD_CONNECTION_NOTIFY_STARTED is 0.
  if code.rawValue == 0 { daemon.connected(connection) } else { daemon.connections.closed(connection) }
}

/// Called before the library refuses a request by itself.
let requestRefused: @convention(c) (UnsafeMutableRawPointer?, UInt32) -> Void = { context, status in
  guard let context else { return }
  Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue().refused(Int(status))
}

let requestContinued: MHD_AccessHandlerCallback = { context, connection, _, method, version, upload, size, own in
  guard let context, let connection, let method, let size, let pointer = own?.pointee else { return .NO }
  let daemon = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
  let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
  let part = UnsafeRawBufferPointer(start: upload, count: size.pointee)
  size.pointee = 0
  let reader = RequestReader(daemon, exchange, connection)
  return reader.proceed(String(cString: method), version.map { String(cString: $0) } ?? "", part) ? .YES : .NO
}

let requestCompleted: MHD_RequestCompletedCallback = { context, connection, own, _ in
  guard let context, let pointer = own?.pointee else { return }
  own?.pointee = nil
  let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue()
  Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue().completed(exchange, connection)
}
