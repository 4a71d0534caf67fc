import FeatureFlags
import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import Synchronization

/// Which apps are served, and whether any is: what the operator says of the service as a whole.
struct ServiceResource {
  let service: any ServiceRepository
  let clock: any AppClock
  /// What every request looks at, on any thread.
  let shown: MaintenanceSign

  nonisolated(nonsending) func setMinimumVersion(_ request: MinimumVersionRequest) async throws -> Response {
    if let version = request.version, version.utf8.count > 200 || ClientVersion(version) == nil {
      throw Problem.badRequest("“\(version.prefix(64))” is no version, such as 1.2.0.")
    }
    try await service.setMinimumVersion(request.version)
    return try .json(request)
  }

  nonisolated(nonsending) func begin(_ request: MaintenanceRequest) async throws -> Response {
    if let minutes = request.minutes, !(1...100_000).contains(minutes) {
      throw Problem.badRequest("“minutes” is a number from 1 to 100000.")
    }
    let maintenance = Maintenance(until: request.minutes.map { clock.now.addingTimeInterval(Double($0) * 60) })
    try await service.setMaintenance(maintenance)
    shown.put(maintenance)
    return try .json(maintenance)
  }

  nonisolated(nonsending) func end() async throws -> Response {
    try await service.setMaintenance(nil)
    shown.put(nil)
    return Response(204)
  }
}

/// Whether the publication is being maintained, for every request. From any thread.
final class MaintenanceSign: Sendable {
  private let maintenance = Mutex<Maintenance?>(nil)

  func put(_ maintenance: Maintenance?) { self.maintenance.withLock { $0 = maintenance } }

  /// The answer to everybody but the operator; `nil` while there is no maintenance.
  func answer(at time: Date) -> Response? {
    guard let maintenance = maintenance.withLock(\.self) else { return nil }
    // What takes longer than was thought is asked about again in a minute.
    let rest = maintenance.until.map { $0.timeIntervalSince(time).rounded(.up) } ?? 300
    let sentence = "The publication is being maintained\(Self.howLong(maintenance, rest)). Nothing is lost; try again later."
    return .problem(503, .maintenance, sentence, retryAfter: Int(max(60, rest)))
  }

  /// Without a time of day: the reader's time zone is not known here.
  private static func howLong(_ maintenance: Maintenance, _ rest: TimeInterval) -> String {
    guard maintenance.until != nil, rest > 0 else { return "" }
    let minutes = Int((rest / 60).rounded(.up))
    if minutes < 120 { return ", probably for \(minutes == 1 ? "one more minute" : "\(minutes) more minutes")" }
    return ", probably for \(Int((Double(minutes) / 60).rounded(.up))) more hours"
  }
}
