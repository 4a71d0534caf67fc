#if GTK
  import Foundation
  import Runtime
  import Synchronization

  /// A site on the loopback network with a picture for each number: `/17.jpg`. It records which were requested.
  final class PictureSite: Sendable {
    /// Pictures as publications have them: 1200 × 675 pixels, some 100 to 200 kB. The site gives each of them many times.
    private static let kinds = 16

    let port: Int
    private let requested = Mutex<Set<Int>>([])

    /// Makes the pictures and answers from now on, until the process ends.
    /// - Parameter folder: for the files.
    init(folder: URL) throws {
      var files: [Data] = []
      for kind in 0..<Self.kinds {
        let file = folder.appending(path: "picture-\(kind).jpg").path
        let options = ["-seed", "\(kind)", "-size", "1200x675", "plasma:", "-quality", "85", file]
        guard try ChildProcess("/usr/bin/env", ["convert"] + options).wait() == .exit(0) else {
          throw Mistake(description: "convert (ImageMagick) failed; is it installed?")
        }
        files.append(try Data(contentsOf: URL(filePath: file)))
      }
      let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      (address.sin_family, address.sin_addr.s_addr) = (sa_family_t(AF_INET), UInt32(0x7F00_0001).bigEndian)
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(socket, $0, length) == 0 && listen(socket, 64) == 0 && getsockname(socket, $0, &length) == 0
        }
      }
      guard isBound else { throw Mistake(description: "The loopback network has no place to listen on.") }
      port = Int(UInt16(bigEndian: address.sin_port))
      Thread.detachNewThread { [weak self, files] in
        while true {
          let client = accept(socket, nil, nil)
          if client >= 0 { self?.answer(client, files) }
        }
      }
    }

    /// The lowest number that was requested.
    var lowest: Int? { requested.withLock { $0.min() } }
    /// How many pictures were requested.
    var count: Int { requested.withLock { $0.count } }
    /// Counts from here on.
    func forget() { requested.withLock { $0 = [] } }

    private func answer(_ client: Int32, _ files: [Data]) {
      defer { close(client) }
      var head = ""
      var buffer = [UInt8](repeating: 0, count: 4096)
      while !head.contains("\r\n\r\n") {
        let count = read(client, &buffer, buffer.count)
        guard count > 0 else { return }
        head += String(decoding: buffer[..<count], as: UTF8.self)
      }
      // GET /17.jpg HTTP/1.1
      guard let number = head.split(separator: " ").dropFirst().first.flatMap({ Int($0.dropFirst().prefix { $0 != "." }) }) else { return }
      requested.withLock { _ = $0.insert(number) }
      let body = files[number % files.count]
      var answer = Data(
        "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n".utf8)
      answer += body
      answer.withUnsafeBytes { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
          let count = write(client, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
          guard count > 0 else { return }
          rest = rest.dropFirst(count)
        }
      }
    }
  }
#endif
