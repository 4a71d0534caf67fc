import Foundation

/// A body that is being received, in a file without a name, which ends with the object or the process.
///
/// Belongs to one thread, until it is whole.
final class BodyFile {
  private let descriptor: Int32
  private(set) var count = 0

  /// - Returns: `nil` when there can be no file in the folder.
  init?(in folder: String) {
    let path = "\(folder)/upload-\(UUID().uuidString)"
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    unlink(path)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// - Returns: whether all of it was written; not on a disk that is full.
  func append(_ part: UnsafeRawBufferPointer) -> Bool {
    var rest = part[...]
    while !rest.isEmpty {
      let written = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return false }
      rest = rest.dropFirst(written)
      count += written
    }
    return true
  }

  /// The bytes, memory-mapped: the system reads them on access, and reclaims the memory when it is short. `nil` when mapping fails.
  var data: Data? {
    guard count > 0 else { return Data() }
    guard let start = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), start != UnsafeMutableRawPointer(bitPattern: -1) else {
      return nil
    }
    return Data(bytesNoCopy: start, count: count, deallocator: .custom { munmap($0, $1) })
  }
}
