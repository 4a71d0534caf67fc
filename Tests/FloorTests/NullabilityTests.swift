import Foundation
import Testing

/// What C declares without a word about NULL comes to Swift as an implicitly unwrapped optional: nobody has to check it, and a NULL ends the
/// process.
@Suite struct NullabilityTests {
  private static let system = PackageDescription.root.appending(path: "Sources/System")

  private static func files(endingIn suffix: String) throws -> [(path: String, text: String)] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: system.path).filter { $0.hasSuffix(suffix) }.sorted()
    return try paths.map { ($0, try String(contentsOf: system.appending(path: $0), encoding: .utf8)) }
  }

  /// The lines of a header with a pointer of which nothing says whether it may be NULL.
  private static func unstated(_ header: String) -> [String] {
    var found: [String] = []
    var (isAssumed, isCommented) = (false, false)
    // Behind the opening brace of a function; that of a type has declarations in it.
    var depth = 0
    for line in SourceText(path: "", text: header).lines {
      var text = line.text
      if isCommented {
        guard let end = text.range(of: "*/") else { continue }
        (text, isCommented) = (String(text[end.upperBound...]), false)
      }
      text.replace(/\/\*.*?\*\//, with: "")
      if let start = text.range(of: "/*") { (text, isCommented) = (String(text[..<start.lowerBound]), true) }
      if text.contains("assume_nonnull begin") { isAssumed = true }
      if text.contains("assume_nonnull end") { isAssumed = false }
      guard !text.hasPrefix("#") else { continue }
      let declared = depth == 0 ? String(text.prefix { $0 != "{" || text.hasPrefix("struct") || text.hasPrefix("typedef") }) : ""
      // The pragma speaks of the outermost pointer alone.
      let silent = isAssumed ? /\*\s*\*|\*\s*const\s*\*/ : /\*(?!\s*(?:const\s*)?_(?:Nonnull|Nullable))/
      if declared.contains(silent) { found.append("\(line.number): \(text.trimmingCharacters(in: .whitespaces))") }
      let isType = text.hasPrefix("struct") && !text.contains("(") || text.hasPrefix("typedef")
      if depth > 0 || !isType { depth = max(0, depth + text.count { $0 == "{" } - text.count { $0 == "}" }) }
    }
    return found
  }

  @Test func everyPointerOfOurHeadersSaysWhetherItMayBeNull() throws {
    let headers = try Self.files(endingIn: ".h")
    #expect(headers.count > 10)
    #expect(headers.flatMap { header in Self.unstated(header.text).map { "\(header.path):\($0)" } } == [])
  }

  @Test(arguments: [
    ("int f(const char *text);", 1), ("int f(const char *_Nonnull text);", 0), ("char *f(void);", 1), ("char *_Nullable f(void);", 0),
    ("int f(char *_Nonnull a, char *b);", 1), ("// char *a\nint f(/* char *a */ int b);\n/* char\n *a */", 0),
    ("#pragma clang assume_nonnull begin\nint f(char *a, char *_Nullable b);\n#pragma clang assume_nonnull end\nint g(char *a);", 1),
    ("#pragma clang assume_nonnull begin\nint f(char **a);", 1),
    ("#pragma clang assume_nonnull begin\nint f(char *_Nullable *_Nonnull a);", 0),
    ("static inline int f(void) { char *a = 0; return a == 0; }", 0),
    ("static inline int f(void) {\n  char *a = 0;\n}\nint g(char *a);", 1),
    ("struct a {\n  char *b;\n};", 1), ("typedef struct {\n  char *_Nullable b;\n} a;\nchar *f(void);", 1),
  ])
  func silenceIsHeard(header: String, count: Int) {
    #expect(Self.unstated(header).count == count, "\(header)")
  }

  /// The files that call a module's functions: of Swift, but nothing except a file of C calls libsecret.
  private static func users(of module: String) throws -> [SourceText] {
    if module == "CSecret" { return try files(endingIn: "CSecretShims/secret.c").map { SourceText(path: $0.path, text: $0.text) } }
    return try PackageDescription.current.get().targets.flatMap { try $0.swiftFiles() }.filter { $0.imports.contains(module) }
  }

  /// The systems' headers are not ours to change: API notes beside the module map state what the libraries document. Those
  /// of GTK's libraries are written by `meson-helpers/gir-notes`.
  @Test(arguments: [
    ("CSQLite", #"sqlite3_\w+"#), ("CMicroHTTPD", #"MHD_[a-z]\w+"#),
    ("COpenSSL", #"(?:BIO|BN|CRYPTO|ECDSA|ERR|EVP|OPENSSL|PEM|RAND)_\w+|[di]2[di]_\w+"#),
    ("CXML2", #"(?!xmlSAXHandler|xmlParserErrors)(?:xml|html)[A-Z]\w+"#), ("CGio", #"g_\w+"#), ("CSecret", #"secret_\w+"#),
    // A name that ends in _t is that of a structure.
    ("CGtk", #"(?!\w+_t\()(?:cairo|g|gdk|gdk_pixbuf|graphene|gsk|gtk|pango)_[a-z]\w*"#),
  ])
  func everyFunctionThatIsCalledIsInTheNotes(module: String, functions: String) throws {
    let notes = try String(contentsOf: Self.system.appending(path: "\(module)/\(module).apinotes"), encoding: .utf8)
    let noted = Set(notes.matches(of: /- Name: (\w+)/).map { String($0.1) })
    // What is written like a call and makes an integer of the library's type.
    let called = try Regex(#"\b((?!sqlite3_u?int64\b)(?:\#(functions)))\("#, as: (Substring, Substring).self)
    var missing: Set<String> = []
    let users = try Self.users(of: module)
    for file in users {
      for line in file.lines { missing.formUnion(line.text.matches(of: called).map { String($0.1) }.filter { !noted.contains($0) }) }
    }
    #expect(!users.isEmpty)
    #expect(missing.sorted() == [])
  }
}
