import Foundation

extension FileHandle {
  /// The next line, with its end; what there is when the other side has closed. Blocks, and takes nothing of what follows.
  public func line() -> Data {
    var line = Data()
    while line.last != UInt8(ascii: "\n") {
      let byte = readData(ofLength: 1)
      if byte.isEmpty { break }
      line += byte
    }
    return line
  }
}
