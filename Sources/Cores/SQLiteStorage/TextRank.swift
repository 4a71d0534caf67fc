import CSQLite

extension Connection {
  /// Adds `text_rank` to SQL, for tables of FTS5: how well a row matches, the best lowest, as `bm25`
  /// (https://sqlite.org/fts5.html#the_bm25_function) but from that row alone.
  ///
  ///     SELECT rowid FROM post_search WHERE post_search MATCH ? ORDER BY text_rank(post_search, 10.0, 1.0)
  ///
  /// Its arguments are the table and a weight for each column; a column of weight 0, or without one, counts for nothing. `bm25` weighs
  /// a word by how many rows have it, in any column. Its order therefore tells of rows and columns that a person may not read.
  /// - Throws: ``SQLiteError`` when this SQLite has no full-text search.
  public func addTextRank() throws(SQLiteError) {
    executor?.checkIsolated()
    guard !hasTextRank else { return }
    guard let api = matinee_fts5_api(handle) else {
      throw SQLiteError(code: SQLITE_ERROR, message: "this SQLite has no full-text search", sql: TextRank.name)
    }
    try check(api.pointee.xCreateFunction(api, TextRank.name, nil, TextRank.function, nil), TextRank.name)
    hasTextRank = true
  }
}

/// BM25's saturation and its share of the length, without what it takes from all rows.
private enum TextRank {
  static let name = "text_rank"

  private static let (saturation, lengthShare) = (1.2, 0.75)
  /// How many words a text of no particular length has: an average would be of all rows.
  private static let usualLength = 500.0

  static let function: fts5_extension_function = { api, row, result, count, arguments in
    guard let api, let row, let result else { return }
    let weights = (0..<Int(count)).map { arguments?[$0].map { sqlite3_value_double($0) } ?? 0 }
    var rank = 0.0
    let code = TextRank.rank(of: row, weights: weights, by: api.pointee, into: &rank)
    if code == SQLITE_OK { sqlite3_result_double(result, -rank) } else { sqlite3_result_error_code(result, code) }
  }

  private static func rank(of row: OpaquePointer, weights: [Double], by api: Fts5ExtensionApi, into rank: inout Double) -> Int32 {
    var length = 0.0
    for column in weights.indices where weights[column] > 0 {
      var words: Int32 = 0
      let code = api.xColumnSize(row, Int32(column), &words)
      guard code == SQLITE_OK else { return code }
      length += Double(words)
    }
    var frequencies = [Double](repeating: 0, count: Int(api.xPhraseCount(row)))
    var matches: Int32 = 0
    var code = api.xInstCount(row, &matches)
    guard code == SQLITE_OK else { return code }
    for match in 0..<matches {
      var (phrase, column, word): (Int32, Int32, Int32) = (0, 0, 0)
      code = api.xInst(row, match, &phrase, &column, &word)
      guard code == SQLITE_OK else { return code }
      if weights.indices.contains(Int(column)) { frequencies[Int(phrase)] += weights[Int(column)] }
    }
    let room = saturation * (1 - lengthShare + lengthShare * length / usualLength)
    rank = frequencies.reduce(0) { $0 + $1 * (saturation + 1) / ($1 + room) }
    return SQLITE_OK
  }
}
