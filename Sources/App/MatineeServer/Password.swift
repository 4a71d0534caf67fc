import Foundation
import PublicationServer
import Runtime

/// A password from the standard input, not shown when a person types it.
enum Password {
  /// There was none that can be used.
  enum Failure: Error, CustomStringConvertible {
    case missing
    case notText
    case tooLong

    var description: String {
      switch self {
      case .missing: "There is no password on the standard input."
      case .notText: "The password on the standard input is not UTF-8, so nobody could type it elsewhere; nothing was changed."
      case .tooLong:
        "A password has at most \(Publication.longestPassword) bytes, and there are more on the standard input; nothing was changed."
      }
    }
  }

  /// - Throws: ``Failure``.
  static func read() throws(Failure) -> String {
    let bytes = isatty(0) == 1 ? typed() : line()
    guard !bytes.isEmpty else { throw .missing }
    guard bytes.count <= Publication.longestPassword else { throw .tooLong }
    // `readLine` would silently replace bytes that are no text.
    guard let password = String(validating: bytes, as: UTF8.self) else { throw .notText }
    return password
  }

  /// One line, without its end.
  private static func line() -> [UInt8] {
    var (bytes, byte) = ([UInt8](), UInt8(0))
    // No more than one line, and of one without end no more than is refused anyway: its end may have two bytes.
    while bytes.last != UInt8(ascii: "\n"), bytes.count < Publication.longestPassword + 3, Glibc.read(0, &byte, 1) == 1 {
      bytes.append(byte)
    }
    for end in "\n\r".utf8 where bytes.last == end { bytes.removeLast() }
    return bytes
  }

  private static func typed() -> [UInt8] {
    StandardError.write("Password: ", terminator: "")
    var settings = termios()
    tcgetattr(0, &settings)
    let before = settings
    settings.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(0, TCSAFLUSH, &settings)
    defer {
      var before = before
      tcsetattr(0, TCSAFLUSH, &before)
      StandardError.write("")
    }
    return line()
  }
}
