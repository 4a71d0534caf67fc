import BuildInfo
import Testing

@Test func versionReadsReleaseBuildsRunAndHash() {
  let form = /(\d+)\.(\d+)\.(\d+) \((\d+)\.(\d+)\.([0-9a-f]{4,40}|unknown)\)/
  #expect(BuildInfo.version.wholeMatch(of: form) != nil, "\(BuildInfo.version)")
  #expect(BuildInfo.version.hasPrefix(BuildInfo.release + " "))
}
