import CSQLite
import Glibc

/// One of FTS5's tokenizers (https://sqlite.org/fts5.html#tokenizers): cuts texts into words as an index does, cases and accents folded.
///
/// It belongs to its connection and is used where that is.
public final class Tokenizer {
  private let connection: Connection
  private let functions: fts5_tokenizer
  private let handle: OpaquePointer

  /// How many bytes of texts were read so far: tests use it to show that no text is read repeatedly.
  public private(set) var bytesRead = 0

  /// - Parameters:
  ///   - name: such as `unicode61`.
  ///   - arguments: as behind `tokenize =`.
  ///   - connection: the connection whose tokenizers are looked through.
  /// - Throws: ``SQLiteError`` when there is no such tokenizer, or it does not know the arguments.
  public init(_ name: String, _ arguments: [String] = [], for connection: Connection) throws(SQLiteError) {
    connection.executor?.checkIsolated()
    self.connection = connection
    var functions = fts5_tokenizer()
    var context: UnsafeMutableRawPointer?
    guard let api = matinee_fts5_api(connection.handle) else {
      throw SQLiteError(code: SQLITE_ERROR, message: "this SQLite has no full-text search", sql: name)
    }
    try Self.check(api.pointee.xFindTokenizer(api, name, &context, &functions), name)
    let words = arguments.map { strdup($0) }
    defer { words.forEach { free($0) } }
    var pointers: [UnsafePointer<CChar>?] = words.map { UnsafePointer($0) }
    var handle: OpaquePointer?
    try Self.check(functions.xCreate(context, &pointers, Int32(pointers.count), &handle), name)
    guard let handle else { throw SQLiteError(code: SQLITE_NOMEM, message: "there is no tokenizer", sql: name) }
    self.functions = functions
    self.handle = handle
  }

  deinit { functions.xDelete(handle) }

  /// Passes the words of a text, as the index has them, to `body` in order, until that returns false.
  /// - Parameters:
  ///   - text: in UTF-8.
  ///   - body: called with a word, which is valid inside it only, and the word's place in the text; returns whether to continue.
  /// - Throws: ``SQLiteError``, also when the connection's ``WorkLimit`` ends it.
  public func words(
    of text: UnsafeBufferPointer<UInt8>, _ body: (_ word: UnsafeBufferPointer<UInt8>, _ place: Range<Int>) -> Bool
  ) throws(SQLiteError) {
    guard let start = text.baseAddress, !text.isEmpty else { return }
    let code = withoutActuallyEscaping(body) { body in
      var walk = Walk(body: body, watch: connection.watch, end: text.count)
      let code = withUnsafeMutablePointer(to: &walk) { walk in
        start.withMemoryRebound(to: CChar.self, capacity: text.count) {
          functions.xTokenize(handle, walk, FTS5_TOKENIZE_DOCUMENT, $0, Int32(text.count), Self.step)
        }
      }
      bytesRead += walk.end
      return code
    }
    try connection.check(code, "tokenizer")
  }

  private struct Walk {
    let body: (UnsafeBufferPointer<UInt8>, Range<Int>) -> Bool
    let watch: WorkWatch
    var end: Int
    var count = 0
  }

  private static let step: @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, Int32, Int32, Int32) -> Int32 = {
    walk, _, word, count, start, end in
    guard let walk = walk?.assumingMemoryBound(to: Walk.self), let word else { return SQLITE_MISUSE }
    return word.withMemoryRebound(to: UInt8.self, capacity: Int(count)) { word in
      walk.pointee.count += 1
      if walk.pointee.count % 1000 == 0, !walk.pointee.watch.mayGoOn { return SQLITE_INTERRUPT }
      if walk.pointee.body(UnsafeBufferPointer(start: word, count: Int(count)), Int(start)..<Int(end)) { return SQLITE_OK }
      walk.pointee.end = Int(end)
      return SQLITE_DONE
    }
  }

  private static func check(_ code: Int32, _ name: String) throws(SQLiteError) {
    guard code != SQLITE_OK else { return }
    throw SQLiteError(code: code, message: String(cString: sqlite3_errstr(code)), sql: name)
  }
}
