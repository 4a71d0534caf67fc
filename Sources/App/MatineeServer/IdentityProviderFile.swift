import Foundation
import OpenIDConnect
import PublicationAPI
import Runtime

/// The file with the identity providers at which readers may sign in: a list, written by hand.
struct IdentityProviderFile: Equatable {
  private struct Entry: Decodable {
    var issuer: LocatedJSON.Placed<String>
    var name: String
    var clientID: String
    var clientSecret: String?
    var ports: [Int]?
    /// Whether an unknown account becomes a new reader; if not, readers add their accounts in the app first.
    var addsReaders: Bool?
  }

  let providers: [IdentityProvider]
  /// The issuers whose accounts become readers.
  let addingReaders: Set<String>

  /// - Throws: `LocatedJSON.Failure`.
  init(json: Data, file: String) throws(LocatedJSON.Failure) {
    let entries = try LocatedJSON.decode([Entry].self, from: json, file: file)
    var seen: Set<String> = []
    for entry in entries {
      let issuer = entry.issuer
      let fail = { (problem: String) in LocatedJSON.Failure(file: file, line: issuer.line, column: issuer.column, problem: problem) }
      guard OpenIDProvider.isIssuer(issuer.value) else {
        throw fail("“\(issuer.value)” is no issuer, such as https://accounts.example.org")
      }
      guard seen.insert(issuer.value).inserted else { throw fail("“\(issuer.value)” is there twice") }
      guard !entry.name.isEmpty, !entry.clientID.isEmpty else { throw fail("“name” and “clientID” are not empty") }
      guard entry.ports?.allSatisfy({ (1...65535).contains($0) }) ?? true else { throw fail("ports are from 1 to 65535") }
    }
    providers = entries.map { entry in
      IdentityProvider(
        issuer: entry.issuer.value, name: entry.name, clientID: entry.clientID, clientSecret: entry.clientSecret, ports: entry.ports ?? [])
    }
    addingReaders = Set(entries.filter { $0.addsReaders ?? true }.map(\.issuer.value))
  }
}
