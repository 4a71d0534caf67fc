/// How the entries of an ordered list are counted.
struct ListNumbers {
  private let style: String
  private let start: Int?
  private let isReversed: Bool
  private var number: Int

  init(_ attributes: HTMLAttributes) {
    style = attributes["type"] ?? "1"
    start = attributes["start"].flatMap { Int($0) }
    isReversed = attributes.has("reversed")
    number = start ?? 1
  }

  /// - Parameter value: the number that an entry claims.
  mutating func next(value: Int?) -> String {
    let current = value ?? number
    number = current == Int.max ? current : current + 1
    return marker(current)
  }

  /// Lists that count down can be numbered only at their end.
  func renumber(_ items: inout [ArticleBody.ListItem]) {
    guard isReversed else { return }
    // The furthest that lists count: numbers at the end of their range have no successor.
    var number = min(max(start ?? items.count, -1_000_000_000), 1_000_000_000)
    for index in items.indices {
      items[index].marker = marker(number)
      number -= 1
    }
  }

  private func marker(_ number: Int) -> String {
    let text: String? =
      switch style {
      case "a": Self.letters(number)
      case "A": Self.letters(number)?.uppercased()
      case "i": Self.roman(number)
      case "I": Self.roman(number)?.uppercased()
      default: nil
      }
    return (text ?? String(number)) + "."
  }

  /// a to z, then aa to zz, and so on.
  private static func letters(_ number: Int) -> String? {
    guard number > 0 else { return nil }
    var (rest, letters) = (number, [UInt8]())
    while rest > 0 {
      rest -= 1
      letters.append(UInt8(ascii: "a") + UInt8(rest % 26))
      rest /= 26
    }
    return String(decoding: letters.reversed(), as: UTF8.self)
  }

  private static func roman(_ number: Int) -> String? {
    guard (1..<4000).contains(number) else { return nil }
    let values = [
      (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"),
      (4, "iv"), (1, "i"),
    ]
    var (rest, text) = (number, "")
    for (value, letters) in values {
      while rest >= value {
        text += letters
        rest -= value
      }
    }
    return text
  }
}
