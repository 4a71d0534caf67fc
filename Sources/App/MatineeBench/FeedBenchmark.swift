import CFeedBaseline
import FeedFormats
import Foundation

/// Reading feeds of every format, against what cannot be left out: libxml2 parsing the same bytes without callbacks, and for JSON
/// Foundation's own parser, since libxml2 reads none.
struct FeedBenchmark {
  static let goal = 4.0

  private let xml: [Data]
  private let json: [Data]

  /// - Parameter folder: holds the feeds; every file counts.
  init(folder: String) throws {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    guard !names.isEmpty else { throw Mistake(description: "there are no feeds in \(folder); --feeds names another folder.") }
    let files = try names.sorted().map { name in (name, try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))) }
    for (name, data) in files {
      do { _ = try FeedParser.document(data, source: name) } catch { throw Mistake(description: "\(error)") }
    }
    let isJSON: (Data) -> Bool = { $0.first { !($0 == 0x20 || (0x09...0x0D).contains($0)) } == UInt8(ascii: "{") }
    xml = files.map(\.1).filter { !isJSON($0) }
    json = files.map(\.1).filter(isJSON)
  }

  func run(rounds: Int) throws -> [Figure] {
    var figures: [Figure] = []
    if !xml.isEmpty {
      var trees: [Double] = []
      var figure = try figure("XML", xml, against: "libxml2 alone, without a listener", rounds: rounds) { data in
        _ = data.withUnsafeBytes { bytes in bytes.baseAddress.map { matinee_baseline_parse($0, Int32(clamping: bytes.count)) } }
      }
      for _ in 0..<rounds {
        let pass = Self.pass(xml, Self.times(xml)) { data in
          _ = data.withUnsafeBytes { bytes in bytes.baseAddress.map { matinee_baseline_tree($0, Int32(clamping: bytes.count)) } }
        }
        trees.append(pass)
      }
      let ratio = (figure.ours / trees.median).formatted(.number.precision(.fractionLength(2)))
      figure.remark = "\(figure.remark ?? ""); \(ratio) times libxml2 with a tree"
      figures.append(figure)
    }
    if !json.isEmpty {
      figures.append(
        try figure("JSON", json, against: "JSONSerialization", rounds: rounds) { _ = try JSONSerialization.jsonObject(with: $0) })
    }
    return figures
  }

  private func figure(
    _ name: String, _ documents: [Data], against: String, rounds: Int, _ baseline: (Data) throws -> Void
  ) throws -> Figure {
    let times = Self.times(documents)
    var (ours, theirs): ([Double], [Double]) = ([], [])
    for round in 0...rounds {
      let mine = try Self.pass(documents, times) { _ = try FeedParser.document($0, source: "bench") }
      let base = try Self.pass(documents, times, baseline)
      // The first round warms up.
      guard round > 0 else { continue }
      ours.append(mine)
      theirs.append(base)
    }
    return Figure(
      name: "feed, \(name)", ours: ours.median, baseline: theirs.median, against: against, goal: Self.goal,
      remark: "\(documents.count) files of \(documents.reduce(0) { $0 + $1.count }) bytes")
  }

  /// How often each document is read in a round: 20 MB in all, so that a round is longer than what disturbs it.
  private static func times(_ documents: [Data]) -> Int { max(1, 20_000_000 / max(1, documents.reduce(0) { $0 + $1.count })) }

  /// One reading of all documents, in seconds.
  private static func pass(_ documents: [Data], _ times: Int, _ read: (Data) throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    for _ in 0..<times { for document in documents { try read(document) } }
    return (ContinuousClock.now - start) / .seconds(1) / Double(times)
  }
}
