/// Finds phrases among words that come one after the other, all phrases at once and in a time that is the same for each word (Shift-And, Baeza-Yates
/// and Gonnet, "A new approach to text searching", 1992).
///
/// Each word of each phrase has a bit. It is set while the phrase has matched up to that word.
struct PhraseMatcher {
  private typealias Bits = [UInt64]

  /// How many phrases there are.
  let count: Int
  /// How many words the longest has.
  let longest: Int
  private var state: Bits
  private var starts: Bits
  private var ends: [(bit: Int, length: Int)] = []
  private var masks: [[UInt8]: Bits] = [:]
  private let prefix: [UInt8]
  private var prefixBit = 0
  /// The bytes that a word of a phrase starts with: that rules out nearly all words of a text.
  private var beginnings = [Bool](repeating: false, count: 256)

  /// - Parameter phrases: each as its words; empty ones are left out. The last word of the last one is a prefix.
  init(_ phrases: [[[UInt8]]]) {
    let phrases = phrases.filter { !$0.isEmpty }
    count = phrases.count
    longest = phrases.map(\.count).max() ?? 0
    prefix = phrases.last?.last ?? []
    let none = Bits(repeating: 0, count: phrases.reduce(0) { $0 + $1.count } / 64 + 1)
    (state, starts) = (none, none)
    var bit = 0
    for phrase in phrases {
      Self.set(bit, &starts)
      for word in phrase {
        Self.set(bit, &masks[word, default: none])
        if let first = word.first { beginnings[Int(first)] = true }
        bit += 1
      }
      ends.append((bit - 1, phrase.count))
    }
    prefixBit = bit - 1
  }

  /// Moves to the next word.
  /// - Parameter found: called with the number of each phrase that ends here, and with how many words it has.
  mutating func step(_ word: UnsafeBufferPointer<UInt8>, _ found: (_ phrase: Int, _ length: Int) -> Void) {
    guard count > 0, let first = word.first, beginnings[Int(first)] else {
      for place in state.indices { state[place] = 0 }
      return
    }
    // A longer one than any that was typed is identified by its beginning only.
    let mask = word.count <= 1024 ? masks[Array(word)] : nil
    let isPrefixed = word.starts(with: prefix)
    var carry: UInt64 = 0
    for place in state.indices {
      var allowed = mask?[place] ?? 0
      if isPrefixed, prefixBit / 64 == place { allowed |= 1 << UInt64(prefixBit % 64) }
      let shifted = state[place] << 1 | carry
      carry = state[place] >> 63
      state[place] = (shifted | starts[place]) & allowed
    }
    for (phrase, end) in ends.enumerated() where state[end.bit / 64] >> UInt64(end.bit % 64) & 1 == 1 { found(phrase, end.length) }
  }

  private static func set(_ bit: Int, _ bits: inout Bits) { bits[bit / 64] |= 1 << UInt64(bit % 64) }
}
