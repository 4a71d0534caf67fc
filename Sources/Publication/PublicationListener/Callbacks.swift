import CMicroHTTPD
import Foundation
import HTTPTransport
import PublicationServer

// Called by libmicrohttpd on its own thread, so they belong to no actor. The context is a `Daemon`, a request's own an `Exchange`.

let requestOpened: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
  context, target, _ in
  guard let context else { return nil }
  let exchange = Exchange(target: target.flatMap { String(validatingCString: $0) })
  Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue().opened(exchange)
  return Unmanaged.passRetained(exchange).toOpaque()
}

let requestContinued: MHD_AccessHandlerCallback = { context, connection, _, method, version, upload, size, own in
  guard let context, let connection, let method, let size, let pointer = own?.pointee else { return .NO }
  let daemon = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
  let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
  let part = UnsafeRawBufferPointer(start: upload, count: size.pointee)
  size.pointee = 0
  let isModern = version.map { String(cString: $0) } != "HTTP/1.0"
  return RequestReader(daemon, exchange, connection).proceed(String(cString: method), part, needsHost: isModern) ? .YES : .NO
}

let requestCompleted: MHD_RequestCompletedCallback = { context, _, own, _ in
  guard let context, let pointer = own?.pointee else { return }
  own?.pointee = nil
  let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue()
  Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue().completed(exchange)
}
