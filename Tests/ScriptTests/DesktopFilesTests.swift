import Foundation
import Testing

/// What a desktop reads about the app.
@Suite struct DesktopFilesTests {
  static let identity = "app.matinee.Matinee"

  private static func has(_ program: String) -> Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)") }

  private func text(_ name: String) throws -> String {
    try String(contentsOf: Shell.root.appending(path: "data/\(name)"), encoding: .utf8)
  }

  @Test(.enabled(if: has("desktop-file-validate"), "desktop-file-utils is not installed"))
  func desktopFileIsValid() throws {
    let file = Shell.root.appending(path: "data/\(Self.identity).desktop").path
    let answer = try Shell.run(["/usr/bin/desktop-file-validate", "--no-hints", file], environment: [:])
    #expect(answer.status == 0 && answer.output == "", "\(answer.output)")
  }

  @Test(.enabled(if: has("appstreamcli"), "appstream is not installed"))
  func metainfoIsValid() throws {
    let file = Shell.root.appending(path: "data/\(Self.identity).metainfo.xml").path
    let answer = try Shell.run(["/usr/bin/appstreamcli", "validate", "--no-net", file], environment: [:])
    #expect(answer.status == 0, "\(answer.output)")
  }

  @Test func linksOfTheSchemeOpenTheApp() throws {
    let desktop = try text("\(Self.identity).desktop")
    #expect(desktop.contains("MimeType=x-scheme-handler/matinee;"))
    #expect(desktop.contains("Exec=matinee %u\n"))
    #expect(desktop.contains("Icon=\(Self.identity)\n"))
  }

  @Test func everyFileBearsTheIdentity() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Shell.root.appending(path: "data").path)
    #expect(names.filter { !$0.hasPrefix(Self.identity) && $0 != "icons" } == [])
    #expect(try text("\(Self.identity).service.in").contains("Name=\(Self.identity)\n"))
    #expect(try text("\(Self.identity).metainfo.xml").contains("<id>\(Self.identity)</id>"))
  }
}
