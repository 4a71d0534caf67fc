import Foundation
import HTTPTransport
import Runtime
import StubStore
import TestSupport
import Testing

/// The samples and the schemas that testers are given say what the decoders do.
@Suite struct SchemaTests {
  enum Kind: String, CaseIterable {
    case products = "stub-products"
    case answers = "stub-answers"

    func failure(_ data: Data, _ name: String) -> LocatedJSON.Failure? {
      do throws(LocatedJSON.Failure) {
        switch self {
        case .products: _ = try StubStoreFile(json: data, name: name)
        case .answers: _ = try StubAnswers(json: data, path: name, files: StubAnswerFiles(read: { _ in Data() }, stamp: { _ in nil }))
        }
        return nil
      } catch { return error }
    }
  }

  private static let resources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Resources")

  private func json(_ kind: Kind, _ name: String) throws -> JSON {
    let file = Self.resources.appending(path: "\(kind.rawValue)/\(name).json")
    return try LocatedJSON.decode(JSON.self, from: Data(contentsOf: file), file: file.path)
  }

  @Test(arguments: Kind.allCases) func everyCommittedFileFitsItsSchemaAndIsRead(kind: Kind) throws {
    let schema = JSONSchema(root: try json(kind, "schema"))
    let folder = Self.resources.appending(path: kind.rawValue)
    let bodies: Set = ["schema.json", "announcement.json"]
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") && !bodies.contains($0) }
    #expect(names.contains("sample.json"))
    for name in names {
      let file = folder.appending(path: name)
      let data = try Data(contentsOf: file)
      #expect(try schema.allows(LocatedJSON.decode(JSON.self, from: data, file: name)), "\(name)")
      #expect(kind.failure(data, file.path) == nil)
    }
  }

  @Test(arguments: Kind.allCases) func schemaAndDecoderAgreeOnEverySlip(kind: Kind) throws {
    let schema = JSONSchema(root: try json(kind, "schema"))
    let slips = try json(kind, "sample").slips
    #expect(slips.count > 300)
    var refused = 0
    for slip in slips {
      let allowed = try schema.allows(slip)
      let failure = kind.failure(Data(slip.text.utf8), "slip")
      if !allowed { refused += 1 }
      #expect(allowed == (failure == nil), "\(slip.text): the schema says \(allowed), the decoder \(failure?.problem ?? "nothing")")
    }
    #expect(refused > 200)
  }

  @Test(arguments: [
    ("P1M", true), ("P1Y6M", true), ("P2W", true), ("P10D", true), ("P1Y1M1W1D", true), ("P", false), ("P0D", false), ("P0Y0M", false),
    ("P1M1Y", false), ("P1", false), ("1M", false), ("PT1H", false), ("P12345D", false), ("P1.5M", false), ("P-1M", false), ("P1MM", false),
  ])
  func periods(text: String, isPeriod: Bool) throws {
    let file = try JSON(
      #"{"products": [{"id": "a", "kind": "subscription", "name": "A", "priceMinorUnits": 1, "currency": "EUR", "period": "\#(text)"}]}"#)
    #expect(try JSONSchema(root: try json(.products, "schema")).allows(file) == isPeriod)
    #expect((Kind.products.failure(Data(file.text.utf8), "f") == nil) == isPeriod)
  }

  @Test func anUnknownKeywordIsNoSchema() throws {
    #expect(throws: JSONSchema.Unsupported.self) { try JSONSchema(root: JSON("{\"minimun\": 1}")).allows(.number(0)) }
  }
}
