import Foundation

/// The Swift source of a flavour's `Config`.
enum GeneratedSource {
  /// - Parameter path: the flavour's file, whose name is the flavour's.
  static func text(_ facts: BuildFacts, path: String) -> String {
    let flavour = URL(filePath: path).deletingPathExtension().lastPathComponent
    // Computed: the values are no part of the module's interface, so that a changed one compiles this module alone.
    let properties = Mirror(reflecting: facts).children.compactMap { name, value in
      (value as? any SwiftFact).map { "  public var \(name ?? ""): \($0.type) { \($0.literal) }" }
    }
    return """
      /// What the flavour decides, from \(flavour).json.
      public struct Config: Sendable {
        public init() {}
        public var flavour: Flavour { .\(flavour) }
      \(properties.joined(separator: "\n"))
      }

      """
  }
}
