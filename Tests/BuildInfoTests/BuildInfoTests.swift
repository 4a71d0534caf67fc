import BuildInfo
import Testing

@Test func versionReadsReleaseBuildsRunAndHash() {
  let form = /(\d+)\.(\d+)\.(\d+) \((\d+)\.(\d+)\.([0-9a-f]{4,40}|unknown)\)/
  #expect(Build.version.wholeMatch(of: form) != nil, "\(Build.version)")
  #expect(Build.version.hasPrefix(Build.release + " "))
}
