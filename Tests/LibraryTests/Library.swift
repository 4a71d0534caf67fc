import Foundation
import TestSupport
import Testing

/// A library product of the package, and its documentation catalogue.
struct Library: CustomTestStringConvertible, Sendable {
  let name: String
  /// The sources; the catalogue lies among them.
  let folder: URL

  var testDescription: String { name }
  var catalogue: URL { folder.appending(path: name + ".docc") }

  /// Every library that Package.swift offers to other packages.
  static let all: [Library] = {
    let manifest = (try? String(contentsOf: Checkout.root.appending(path: "Package.swift"), encoding: .utf8)) ?? ""
    return manifest.split(separator: "\nlibrary(").dropFirst().compactMap { text in
      // A call ends where the next line that is not indented begins.
      let call = text.prefix(upTo: text.firstRange(of: /\n[^ )]/)?.lowerBound ?? text.endIndex)
      guard call.contains("product: true"), let match = call.firstMatch(of: /"(\w+)",\s*"(\w+)"/) else { return nil }
      return Library(name: String(match.1), folder: Checkout.root.appending(path: "Sources/\(match.2)/\(match.1)"))
    }
  }()

  static func named(_ name: String) throws -> Library {
    struct Missing: Error { let name: String }
    guard let library = all.first(where: { $0.name == name }) else { throw Missing(name: name) }
    return library
  }

  /// A page of the catalogue; the landing page unless another is named.
  func page(_ page: String? = nil) throws -> String {
    try String(contentsOf: catalogue.appending(path: (page ?? name) + ".md"), encoding: .utf8)
  }

  /// The Swift listings of a page, in order: what is compiled is what people read.
  func listings(on page: String? = nil) throws -> [String] {
    try self.page(page).matches(of: /(?s)```swift\n(.*?)```/).map { String($0.output.1) }
  }

  /// What a page says that its program prints.
  func output(on page: String) throws -> String? {
    try self.page(page).firstMatch(of: /(?s)```text\n(.*?)```/).map { String($0.output.1) }
  }
}
