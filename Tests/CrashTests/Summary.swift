/// The table of all cases: who was killed where, and what came of it.
struct Summary {
  private struct Row {
    var cases: [Victim: Int] = [:]
    var toBeCharged = 0
    var charged = 0
    var toBeEntitled = 0
    var entitled = 0
    var stuck = 0
  }

  private var rows: [String: Row] = [:]
  private var order: [String] = []
  private(set) var cases = 0
  private var killings = 0

  mutating func add(_ outcome: Play.Outcome, of journey: Journey, killing victim: Victim, title: String) {
    if rows[title] == nil { order.append(title) }
    var row = rows[title] ?? Row()
    row.cases[victim, default: 0] += 1
    row.toBeCharged += journey.isBought ? 1 : 0
    row.charged += outcome.charges
    row.entitled += outcome.isEntitled ? 1 : 0
    row.stuck += outcome.isStuck ? 1 : 0
    rows[title] = row
    cases += 1
    killings += outcome.blows
  }

  /// Lines that begin with `| `, which meson-helpers/test shows again.
  func lines(_ heading: String) -> [String] {
    let titles = ["killed at"] + order + ["in all"]
    let width = titles.map(\.count).max() ?? 0
    var all = Row()
    var lines = [cells("killed at", Victim.allCases.map(\.rawValue) + ["bought", "charged", "entitled", "stuck"], width)]
    for title in order {
      guard let row = rows[title] else { continue }
      for (victim, count) in row.cases { all.cases[victim, default: 0] += count }
      all.toBeCharged += row.toBeCharged
      all.charged += row.charged
      all.entitled += row.entitled
      all.stuck += row.stuck
      lines.append(cells(title, values(row), width))
    }
    lines.append(cells("in all", values(all), width))
    return ["| \(heading): \(cases) purchases, \(killings) killings"] + lines
  }

  private func values(_ row: Row) -> [String] {
    Victim.allCases.map { "\(row.cases[$0] ?? 0)" } + ["\(row.toBeCharged)", "\(row.charged)", "\(row.entitled)", "\(row.stuck)"]
  }

  private func cells(_ title: String, _ values: [String], _ width: Int) -> String {
    let padded = values.map { String(repeating: " ", count: max(0, 9 - $0.count)) + $0 }
    return "| \(title)\(String(repeating: " ", count: width - title.count))\(padded.joined())"
  }
}
