import Synchronization

/// Where chance comes from. Tests and scenarios use a source whose sequence they know.
public protocol RandomSource: Sendable {
  /// 64 bits, each as likely as not.
  func next() -> UInt64
}

extension RandomSource {
  /// A number from 0 up to, and never, 1.
  public func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Random bytes.
  /// - Parameter count: how many; at least 0.
  public func bytes(_ count: Int) -> [UInt8] {
    let words = (0..<(count + 7) / 8).map { _ in next() }
    return Array(words.flatMap { word in withUnsafeBytes(of: word.littleEndian, Array.init) }.prefix(count))
  }
}

/// Random numbers of the system, which no attacker can predict.
public struct SystemRandom: RandomSource {
  /// Has no state: every instance draws from the system's generator.
  public init() {}
  /// 64 random bits.
  public func next() -> UInt64 { .random(in: .min ... .max) }
}

/// The same sequence for the same seed, on every machine. Safe from any thread.
public final class SeededRandom: RandomSource {
  private let generator: Mutex<SplitMix>

  /// - Parameter seed: any number; each gives another sequence.
  public init(seed: UInt64) { generator = Mutex(SplitMix(state: seed)) }

  /// The next 64 bits.
  public func next() -> UInt64 { generator.withLock { $0.next() } }
}

/// No chance at all: always the same bits.
public struct FixedRandom: RandomSource {
  private let bits: UInt64
  /// - Parameter bits: what it always gives.
  public init(_ bits: UInt64 = 0) { self.bits = bits }
  /// The bits that it was made with.
  public func next() -> UInt64 { bits }
}

/// Sebastiano Vigna's SplitMix64: every seed gives a good sequence, the same on every machine.
public struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// - Parameter state: the seed.
  public init(state: UInt64) { self.state = state }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to, and never, 1.
  public mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }
}
