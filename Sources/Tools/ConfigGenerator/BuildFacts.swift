import Runtime

/// What each flavour's file says: nothing less, nothing more. A module's new property is added here and to all three files.
struct BuildFacts: Decodable {
  // The app
  let identity: Identity
  let homepage: Homepage
  let canBuy: Bool
  let allowsStubStore: Bool
  let hasTesterPanel: Bool
  // CurlTransport
  let userAgent: String
  let connectTimeout: Span
  let requestTimeout: Span
  let stallTimeout: Span
  // PurchaseService
  let productTimeToLive: Span
  let offlineGrace: Span
  let offlineStarts: Count
  let clockSkewLimit: Span
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
  var type: String { text.type }
  var literal: String { text.literal }

  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
    guard text.wholeMatch(of: #/https://[a-z0-9.-]+(/[A-Za-z0-9._~/-]*[A-Za-z0-9])?/#) != nil else {
      throw decoder.refusal("an https address without a slash at its end", text)
    }
  }
}

/// A whole number above zero.
struct Count: Decodable, SwiftFact {
  let number: Int
  var type: String { "Int" }
  var literal: String { "\(number)" }

  init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(Int.self)
    guard number > 0 else { throw decoder.refusal("a whole number above zero", "\(number)") }
  }
}

/// A length of time, written with its unit: `20 s`, `5 min`, `1 h`, `3 d`.
struct Span: Decodable, SwiftFact {
  let seconds: Int
  var type: String { "Duration" }
  var literal: String { ".seconds(\(seconds))" }

  init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    let units = ["s": 1, "min": 60, "h": 3600, "d": 86_400]
    guard let parts = text.wholeMatch(of: /([1-9]\d{0,8}) (\w+)/)?.output, let number = Int(parts.1), let unit = units[String(parts.2)]
    else { throw decoder.refusal("a length of time such as “20 s”, “5 min”, “1 h” or “3 d”", text) }
    seconds = number * unit
  }
}

extension Decoder {
  fileprivate func refusal(_ expected: String, _ found: String) -> DecodingError {
    .located(codingPath, "this takes \(expected), not “\(found)”")
  }
}
