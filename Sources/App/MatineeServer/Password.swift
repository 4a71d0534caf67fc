import Foundation

/// A password from the standard input, not shown when a person types it.
enum Password {
  /// There was none.
  struct Missing: Error, CustomStringConvertible { let description = "There is no password on the standard input." }

  /// - Throws: ``Missing``.
  static func read() throws(Missing) -> String {
    let line = isatty(0) == 1 ? typed() : readLine(strippingNewline: true)
    guard let line, !line.isEmpty else { throw Missing() }
    return line
  }

  private static func typed() -> String? {
    FileHandle.standardError.write(Data("Password: ".utf8))
    var settings = termios()
    tcgetattr(0, &settings)
    let before = settings
    settings.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(0, TCSAFLUSH, &settings)
    defer {
      var before = before
      tcsetattr(0, TCSAFLUSH, &before)
      FileHandle.standardError.write(Data("\n".utf8))
    }
    return readLine(strippingNewline: true)
  }
}
