import Foundation
import Testing

/// What the two commands install, and when they leave apt alone.
@Suite struct PackageTests {
  /// A machine whose only list of packages is `rows`, with an apt that installs by making a file.
  private func machine(_ rows: String, known: Bool = true, offline: Bool = false) throws -> Shell {
    let shell = try Shell()
    try shell.keep("touch", "cat")
    let folder = shell.folder.path
    let common = shell.folder.appending(path: "meson-helpers/common.sh")
    let text = try String(contentsOf: common, encoding: .utf8)
    try Data((text + "\npackages() { cat <<'EOF'\n\(rows)\nEOF\n}\n").utf8).write(to: common)
    try shell.stand(
      in: "apt-cache", "[[ \(known) == true || -e \(folder)/updated ]] && echo 'Candidate: 1.0' || echo 'Candidate: (none)'")
    try shell.stand(
      in: "apt-get",
      """
      echo "$DEBIAN_FRONTEND: $*" >>\(folder)/calls
      [[ \(offline) == false ]] || exit 100
      case " $* " in
        *" update "*) touch \(folder)/updated ;;
        *) for word; do [[ $word != need-* ]] || touch \(folder)/$word; done ;;
      esac
      """)
    return shell
  }

  private func calls(_ shell: Shell) -> String {
    (try? String(contentsOf: shell.folder.appending(path: "calls"), encoding: .utf8)) ?? ""
  }

  private func rows(_ shell: Shell) -> String { shell.folder.path }

  @Test(.enabled(if: geteuid() == 0, "only root installs")) func rootInstallsWhatIsMissing() throws {
    let shell = try machine("window need-a /nowhere/*\nwindow have-b /bin/bash\nother need-c /nowhere/*")
    defer { shell.remove() }
    let answer = try shell.evaluate(
      "proven() { [[ $1 == /bin/* || -e \(shell.folder.path)/need-a ]]; }; install_packages window; echo done")
    #expect(answer.output.hasSuffix("done\n"), "\(answer.output)")
    #expect(calls(shell).split(separator: "\n").count == 1)
    #expect(calls(shell).hasPrefix("noninteractive: "))
    #expect(calls(shell).hasSuffix(" install need-a\n"))
  }

  @Test func nothingMissingLeavesAptAlone() throws {
    let shell = try machine("window have-b /bin/bash")
    defer { shell.remove() }
    #expect(try shell.evaluate("install_packages window; echo done").output == "done\n")
    #expect(calls(shell) == "")
  }

  @Test(.enabled(if: geteuid() == 0, "only root installs")) func unknownPackagesNeedAnUpdateFirst() throws {
    let shell = try machine("window need-a /nowhere/*", known: false)
    defer { shell.remove() }
    _ = try shell.evaluate("proven() { [[ -e \(shell.folder.path)/need-a ]]; }; install_packages window")
    let verbs = calls(shell).split(separator: "\n").map { $0.contains(" update") ? "update" : "install" }
    #expect(verbs == ["update", "install"])
  }

  @Test(.enabled(if: geteuid() == 0, "only root installs")) func whatCannotBeInstalledIsNamed() throws {
    let shell = try machine("window need-a /nowhere/*", offline: true)
    defer { shell.remove() }
    let answer = try shell.evaluate("install_packages window; echo done")
    #expect(answer.status == 1)
    #expect(answer.output.hasSuffix("These packages could not be installed: need-a\n"))
  }

  @Test func othersAreToldTheExactCommand() throws {
    let shell = try machine("window need-a /nowhere/*\nwindow need-b /nowhere/*")
    defer { shell.remove() }
    let answer = try shell.evaluate("install_packages window; echo done", asNobody: true)
    #expect(answer.status == 1)
    #expect(answer.output == "Some packages are missing. Please run:\n  sudo apt-get install --no-install-recommends need-a need-b\n")
    #expect(calls(shell) == "")
  }

  @Test func othersAreToldToUpdateWhenAptKnowsNothing() throws {
    let shell = try machine("window need-a /nowhere/*", known: false)
    defer { shell.remove() }
    let answer = try shell.evaluate("install_packages window", asNobody: true)
    #expect(answer.output.contains("\n  sudo apt-get update\n  sudo apt-get install "))
  }

  /// Every row names a group that some command asks for, and a proof of a known form.
  @Test func theListIsWellFormed() throws {
    let shell = try Shell()
    defer { shell.remove() }
    try shell.keep("cat")
    let groups: Set = ["toolchain", "cores", "window", "virtual", "driver", "python", "proxy", "mail", "openid", "desktop"]
    let rows = try shell.evaluate("packages").output.split(separator: "\n").map {
      $0.split(separator: " ", omittingEmptySubsequences: true)
    }
    #expect(rows.count > 20)
    for row in rows {
      #expect(row.count == 3, "\(row)")
      #expect(groups.contains(String(row[0])), "\(row)")
      #expect(row[2].firstMatch(of: /^(pc|cmd|py):|^\//) != nil, "\(row)")
    }
    #expect(Set(rows.map { $0[1] }).count == rows.count)
  }
}
