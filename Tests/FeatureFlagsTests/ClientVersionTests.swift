import FeatureFlags
import Testing

@Suite struct ClientVersionTests {
  private func version(_ text: String) throws -> ClientVersion { try #require(ClientVersion(text), "\(text)") }

  @Test func theyComeInTheOrderThatPeopleMean() throws {
    let order = [
      "0", "0.0.1", "0.9", "0.10", "1.0-alpha", "1.0-alpha.1", "1.0-alpha.beta", "1.0-beta", "1.0-beta.2", "1.0-beta.11", "1.0-rc.1", "1",
      "1.0.1", "1.2", "1.10", "2", "10.0",
    ]
    let versions = try order.map(version)
    for (index, version) in versions.enumerated() {
      for later in versions[(index + 1)...] {
        #expect(version < later, "\(version) \(later)")
        #expect(!(later < version))
      }
    }
  }

  @Test func theyAreEqualHoweverTheyAreWritten() throws {
    #expect(try version("1.2") == version("1.2.0"))
    #expect(Set([try version("1"), try version("1.0"), try version("1.0.0")]).count == 1)
    #expect(try version("0.1.0 (23.0.abcdef)") == version("0.1.0"))
    #expect(try version("1.0+build.5") == version("1.0"))
    #expect(try version("1.0-beta") != version("1.0"))
    #expect(try version("0.1.0 (23.0.abcdef)").description == "0.1.0")
  }

  @Test(arguments: [
    "", " 1", "v1", "1.", ".1", "1..2", "1.x", "1,2", "-1", "1.-2", "1-", "1-a..b", "1-ä", "1.2.3.4.5.6.7", "9999999999", "١",
  ])
  func whatIsNoVersion(text: String) { #expect(ClientVersion(text) == nil) }
}
