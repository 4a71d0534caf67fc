import Runtime

/// What each flavour's file says: nothing less, nothing more. What is the same in all flavours is no matter of theirs; but the homepage is
/// read by the installation too, and is a placeholder until there is one.
struct BuildFacts: Decodable {
  let identity: Identity
  let homepage: Homepage
  let canBuy: Bool
  let allowsStubStore: Bool
  let hasTesterPanel: Bool
}

/// A fact that can be written down in Swift.
protocol SwiftFact {
  var type: String { get }
  var literal: String { get }
}

extension Bool: SwiftFact {
  var type: String { "Bool" }
  var literal: String { "\(self)" }
}

extension String: SwiftFact {
  var type: String { "String" }
  var literal: String { debugDescription }
}

/// The name that a desktop knows the app by, as `GApplication` takes it.
struct Identity: Decodable, SwiftFact {
  let text: String
  var type: String { text.type }
  var literal: String { text.literal }

  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
    let form = /[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+/
    guard text.wholeMatch(of: form) != nil, text.count <= 255 else {
      throw decoder.refusal("an application id such as org.example.App", text)
    }
  }
}

/// Where the project is on the web. Beside it, at `/issues`, problems are reported.
struct Homepage: Decodable, SwiftFact {
  let text: String
  /// Whether there is none yet: `.example` is a domain that no publisher can have (RFC 2606).
  var isPlaceholder: Bool { text.hasSuffix(".example") }
  var type: String { text.type }
  var literal: String { text.literal }

  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
    guard text.wholeMatch(of: #/https://[a-z0-9.-]+(/[A-Za-z0-9._~/-]*[A-Za-z0-9])?/#) != nil else {
      throw decoder.refusal("an https address without a slash at its end", text)
    }
  }
}

extension Decoder {
  fileprivate func refusal(_ expected: String, _ found: String) -> DecodingError {
    .located(codingPath, "this takes \(expected), not “\(found)”")
  }
}
