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
    let answer = try Shell.run(["/usr/bin/appstreamcli", "validate", "--no-net", "--pedantic", file], environment: [:])
    #expect(answer.status == 0, "\(answer.output)")
    // AppStream 1.0 has another tag for the developer, which 0.16 does not know.
    let remarks = answer.output.split(separator: "\n").filter {
      $0.contains(#/^[EWIP]: /#) && !$0.contains("developer-name-tag-deprecated")
    }
    // The identity is that of a D-Bus name and a desktop file.
    #expect(remarks.count == 1 && remarks.allSatisfy { $0.contains("cid-contains-uppercase-letter") }, "\(answer.output)")
  }

  /// meson puts the address of the flavour in its place: once in a line.
  @Test func metainfoHasNoAddressButThePlaceholder() throws {
    let meson = try String(contentsOf: Shell.root.appending(path: "meson.build"), encoding: .utf8)
    let placeholder = String(try #require(meson.firstMatch(of: /\nplaceholder = '(.*)'/)).1)
    #expect(!placeholder.isEmpty)
    let info = try text("\(Self.identity).metainfo.xml")
    let pages = info.matches(of: /<url type="([a-z-]+)">([^<]*)</).map { (kind: String($0.1), address: String($0.2)) }
    #expect(Set(pages.map(\.kind)).isSuperset(of: ["homepage", "bugtracker"]))
    let pictures = info.matches(of: /<image [^>]*>([^<]*)</).map { String($0.1) }
    #expect(!pictures.isEmpty)
    for address in pages.map(\.address) + pictures { #expect(address == placeholder || address.hasPrefix(placeholder + "/")) }
    for line in info.split(separator: "\n") { #expect(line.matches(of: /:\/\//).count <= 1, "\(line)") }
    // Nor is there one elsewhere, such as in a description.
    #expect(info.matches(of: /:\/\//).count == pages.count + pictures.count)
  }

  @Test func metainfoSaysWhatThisVersionIs() throws {
    let info = try text("\(Self.identity).metainfo.xml")
    let build = try String(contentsOf: Shell.root.appending(path: "Sources/App/BuildInfo/Build.swift"), encoding: .utf8)
    let release = try #require(build.firstMatch(of: /let release = "([0-9.]+)"/)).1
    #expect(info.firstMatch(of: /<release version="([0-9.]+)"/)?.1 == release)
    let summary = try #require(info.firstMatch(of: /<summary>(.*)<\/summary>/)).1
    #expect(summary.count <= 35)
    #expect(info.contains("<project_license>Apache-2.0</project_license>"))
    let shown = info.matches(of: /screenshots\/([a-z-]+\.png)</).map { String($0.1) }
    let stored = try FileManager.default.contentsOfDirectory(atPath: Shell.root.appending(path: "Resources/screenshots").path)
    #expect(!shown.isEmpty && Set(shown).isSubset(of: stored))
  }

  @Test func linksOfTheSchemeOpenTheApp() throws {
    let desktop = try text("\(Self.identity).desktop")
    // The web's links are the browser's.
    #expect(desktop.contains("MimeType=x-scheme-handler/matinee;\n"))
    #expect(!desktop.contains("x-scheme-handler/http"))
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
