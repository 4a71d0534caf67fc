extension String {
  /// The text with the characters that have a meaning in HTML and XML as entities, for an element or an attribute.
  ///
  /// The comparison is by Unicode scalars, as in a parser of markup. A `Character` holds a sign together with an accent that follows it, and
  /// is then not equal to the sign.
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

  /// Replaces Unicode scalars, also within a grapheme cluster.
  /// - Parameter other: the replacement; `nil` for one that stays.
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
