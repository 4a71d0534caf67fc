import Foundation

/// One comparison: the medians of ours and of a baseline that was measured in the same run.
struct Figure: Codable {
  /// What was measured.
  enum Unit: String, Codable { case seconds, bytes }
  /// What was done, such as `receipt, ES256`.
  let name: String
  /// The median of ours.
  let ours: Double
  /// The median of the baseline.
  let baseline: Double
  /// What the baseline is.
  let against: String
  /// The ratio that is aimed at, at most; `nil` where there is none.
  let goal: Double?
  /// Anything else that was found out.
  var remark: String?
  /// What both are in.
  var unit = Unit.seconds

  var ratio: Double { ours / baseline }
  var isMet: Bool { goal.map { ratio <= $0 } ?? true }

  /// On one line, for people.
  var line: String {
    let numbers = "\(written(ours)) against \(written(baseline)) (\(against)): \(ratio.formatted(Self.twoDigits))"
    let goal = goal.map { ", goal ≤ \($0.formatted(Self.twoDigits))\(isMet ? "" : ", MISSED")" } ?? ""
    return "\(name): \(numbers)\(goal)\(remark.map { "; \($0)" } ?? "")"
  }

  private func written(_ value: Double) -> String {
    unit == .seconds ? Self.time(value) : "\((value / 1_048_576).formatted(Self.twoDigits)) MiB"
  }

  private static func time(_ seconds: Double) -> String {
    switch seconds {
    case ..<1e-3: "\((seconds * 1e6).formatted(twoDigits)) µs"
    case ..<1: "\((seconds * 1e3).formatted(twoDigits)) ms"
    default: "\(seconds.formatted(twoDigits)) s"
    }
  }

  private static let twoDigits = FloatingPointFormatStyle<Double>.number.precision(.fractionLength(2)).locale(Locale(identifier: "en_US"))
}

extension [Double] {
  /// The value in the middle.
  var median: Double {
    let sorted = sorted()
    guard let upper = sorted.dropFirst(count / 2).first else { return .nan }
    return count.isMultiple(of: 2) ? (sorted[count / 2 - 1] + upper) / 2 : upper
  }
}

/// How long something takes, in seconds.
func seconds(isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Void) async rethrows -> Double {
  let start = ContinuousClock.now
  try await work()
  return (ContinuousClock.now - start) / .seconds(1)
}
