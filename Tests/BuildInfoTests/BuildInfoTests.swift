import BuildInfo
import TestSupport
import Testing

@Test func versionReadsReleaseBuildsRunAndHash() {
  #expect(Build.version.wholeMatch(of: Checkout.version) != nil, "\(Build.version)")
  #expect(Build.version.hasPrefix(Build.release + " "))
}

@Test(.enabled(if: Checkout.isRepository, "these sources are in no repository"))
func versionNamesACommitAndCountsThoseUpToIt() async throws {
  let parts = try #require(Build.version.wholeMatch(of: /.* \((\d+)\.\d+\.(\w+)\)/))
  let counted = try await Program(["git", "-C", Checkout.root.path, "rev-list", "--count", "\(parts.2)^{commit}"]).run()
  #expect(counted.status == 0, "\(Build.version): \(counted.output)")
  #expect(counted.output == "\(parts.1)\n", "\(Build.version)")
}
