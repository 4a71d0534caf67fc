import Foundation
import Glibc
import Runtime

/// Answers in a folder, one file each, on a thread of its own.
///
/// A file is written under another name and then renamed; nothing waits for the disk. A checksum finds what a power failure left
/// incomplete.
actor CachedResponseFiles {
  private static let suffix = ".answer"
  private static let partSuffix = ".part"

  private let executor = ThreadExecutor(name: "answers")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let folder: URL
  private var limit: Int
  private let largest: Int
  private let clock: any AppClock
  /// The names of the files and what they take.
  private lazy var names = scanFolder()

  init(folder: String, limit: Int, largest: Int, clock: any AppClock) {
    self.folder = URL(fileURLWithPath: folder, isDirectory: true)
    self.limit = limit
    self.largest = largest
    self.clock = clock
  }

  func read(_ key: String) -> CachedResponse? {
    let name = Self.name(key)
    guard names.value(for: name) != nil else { return nil }
    let url = folder.appendingPathComponent(name)
    guard let size = Self.size(of: url), size <= largest + AnswerFile.mostBesidesBody, let data = try? Data(contentsOf: url),
      let file = AnswerFile(data), let answer = file.answer
    else {
      drop([name])
      return nil
    }
    // Two addresses may share a name, and then take turns.
    guard file.key == key else { return nil }
    // What was used last is known to the next start too.
    try? FileManager.default.setAttributes([.modificationDate: clock.now], ofItemAtPath: url.path)
    return answer
  }

  func write(_ answer: CachedResponse, _ key: String) {
    guard answer.response.body.count <= largest, let data = AnswerFile.data(answer, key) else { return remove(key) }
    let name = Self.name(key)
    let file = folder.appendingPathComponent(name)
    let part = folder.appendingPathComponent("\(name).\(getpid())\(Self.partSuffix)")
    let manager = FileManager.default
    if !manager.fileExists(atPath: folder.path) {
      try? manager.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    guard manager.createFile(atPath: part.path, contents: data, attributes: [.posixPermissions: 0o600, .modificationDate: clock.now]),
      rename(part.path, file.path) == 0
    else {
      unlink(part.path)
      return
    }
    drop(names.insert((), for: name, cost: data.count))
  }

  func remove(_ key: String) {
    let name = Self.name(key)
    if names.value(for: name) != nil { drop([name]) }
  }

  /// What they take, in bytes.
  var size: Int { names.cost }

  func setLimit(_ limit: Int) {
    self.limit = limit
    drop(names.setLimit(limit))
  }

  func clear() {
    drop(names.setLimit(0))
    names.setLimit(limit)
  }

  private func drop(_ dropped: [String]) {
    for name in dropped {
      names.remove(name)
      unlink(folder.appendingPathComponent(name).path)
    }
  }

  /// What earlier starts left, the least recently used first.
  private func scanFolder() -> LeastRecentlyUsed<String, Void> {
    var names = LeastRecentlyUsed<String, Void>(limit: limit)
    let keys: Set<URLResourceKey> = [.isRegularFileKey, .fileSizeKey, .contentModificationDateKey]
    let urls = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: Array(keys))) ?? []
    var found: [(name: String, size: Int, used: Date)] = []
    for url in urls {
      guard let values = try? url.resourceValues(forKeys: keys), values.isRegularFile == true else { continue }
      let used = values.contentModificationDate ?? .distantPast
      if url.lastPathComponent.hasSuffix(Self.suffix) {
        found.append((url.lastPathComponent, values.fileSize ?? 0, used))
      } else if url.lastPathComponent.contains(Self.suffix + "."), url.lastPathComponent.hasSuffix(Self.partSuffix),
        clock.now.timeIntervalSince(used) > 3600
      {
        // A file that a process left when it ended during a write; a younger one may be in use by another process.
        unlink(url.path)
      }
    }
    for file in found.sorted(by: { $0.used < $1.used }) {
      for name in names.insert((), for: file.name, cost: file.size) { unlink(folder.appendingPathComponent(name).path) }
    }
    return names
  }

  private static func size(of url: URL) -> Int? { (try? FileManager.default.attributesOfItem(atPath: url.path))?[.size] as? Int }

  private static func name(_ key: String) -> String {
    let digits = String(Checksum(Data(key.utf8)).value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits + suffix
  }
}

/// The bytes of one file: a magic number with the version, two lengths, a checksum of what follows, the answer's head as JSON, its body.
struct AnswerFile {
  private struct Head: Codable {
    let key: String
    let status: Int
    let fields: [[String]]
    let storedAt: Date
    let freshUntil: Date
  }

  /// What a file may have besides the body, in bytes.
  static let mostBesidesBody = 1 << 20
  private static let mark = Data("matinee1".utf8)
  private static let start = 32

  private let head: Head
  private let body: Data

  static func data(_ answer: CachedResponse, _ key: String) -> Data? {
    let response = answer.response
    let head = Head(
      key: key, status: response.status, fields: response.headers.fields.map { [$0.name, $0.value] }, storedAt: answer.storedAt,
      freshUntil: answer.freshUntil)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let text = try? encoder.encode(head), text.count < mostBesidesBody - start else { return nil }
    let content = text + response.body
    var data = mark
    for number in [UInt64(text.count), UInt64(response.body.count), Checksum(content).value] {
      withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
    }
    return data + content
  }

  /// - Returns: nil for bytes that are not from ``data(_:_:)``, or incomplete.
  init?(_ data: Data) {
    guard data.count >= Self.start, data.prefix(8) == Self.mark else { return nil }
    let numbers = (1...3).map { place in
      data.dropFirst(place * 8).prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    let content = data.dropFirst(Self.start)
    let (headCount, isTooMany) = numbers[0].addingReportingOverflow(numbers[1])
    guard !isTooMany, headCount == UInt64(content.count), Checksum(content).value == numbers[2],
      let head = try? JSONDecoder().decode(Head.self, from: content.prefix(Int(numbers[0]))), head.fields.allSatisfy({ $0.count == 2 })
    else { return nil }
    self.head = head
    body = Data(content.dropFirst(Int(numbers[0])))
  }

  var key: String { head.key }

  var answer: CachedResponse? {
    guard head.status == 200 else { return nil }
    var headers = Headers()
    for field in head.fields { headers.add(field[0], field[1]) }
    return CachedResponse(
      response: Response(head.status, headers: headers, body: body), storedAt: head.storedAt, freshUntil: head.freshUntil)
  }
}

/// Detects accidents, not forgeries: FNV-1a's step over eight bytes at a time (draft-eastlake-fnv), then spread.
struct Checksum {
  let value: UInt64

  init(_ data: Data) {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    data.withUnsafeBytes { bytes in
      var place = 0
      while place + 8 <= bytes.count {
        hash = (hash ^ UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))) &* 0x0100_0000_01b3
        hash ^= hash >> 32
        place += 8
      }
      for byte in bytes[place...] { hash = (hash ^ UInt64(byte)) &* 0x0100_0000_01b3 }
    }
    value = (hash ^ (hash >> 33)) &* 0xff51_afd7_ed55_8ccd
  }
}
