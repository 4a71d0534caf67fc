import Foundation

extension Error {
  /// Why something with a file failed, in the system's words: "No such file or directory". Foundation has them as the underlying error; its
  /// own text is often only a number.
  public var systemReason: String {
    guard let cause = (self as? CocoaError)?.underlying as NSError?, cause.domain == NSPOSIXErrorDomain else {
      return localizedDescription
    }
    return String(cString: strerror(Int32(cause.code)))
  }
}
