import Foundation
import PublicationAPI
import PublicationServer

/// What was counted for a flag, as a table for people.
struct FlagTable {
  let report: FlagReport

  var lines: [String] {
    let sides = report.buckets
    var rows: [[String]] = [[""] + sides.map(\.variant)]
    rows.append(["readers"] + sides.map { "\($0.readers)" })
    rows.append(["sessions"] + sides.map { "\($0.sessions)" })
    rows.append(["paywalls seen"] + sides.map { "\($0.paywallsSeen)" })
    rows.append(["bought"] + sides.map { "\($0.bought)" })
    rows.append(["  of paywalls seen"] + sides.map { Share($0.bought, of: $0.paywallsSeen).text })
    rows.append(["failed"] + sides.map { "\($0.failures)" })
    rows.append(["  of tries"] + sides.map { Share($0.failures, of: $0.failures + $0.bought).text })
    for code in Set(sides.flatMap(\.failed.keys)).sorted() { rows.append(["  \(code)"] + sides.map { "\($0.failed[code] ?? 0)" }) }
    rows.append(["crashes"] + sides.map { "\($0.crashes)" })
    rows.append(["  of sessions"] + sides.map { Share($0.crashes, of: $0.sessions).text })
    return [Self.summary(report.flag), ""] + Self.aligned(rows) + ["", Self.explanation, sample]
  }

  /// One line for `flag list`.
  static func summary(_ flag: FlagRecord) -> String {
    var text = "\(flag.name): on for \(flag.percent) % of the readers"
    if let version = flag.minVersion { text += ", from version \(version) on" }
    if let features = flag.features, !features.isEmpty { text += ", with \(features.joined(separator: ", "))" }
    return text
  }

  private static let explanation =
    "In brackets: where the true share lies, 95 times in 100. Where two of them do not overlap, chance hardly explains the difference."

  /// How many paywalls it takes to see a change by a fifth four times in five (Lehr's rule: 16·p(1−p)/d²).
  private var sample: String {
    let (seen, bought) = report.buckets.reduce((0, 0)) { ($0.0 + $1.paywallsSeen, $0.1 + $1.bought) }
    guard bought > 0, bought < seen else { return "There is too little yet to say how many paywalls a judgement takes." }
    let share = Double(bought) / Double(seen)
    let needed = Int((16 * (1 - share) / (0.04 * share)).rounded(.up))
    let there = report.buckets.map(\.paywallsSeen).min() ?? 0
    return there < needed
      ? "To see whether a fifth more or less is bought takes about \(needed) paywalls on each side; the smaller side has \(there)."
      : "There are enough paywalls to see whether a fifth more or less is bought: it takes about \(needed) on each side."
  }

  private static func aligned(_ rows: [[String]]) -> [String] {
    let widths = (0..<(rows.first?.count ?? 0)).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).enumerated().map { column, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 ? cell.0 + space : space + cell.0
      }
      return cells.joined(separator: "   ")
    }
  }
}

/// So many of so many, and how sure that is: the interval of Wilson (1927) at 95 %.
struct Share {
  private let count: Int
  private let total: Int

  init(_ count: Int, of total: Int) {
    self.count = min(count, total)
    self.total = total
  }

  /// From and to, from 0 to 1.
  var interval: (low: Double, high: Double) {
    let (z, n) = (1.959964, Double(total))
    let share = Double(count) / n
    let middle = share + z * z / (2 * n)
    let half = z * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
    let scale = 1 + z * z / n
    return (max(0, (middle - half) / scale), min(1, (middle + half) / scale))
  }

  /// `14.8 % (10.6–20.2)`; a dash for a share of nothing.
  var text: String {
    guard total > 0 else { return "–" }
    let digits = { (value: Double) in String(format: "%.1f", value * 100) }
    return "\(digits(Double(count) / Double(total))) % (\(digits(interval.low))–\(digits(interval.high)))"
  }
}

extension FlagReport.Bucket {
  fileprivate var failures: Int { failed.values.reduce(0, +) }
}
