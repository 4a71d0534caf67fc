import AppScenarios
import Foundation
import Runtime
import TestSupport
import Testing

/// The schema that editors check scenarios by says what the decoder does.
@Suite struct ScenarioSchemaTests {
  private static let folder = Checkout.root.appending(path: "Resources/scenarios")

  private let schema: JSONSchema

  init() throws {
    func json(_ path: String) throws -> JSON {
      try LocatedJSON.decode(JSON.self, from: Data(contentsOf: Self.folder.appending(path: path)), file: path)
    }
    let products = "../../stub-products/schema.json"
    schema = JSONSchema(root: try json("schema/scenario.json"), others: [products: JSONSchema(root: try json("schema/" + products))])
  }

  /// Whatever a scenario names is there.
  private func failure(_ data: Data) -> LocatedJSON.Failure? {
    do throws(LocatedJSON.Failure) {
      _ = try Scenario(json: data, file: "scenario") { _ in Data(#"{"products": []}"#.utf8) }
      return nil
    } catch { return error }
  }

  @Test func everyScenarioFitsIt() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".json") }
    #expect(names.count > 30)
    for name in names {
      let data = try Data(contentsOf: Self.folder.appending(path: name))
      #expect(try schema.allows(LocatedJSON.decode(JSON.self, from: data, file: name)), "\(name)")
    }
  }

  @Test func itAgreesWithTheDecoderOnEverySlip() throws {
    let head = try JSON(
      #"""
      {"$schema": "s", "name": "n", "clock": "2026-06-01T12:00:00Z", "origin": "https://o.example", "stubProducts": "p",
      "steps": [{"back": true}]}
      """#)
    #expect(try agree(head))
    guard case .list(let steps) = try JSON(Self.everything) else { return }
    for step in steps { #expect(try agree(scenario(step)), "\(step.text)") }
    let slips = try head.slips + steps.flatMap(\.slips).map(scenario)
    #expect(slips.count > 1000)
    #expect(try slips.count { try !agree($0) } > 500)
  }

  private func scenario(_ step: JSON) throws -> JSON { try JSON(#"{"name": "n", "steps": [\#(step.text)]}"#) }

  /// - Returns: whether both allow it.
  private func agree(_ scenario: JSON) throws -> Bool {
    let allowed = try schema.allows(scenario)
    let failure = failure(Data(scenario.text.utf8))
    #expect(allowed == (failure == nil), "\(scenario.text): the schema says \(allowed), the decoder \(failure?.problem ?? "nothing")")
    return allowed
  }

  @Test(arguments: [
    ("P1M", true), ("P1Y2M3W4DT5H6M7.5S", true), ("PT30S", true), ("P0D", true), ("P", false), ("PT", false), ("P1M1Y", false),
    ("1M", false), ("P1.5M", false), ("P-1M", false), ("P1H", false), ("P12345M", false), ("PT1.S", false),
  ])
  func spans(text: String, isSpan: Bool) throws {
    let scenario = try JSON(#"{"name": "n", "steps": [{"advance": "\#(text)"}]}"#)
    #expect(try schema.allows(scenario) == isSpan)
    #expect((failure(Data(scenario.text.utf8)) == nil) == isSpan)
  }

  /// Every verb, every command, every fault, with all that goes with them.
  private static let everything = """
    [
      {"signIn": "sample"}, {"link": "matinee://purchases"}, {"input": "buyTapped", "with": "m"}, {"tab": "home"}, {"back": true},
      {"advance": "P3DT2H"}, {"wallClock": "2026-06-02T12:00:00Z"}, {"restart": "newMachine"}, {"page": "approve"}, {"publication": "publish"},
      {"notification": "open"}, {"window": "close"}, {"tryNow": true}, {"keyring": "forgetful"}, {"mailedCode": "codeChanged"},
      {"faults": [
        {"fault": "drop", "method": "PUT", "path": "/v1/orders", "skip": 1, "count": 2, "probability": 0.5},
        {"fault": "delay", "seconds": 3}, {"fault": "truncate", "bytes": 7}, {"fault": "status", "status": 503}
      ]},
      {"store": {"do": "next_outcome", "outcome": {"result": "fail", "code": "declined", "sentence": "No."}, "product": "m"}},
      {"store": {"do": "approve", "product": "m", "user": "u"}},
      {"store": {"do": "requests", "requests": {"answer": "fail", "code": "busy", "delay": 1}}},
      {"store": {"do": "payments_allowed", "allowed": false}},
      {"store": {"do": "buy_elsewhere", "product": "m", "user": "u"}},
      {"store": {"do": "reset"}},
      {"store": {"do": "auto_renew", "on": false, "product": "m", "user": "u"}},
      {"store": {"do": "billing_retry", "at": "renewal", "product": "m", "user": "u"}},
      {"store": {"do": "grace", "at": "now", "days": 3, "product": "m", "user": "u"}},
      {"store": {"do": "refund", "reason": "Sent back.", "product": "m", "user": "u"}},
      {"store": {"do": "price_increase", "product": "m", "priceMinorUnits": 590, "needsConsent": true}},
      {"store": {"do": "consent", "agreed": true, "product": "m", "user": "u"}},
      {"store": {"do": "clock_rate", "rate": 86400}},
      {"store": {"do": "step", "period": "P1M"}}, {"store": {"do": "step", "seconds": 30}},
      {"expect": {"screen": "paywall", "state": {"phase": "ready"}, "said": "*", "entitlements": ["m"], "purchases": ["failed"],
        "opened": "*", "copied": "*", "mailed": "*", "waiting": "", "notified": ["*"]}}
    ]
    """
}
