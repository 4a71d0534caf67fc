/// Gives the cells of a table their places (HTML Standard, 4.9.12), with limits: spans end where the table does.
struct TableBuilder {
  /// What a table turned out to be.
  enum Result {
    case table(ArticleBody.Table)
    /// One row or column: no table, but what is in it.
    case layout([ArticleBody.Block])
  }

  /// The most columns; what stands further right is added to the last one.
  static let maximumColumns = 64

  private var rows: [[ArticleBody.Cell]] = []
  private var row: [ArticleBody.Cell] = []
  private var column = 0
  /// For each column the first row that no cell from above reaches into.
  private var free: [Int] = []
  private var groupStart = 0
  private var isHeader = false

  /// Rows of a head, a body or a foot start: no cell reaches over that.
  mutating func startGroup(isHeader: Bool) {
    endRow()
    clipSpans()
    groupStart = rows.count
    self.isHeader = isHeader
  }

  mutating func add(_ blocks: [ArticleBody.Block], isHeader: Bool, columns: Int, rows span: Int) {
    while column < free.count, free[column] > rows.count { column += 1 }
    guard column < Self.maximumColumns else {
      if row.isEmpty { row.append(ArticleBody.Cell([], column: 0)) }
      row[row.count - 1].blocks += blocks
      return
    }
    var end = column
    // Clamped first: a page may claim as many columns as there are numbers.
    while end < min(column + min(max(columns, 1), Self.maximumColumns), Self.maximumColumns), end >= free.count || free[end] <= rows.count {
      end += 1
    }
    if end > free.count { free += Array(repeating: 0, count: end - free.count) }
    // "All that follow" is a large number, which is limited later.
    let span = span == 0 ? 65_534 : min(max(span, 1), 65_534)
    for index in column..<end { free[index] = rows.count + span }
    row.append(
      ArticleBody.Cell(blocks, isHeader: isHeader || self.isHeader, column: column, columns: end - column, rows: span))
    column = end
  }

  mutating func endRow() {
    if !row.isEmpty { rows.append(row) }
    row = []
    column = 0
  }

  /// Cells end with the rows that are there.
  private mutating func clipSpans() {
    for index in groupStart..<rows.count {
      for cell in rows[index].indices { rows[index][cell].rows = min(rows[index][cell].rows, rows.count - index) }
    }
    for index in free.indices { free[index] = min(free[index], rows.count) }
  }

  mutating func finish() -> Result {
    endRow()
    clipSpans()
    let isTable = rows.count > 1 && rows.contains { $0.count > 1 }
    guard isTable, rows.contains(where: { $0.contains { !$0.blocks.isEmpty } }) else {
      return .layout(rows.flatMap { $0.flatMap(\.blocks) })
    }
    return .table(ArticleBody.Table(columns: free.count, rows: rows))
  }
}
