import Foundation

extension Pipe {
  /// The first line that a program writes into it, as servers do once they take connections; empty when there is none.
  func firstLine() throws -> String {
    var line = Data()
    while let byte = try fileHandleForReading.read(upToCount: 1), !byte.isEmpty, byte != Data("\n".utf8) { line += byte }
    return String(decoding: line, as: UTF8.self)
  }
}
