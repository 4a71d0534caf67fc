extension String {
  /// With the signs that HTML and XML give a meaning as entities, in an element or an attribute.
  ///
  /// By scalars: a character of Swift's may be such a sign and what joins it, such as an accent, and is not equal to the sign then. What reads
  /// markup goes by scalars too.
  public var escapedAsMarkup: String {
    replacingScalars { scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "'": "&#39;"
      default: nil
      }
    }
  }

  /// With another text in the place of some scalars, whatever they are joined with.
  /// - Parameter other: `nil` for one that stays.
  public func replacingScalars(_ other: (Unicode.Scalar) -> StaticString?) -> String {
    var result = UnicodeScalarView()
    var hasChanged = false
    for scalar in unicodeScalars {
      if let text = other(scalar) {
        result.append(contentsOf: text.description.unicodeScalars)
        hasChanged = true
      } else {
        result.append(scalar)
      }
    }
    return hasChanged ? String(result) : self
  }
}
