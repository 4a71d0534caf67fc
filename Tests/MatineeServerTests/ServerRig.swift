import Foundation
import HTTPTransport
import PublicationAPI
import TestSupport
import Testing

/// What the tests of the real program begin with: a folder, a publication in it, and a reader who signs in.
protocol ServerRig {
  var folder: Folder { get }
}

extension ServerRig {
  /// Where the publication is kept.
  var data: String { folder.file("data") }

  /// The words that make a publication of one's own.
  static var own: [String] {
    ["init", "--name", "The Reel", "--contact", "cancel@reel.example", "--currency", "CHF", "--monthly", "6", "--tax", "VAT 8.1"]
  }

  /// Makes a publication of their own.
  func makeOwn() async throws {
    let made = try await Server.run(Self.own + ["--data", data])
    #expect(
      made
        == Server.Outcome(
          status: 0, output: "The publication is in \(data). Next: matinee-server user add, import and serve.\n", errors: ""))
  }

  /// Adds Ada, to the sample when there is no publication yet.
  func addUser() async throws {
    if !FileManager.default.fileExists(atPath: data) { try await Server.makeSample(data) }
    let added = try await Server.run(["user", "add", "--data", data, "ada@example.org", "Ada"], input: "open sesame\n")
    #expect(added == Server.Outcome(status: 0, output: "Added ada@example.org.\n", errors: ""))
  }

  /// The token of a new session of Ada's.
  func signIn(_ transport: any Transport) async throws -> String {
    let response = try await transport.send(
      Request(.post, "/v1/session", body: try Wire.encode(Credentials(email: "ada@example.org", password: "open sesame"))))
    return try Wire.decode(SignedIn.self, from: response.body).accessToken
  }

  /// The same, as requests carry it.
  func authorization(_ transport: any Transport) async throws -> Headers {
    ["Authorization": "Bearer \(try await signIn(transport))"]
  }

  /// A feed with so many items, a day apart.
  static func rss(_ items: Int, title: String = "Feed") -> String {
    let items = (1...items).map { number in
      """
      <item><guid isPermaLink="false">\(number)</guid><title>Item \(number)</title><description>Text</description>\
      <pubDate>Mon, 0\(number) Jan 2024 10:00:00 GMT</pubDate></item>
      """
    }
    return "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>\(title)</title>\(items.joined())</channel></rss>"
  }
}
