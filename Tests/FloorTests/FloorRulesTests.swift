import Testing

/// The rules themselves: a table that lets everything through would pass on any package.
@Suite struct FloorRulesTests {
  private func objection(_ importer: String, _ imported: String) -> String? {
    func target(_ path: String) -> PackageDescription.Target {
      let name = String(path.split(separator: "/").last ?? "")
      return .init(name: name, type: "library", path: path, sources: [], dependencies: nil)
    }
    return House.objection(to: target(importer), importing: target(imported))
  }

  @Test(arguments: [
    ("Sources/Cores/ContentCache", "Sources/Cores/Runtime"),
    ("Sources/Cores/ContentCache", "Sources/Cores/SQLiteStorage"),
    ("Sources/Features/FeedFeature", "Sources/Publication/PublicationClient"),
    ("Sources/App/AppCore", "Sources/Features/FeedFeature"),
    ("Sources/App/Matinee", "Sources/Publication/PublicationServer"),
    ("Sources/App/Gtk", "Sources/System/CGtk"),
    ("Tests/GtkTests", "Sources/System/CGtk"),
  ])
  func allowed(importer: String, imported: String) {
    #expect(objection(importer, imported) == nil)
  }

  @Test(arguments: [
    ("Sources/Features/FeedFeature", "Sources/Features/ArticleFeature"),
    ("Sources/Features/FeedFeature", "Sources/App/Gtk"),
    ("Sources/Features/FeedFeature", "Sources/System/CSQLite"),
    ("Sources/Cores/SessionService", "Sources/Cores/SQLiteStorage"),
    ("Sources/Cores/PurchaseService", "Sources/Publication/PublicationAPI"),
    ("Sources/App/AppCore", "Sources/Publication/PublicationServer"),
    ("Sources/App/AppCore", "Sources/App/Gtk"),
    ("Sources/App/Screens", "Sources/System/CGtk"),
    ("Sources/App/MatineeServer", "Sources/App/AppCore"),
    ("Sources/Elsewhere/Thing", "Sources/Cores/Runtime"),
  ])
  func refused(importer: String, imported: String) {
    #expect(objection(importer, imported) != nil)
  }

  @Test func commentsAndStringsAreToldApart() {
    let file = SourceText(path: "x", text: "let a = \"http://x\" // Date()\n/// Date()\nlet b = Date()")
    #expect(file.places(of: /Date\(\)/) == ["x:3: let b = Date()"])
    #expect(file.lines[0].text == "let a = \"http://x\" ")
  }

  @Test func argumentsAreCounted() {
    let text = """
      func a($ b: Int, $ c: (Int, _: Int) -> [String: Int], $ d: Result<Int, Error>) {}
      init?<T>($ b: Int,
        $ c: T, d _: Int = 1, $ e: Int,
        $ f: () -> Void) {}
      func == ($ a: A, $ b: A, c: A, $ d: A, e: A) {}
      let a = f(_a, _b, _c, _d)
      """
    // This file is read as well.
    let file = SourceText(path: "x", text: text.replacing("$", with: "_"))
    #expect(file.declarations(withMorePositionalArgumentsThan: 3) == ["x:2"])
  }

  @Test func importsOfEveryFormAreSeen() {
    let text = "@testable import A\nimport struct B.Thing\npublic import C\n  import D\nlet important = 1\n@preconcurrency import E"
    #expect(SourceText(path: "x", text: text).imports == ["A", "B", "C", "D", "E"])
  }
}
