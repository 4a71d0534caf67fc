/// The server's rule for one flag: for which clients, and for how many of their users.
public struct FlagRule: Hashable, Sendable {
  /// Why a rule makes no sense; the flag keeps its standard answer.
  public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong with the rule, in a sentence for the operator.
    public let description: String

    public init(_ description: String) { self.description = description }
  }

  /// The name of the flag that the rule decides.
  public let name: String
  /// For how many of a hundred users it is on; 0 turns it off for all.
  public let percent: Int
  /// The first version that it is for; `nil` for all.
  public let minimumVersion: ClientVersion?
  /// What a client has to report for the rule to be for it.
  public let features: Set<String>

  /// Reads one from what the server, or the file of an earlier run, holds.
  /// - Throws: ``Failure``.
  public init(name: String, percent: Int, minimumVersion: String? = nil, features: [String] = []) throws(Failure) {
    guard Self.isName(name) else {
      throw Failure("“\(name.prefix(64))” is no flag’s name: that is 1 to 64 of a-z, 0-9, “.”, “_” and “-”.")
    }
    guard (0...100).contains(percent) else { throw Failure("The flag “\(name)” is to be on for \(percent) percent of the readers.") }
    let version = minimumVersion.flatMap { ClientVersion($0) }
    if let minimumVersion, version == nil {
      throw Failure("The flag “\(name)” is for versions from “\(minimumVersion.prefix(40))” on, which is no version.")
    }
    if let odd = features.first(where: { !Self.isName($0) }) {
      throw Failure("The flag “\(name)” is for clients with “\(odd.prefix(64))”, which is no feature’s name.")
    }
    self.name = name
    self.percent = percent
    self.minimumVersion = version
    self.features = Set(features)
  }

  /// Whether it is for such a client.
  public func applies(to client: ClientCapabilities) -> Bool {
    if let minimumVersion, client.version < minimumVersion { return false }
    return features.isSubset(of: client.features)
  }

  /// The side that a user is on.
  public func variant(for user: String) -> Variant {
    RolloutHash.place(flag: name, user: user) < percent * RolloutHash.count / 100 ? .on : .off
  }

  /// Whether a text can name a flag or a feature.
  public static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
          UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}
