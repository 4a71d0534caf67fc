// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Floors, from the ground up; docs/engineers.md explains them, docs/decisions the reasons. A target imports from floors below
// its own; `FloorTests` fails on any edge that is not allowed there.

/// Leaves out every target that needs GTK or a desktop session.
let headless = Context.environment["MATINEE_HEADLESS"] == "1"
/// Warnings are errors for tests and CI only: unconditional, they would break whoever depends on this package by path. A debugger gets lines and
/// no variables there, which saves time in building.
let strict = Context.environment["MATINEE_STRICT"] == "1"

/// Which file in Sources/App/AppConfig the configuration of the app is made from.
let flavours = ["development", "beta", "release"]
let flavour = Context.environment["MATINEE_FLAVOUR"] ?? "development"
if !flavours.contains(flavour) {
  print("MATINEE_FLAVOUR is “\(flavour)”; there are \(flavours.joined(separator: ", ")).")
  exit(1)
}

/// The sanitizers' lanes also look for undefined behaviour in C, and for a null where a header allows none: both end the process, and no
/// runtime is needed for that. Swift traps by itself, and compiles the functions of headers, so that it has to be told as well.
let undefinedBehaviour =
  Context.environment["MATINEE_UNDEFINED"] == "trap"
  ? ["-fsanitize=undefined,nullability", "-fsanitize-trap=undefined,nullability"] : []

let swiftSettings: [SwiftSetting] =
  (strict ? [.treatAllWarnings(as: .error), .unsafeFlags(["-gline-tables-only"], .when(configuration: .debug))] : [])
  + (undefinedBehaviour.isEmpty ? [] : [.unsafeFlags(undefinedBehaviour.flatMap { ["-Xcc", $0] })])
let cSettings: [CSetting] =
  (strict ? [.treatAllWarnings(as: .error)] : []) + (undefinedBehaviour.isEmpty ? [] : [.unsafeFlags(undefinedBehaviour)])
/// The toolchain's own linker takes half the time of the one it would use, and less when it merges no strings. For executables alone: a
/// package that takes a library of ours by version may not meet unsafe flags in it.
let linkerSettings: [LinkerSetting] = [.unsafeFlags(["-use-ld=lld", "-Xlinker", "-O0"], .when(configuration: .debug))]

var products: [Product] = []
var targets: [Target] = []

@MainActor func systemLibrary(_ name: String, pkgConfig: String, apt: String) {
  targets.append(.systemLibrary(name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])]))
}

/// A C target: a small shim, or embedded files.
@MainActor func c(_ name: String, _ dependencies: [Target.Dependency] = []) {
  targets.append(.target(name: name, dependencies: dependencies, path: "Sources/System/\(name)", cSettings: cSettings))
}

@MainActor func library(
  _ name: String, _ floor: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [], plugins: [Target.PluginUsage] = [],
  product: Bool = false
) {
  targets.append(
    .target(
      name: name, dependencies: dependencies, path: "Sources/\(floor)/\(name)", exclude: exclude, swiftSettings: swiftSettings,
      plugins: plugins))
  if product { products.append(.library(name: name, targets: [name])) }
}

@MainActor func executable(
  _ name: String, product: String, in floor: String = "App", _ dependencies: [Target.Dependency], settings: [SwiftSetting] = []
) {
  targets.append(
    .executableTarget(
      name: name, dependencies: dependencies, path: "Sources/\(floor)/\(name)", swiftSettings: swiftSettings + settings,
      linkerSettings: linkerSettings))
  products.append(.executable(name: product, targets: [name]))
}

@MainActor func tests(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) {
  targets.append(
    .testTarget(
      name: name, dependencies: ["Patience"] + dependencies, path: "Tests/\(name)", exclude: exclude, swiftSettings: swiftSettings))
}

// System
systemLibrary("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev")
systemLibrary("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev")
systemLibrary("CXML2", pkgConfig: "libxml-2.0", apt: "libxml2-dev")
systemLibrary("CMicroHTTPD", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev")
c("CCurl")
c("CSamplePublication")
c("CFeedBaseline", ["CXML2"])
c("CStoreBaseline", ["CSQLite"])

// Cores
library("Runtime", "Cores", product: true)
library("HTTPTransport", "Cores", ["Runtime"], product: true)
library("CurlTransport", "Cores", ["CCurl", "HTTPTransport", "Runtime"], product: true)
library("SQLiteStorage", "Cores", ["CSQLite", "Runtime"], product: true)
library("SignedReceipts", "Cores", ["COpenSSL", "Runtime"], product: true)
library("ContentCache", "Cores", ["SQLiteStorage", "Runtime"], product: true)
library("PurchaseService", "Cores", ["SignedReceipts", "SQLiteStorage", "Runtime"], product: true)
library("StubStore", "Cores", ["PurchaseService", "SignedReceipts", "Runtime"], product: true)
library("PurchaseServiceTesting", "Cores", ["PurchaseService", "SignedReceipts"], product: true)
library("SessionService", "Cores", ["Runtime"], product: true)
library("SessionServiceTesting", "Cores", ["SessionService", "Runtime"], product: true)
library("OpenIDConnect", "Cores", ["SignedReceipts", "HTTPTransport", "Runtime"], product: true)
library("OpenIDConnectTesting", "Cores", ["OpenIDConnect", "SignedReceipts", "HTTPTransport", "Runtime"], product: true)
library("FeatureFlags", "Cores", ["SQLiteStorage", "Runtime"], product: true)
library("NavigationCore", "Cores", ["Runtime"], product: true)

// Publication
library("PublicationAPI", "Publication", product: true)
library(
  "PublicationClient", "Publication", ["PublicationAPI", "HTTPTransport", "SessionService", "OpenIDConnect", "FeatureFlags", "Runtime"])
library(
  "PublicationCommerce", "Publication",
  ["PublicationClient", "PublicationAPI", "PurchaseService", "SignedReceipts", "Runtime"])
library("ReaderContent", "Publication", ["PublicationClient", "PublicationAPI", "ContentCache", "Runtime"])
library("FeedFormats", "Publication", ["CXML2", "Runtime"], product: true)
library(
  "PublicationServer", "Publication",
  [
    "PublicationAPI", "FeedFormats", "PurchaseService", "HTTPTransport", "SQLiteStorage", "SignedReceipts", "OpenIDConnect", "FeatureFlags",
    "COpenSSL", "CSamplePublication", "Runtime",
  ],
  product: true)
library("PublicationListener", "Publication", ["CMicroHTTPD", "PublicationServer", "HTTPTransport", "Runtime"])
library("PublicationMailer", "Publication", ["CCurl", "PublicationServer", "Runtime"])

// Features
library(
  "FeatureKit", "Features",
  ["ContentCache", "PurchaseService", "SessionService", "ReaderContent", "PublicationClient", "PublicationAPI", "Runtime"])
library("LoginFeature", "Features", ["FeatureKit", "SessionService", "PublicationAPI", "Runtime"])
library("FeedFeature", "Features", ["FeatureKit", "ReaderContent", "PublicationClient", "PublicationAPI", "Runtime"])
library(
  "FanClubFeature", "Features",
  ["FeatureKit", "ReaderContent", "PublicationClient", "PublicationAPI", "FeedFormats", "ContentCache", "Runtime"])
library("BookmarksFeature", "Features", ["FeatureKit", "ReaderContent", "PublicationAPI"])
library(
  "ArticleFeature", "Features",
  ["FeatureKit", "ReaderContent", "PublicationClient", "PublicationAPI", "FeedFormats", "ContentCache", "Runtime"])
library("CommentsFeature", "Features", ["FeatureKit", "ReaderContent", "PublicationAPI", "ContentCache", "Runtime"])
library("SearchFeature", "Features", ["FeatureKit", "ReaderContent", "PublicationAPI", "ContentCache", "Runtime"])
library(
  "AddFeedFeature", "Features",
  ["FeatureKit", "ReaderContent", "PublicationClient", "PublicationAPI", "FeedFormats", "ContentCache", "Runtime"])
library("PaywallFeature", "Features", ["FeatureKit", "PublicationCommerce", "PublicationAPI", "PurchaseService", "Runtime"])
library("PaymentFeature", "Features", ["FeatureKit", "PublicationCommerce", "PurchaseService", "Runtime"])
library(
  "AccountFeature", "Features",
  [
    "FeatureKit", "ReaderContent", "PublicationCommerce", "PublicationClient", "PublicationAPI", "PurchaseService", "SessionService",
    "Runtime",
  ])
library("MenuFeature", "Features", ["FeatureKit", "Runtime"])
library("TesterFeature", "Features", ["FeatureKit", "PublicationCommerce", "PurchaseService", "StubStore", "HTTPTransport", "Runtime"])

let publicationEnd: [Target.Dependency] = [
  "PublicationAPI", "PublicationClient", "PublicationCommerce", "ReaderContent", "FeatureKit",
]
let features: [Target.Dependency] = [
  "LoginFeature", "FeedFeature", "FanClubFeature", "BookmarksFeature", "ArticleFeature", "PaywallFeature", "PaymentFeature",
  "AccountFeature", "TesterFeature", "CommentsFeature", "SearchFeature", "AddFeedFeature", "MenuFeature",
]
let clientCores: [Target.Dependency] = [
  "Runtime", "HTTPTransport", "SQLiteStorage", "SignedReceipts", "ContentCache", "PurchaseService", "SessionService", "NavigationCore",
  "FeatureFlags", "StubStore",
]

// App
targets.append(.plugin(name: "BuildInfoPlugin", capability: .buildTool(), path: "Sources/Tools/BuildInfoPlugin"))
library("BuildInfo", "App", plugins: ["BuildInfoPlugin"])
targets.append(
  .executableTarget(
    name: "ConfigGenerator", dependencies: ["Runtime"], path: "Sources/Tools/ConfigGenerator", swiftSettings: swiftSettings))
targets.append(
  .plugin(
    name: "ConfigPlugin", capability: .buildTool(), dependencies: ["ConfigGenerator"], path: "Sources/Tools/ConfigPlugin"))
library(
  "AppConfig", "App", ["CurlTransport", "PurchaseService"], exclude: flavours.filter { $0 != flavour }.map { $0 + ".json" },
  plugins: ["ConfigPlugin"])
library("AppCore", "App", features + publicationEnd + clientCores + ["FeedFormats"])
library("AppAssembly", "App", ["AppCore"] + features + publicationEnd + clientCores)
library("AppScenarios", "App", ["AppAssembly", "AppCore"] + features + publicationEnd + clientCores)
executable("MatineeLedger", product: "matinee-ledger", [])
executable(
  "MatineeScenario", product: "matinee-scenario",
  [
    "AppScenarios", "AppConfig", "PublicationServer", "PublicationAPI", "FeedFormats", "OpenIDConnectTesting", "CurlTransport",
    "HTTPTransport", "BuildInfo", "Runtime",
  ])
executable(
  "MatineeBench", product: "matinee-bench",
  [
    "AppConfig", "ContentCache", "HTTPTransport", "FeedFormats", "CFeedBaseline", "CStoreBaseline",
    "PurchaseService", "SignedReceipts", "BuildInfo", "Runtime",
  ] + publicationEnd + (headless ? [] : ["Gtk", "CListBaseline"]),
  settings: headless ? [] : [.define("GTK")])
executable(
  "MatineeServer", product: "matinee-server",
  [
    "PublicationServer", "PublicationListener", "PublicationMailer", "PublicationAPI", "OpenIDConnect", "FeedFormats", "PurchaseService",
    "CurlTransport", "HTTPTransport", "SQLiteStorage", "Runtime", "AppConfig", "BuildInfo",
  ])

if !headless {
  systemLibrary("CGtk", pkgConfig: "gtk4", apt: "libgtk-4-dev")
  systemLibrary("CSecret", pkgConfig: "libsecret-1", apt: "libsecret-1-dev")
  systemLibrary("CGio", pkgConfig: "gio-2.0", apt: "libglib2.0-dev")
  c("CGtkShims", ["CGtk"])
  c("CListBaseline", ["CGtk"])
  targets.append(
    .executableTarget(
      name: "CStartBaseline", dependencies: ["CGtk"], path: "Sources/System/CStartBaseline", cSettings: cSettings))
  products.append(.executable(name: "matinee-start-baseline", targets: ["CStartBaseline"]))
  c("CSecretShims", ["CSecret"])
  c("CAppResources")
  c("CStubProducts")
  library("Gtk", "App", ["CGtk", "CGtkShims", "CAppResources", "Runtime"])
  library("DesktopServices", "App", ["CSecretShims", "SessionService", "Runtime"])
  library("Screens", "App", ["Gtk", "AppCore", "FeedFormats"] + features + publicationEnd + clientCores)
  library("Driver", "Tools", ["CGio"])
  executable("MatineeTour", product: "matinee-tour", in: "Tools", ["Driver", "Runtime"])
  executable(
    "Matinee", product: "matinee",
    [
      "Screens", "Gtk", "DesktopServices", "CStubProducts", "TesterFeature", "MenuFeature", "AppAssembly", "AppCore", "AppConfig",
      "BuildInfo",
      "CurlTransport",
      "PublicationServer", "FeedFormats",
    ] + publicationEnd + clientCores)
}

// Tests
targets.append(.target(name: "Patience", path: "Tests/Patience", swiftSettings: swiftSettings))
targets.append(.target(name: "CTestSetUp", path: "Tests/CTestSetUp", cSettings: cSettings))
targets.append(
  .target(
    name: "TestSupport",
    dependencies: [
      "CTestSetUp", "Patience", "Runtime", "HTTPTransport", "CurlTransport", "ContentCache", "PurchaseService", "PurchaseServiceTesting",
      "SessionService", "SignedReceipts", "PublicationServer", "PublicationListener",
    ] + publicationEnd,
    path: "Tests/TestSupport", swiftSettings: swiftSettings))
let contentPage: [Target.Dependency] = ["TestSupport", "ContentCache", "HTTPTransport", "SQLiteStorage", "Runtime"] + publicationEnd
let selling: [Target.Dependency] =
  ["PurchaseService", "PurchaseServiceTesting", "SQLiteStorage", "SignedReceipts", "Runtime"] + publicationEnd
targets.append(.target(name: "CTrapProbe", path: "Tests/CTrapProbe", cSettings: cSettings))
tests("RuntimeTests", ["Runtime", "CTrapProbe"])
tests("HTTPTransportTests", ["HTTPTransport", "Runtime"])
tests("CurlTransportTests", ["TestSupport", "CurlTransport", "CCurl", "HTTPTransport", "Runtime"])
tests("SQLiteStorageTests", ["SQLiteStorage", "CSQLite", "Runtime"])
tests("SignedReceiptsTests", ["SignedReceipts"])
tests("ContentCacheTests", ["ContentCache", "SQLiteStorage", "Runtime"])
tests("PurchaseServiceTests", ["PurchaseService", "PurchaseServiceTesting", "SignedReceipts", "SQLiteStorage", "Runtime"])
tests(
  "StubStoreTests",
  ["TestSupport", "StubStore", "HTTPTransport", "PurchaseService", "PurchaseServiceTesting", "SignedReceipts", "SQLiteStorage", "Runtime"])
tests("SessionServiceTests", ["SessionService", "SessionServiceTesting", "Runtime"])
tests(
  "OpenIDConnectTests",
  [
    "TestSupport", "OpenIDConnect", "OpenIDConnectTesting", "SignedReceipts", "COpenSSL", "HTTPTransport", "CurlTransport", "Runtime",
  ],
  exclude: ["providers"])
targets.append(
  .executableTarget(
    name: "FlagsProbe", dependencies: ["FeatureFlags", "Runtime"], path: "Tests/FlagsProbe", swiftSettings: swiftSettings))
tests("FeatureFlagsTests", ["FeatureFlags", "SQLiteStorage", "Runtime", "FlagsProbe"])
tests("NavigationCoreTests", ["NavigationCore", "Runtime"])
tests("PublicationAPITests", ["PublicationAPI"])
targets.append(
  .executableTarget(
    name: "OutboxProbe",
    dependencies: [
      "AppConfig", "ContentCache", "ReaderContent", "PublicationClient", "PublicationAPI", "SQLiteStorage", "CurlTransport",
      "HTTPTransport", "Runtime",
    ],
    path: "Tests/OutboxProbe", swiftSettings: swiftSettings))
tests(
  "PublicationClientTests",
  [
    "TestSupport", "PublicationClient", "PublicationServer", "PublicationAPI", "OpenIDConnect", "OpenIDConnectTesting", "CurlTransport",
    "HTTPTransport", "SessionService", "Runtime",
  ])
tests("PublicationCommerceTests", ["TestSupport", "PublicationServer", "HTTPTransport"] + selling)
tests("ReaderContentTests", ["OutboxProbe"] + contentPage)
tests("FeatureKitTests", contentPage)
tests("FeedFormatsTests", ["FeedFormats", "CXML2", "Runtime"], exclude: ["count-items.py", "Fixtures"])
tests(
  "PublicationServerTests",
  [
    "TestSupport", "OpenIDConnect", "OpenIDConnectTesting", "PublicationServer", "PublicationAPI", "FeedFormats", "HTTPTransport",
    "SQLiteStorage",
    "SignedReceipts", "Runtime",
  ])
tests("PublicationListenerTests", ["TestSupport", "PublicationListener", "PublicationServer", "CurlTransport", "HTTPTransport", "Runtime"])
tests(
  "PublicationMailerTests", ["TestSupport", "PublicationMailer", "PublicationServer", "Runtime"], exclude: ["smtpd.py"])
tests(
  "MatineeServerTests",
  ["TestSupport", "MatineeServer", "PublicationServer", "PublicationAPI", "SQLiteStorage", "CurlTransport", "HTTPTransport", "Runtime"])
tests("LoginFeatureTests", ["LoginFeature", "FeatureKit", "SessionService", "SessionServiceTesting", "Runtime"])
tests("FeedFeatureTests", ["FeedFeature"] + contentPage)
tests("FanClubFeatureTests", ["FanClubFeature", "FeedFormats"] + contentPage)
tests("BookmarksFeatureTests", ["BookmarksFeature", "FeedFeature", "FanClubFeature"] + contentPage)
tests("ArticleFeatureTests", ["ArticleFeature", "FeedFormats"] + contentPage)
tests("CommentsFeatureTests", ["CommentsFeature"] + contentPage)
tests("SearchFeatureTests", ["SearchFeature"] + contentPage)
tests("AddFeedFeatureTests", ["AddFeedFeature"] + contentPage)
tests("MenuFeatureTests", ["TestSupport", "MenuFeature", "FeatureKit", "Runtime"])
tests("PaywallFeatureTests", ["PaywallFeature"] + selling)
tests("PaymentFeatureTests", ["PaymentFeature"] + selling)
tests(
  "AccountFeatureTests",
  ["AccountFeature", "SessionService", "SessionServiceTesting", "TestSupport", "ContentCache", "HTTPTransport"] + selling)
tests(
  "AppCoreTests",
  ["TestSupport", "AppScenarios", "AppAssembly", "AppCore", "PublicationServer", "PublicationListener", "CurlTransport"] + features
    + publicationEnd
    + clientCores)
tests("AppAssemblyTests", ["TestSupport", "AppAssembly"])
tests(
  "WalkTests",
  ["TestSupport", "MatineeScenario", "AppScenarios", "AppCore", "PublicationServer", "OpenIDConnectTesting"] + features + publicationEnd
    + clientCores)
tests("AppScenariosTests", ["TestSupport", "AppScenarios", "Runtime"])
tests("MatineeScenarioTests", ["TestSupport", "MatineeScenario", "MatineeLedger"])
targets.append(
  .executableTarget(
    name: "CrashProbe",
    dependencies: [
      "AppConfig", "PurchaseService", "PublicationCommerce", "PublicationClient", "CurlTransport", "HTTPTransport", "Runtime",
    ],
    path: "Tests/CrashProbe", swiftSettings: swiftSettings))
tests(
  "CrashTests",
  [
    "TestSupport", "CrashProbe", "MatineeServer", "MatineeLedger", "PublicationServer", "PublicationAPI", "PublicationCommerce",
    "PurchaseService", "CurlTransport", "HTTPTransport", "SQLiteStorage", "Runtime",
  ])
tests("TesterFeatureTests", ["TesterFeature", "FeatureKit", "StubStore", "PurchaseService", "HTTPTransport", "Runtime"])
tests("BuildInfoTests", ["TestSupport", "BuildInfo"])
tests("AppConfigTests", ["TestSupport", "AppConfig", "ConfigGenerator", "Runtime"])
tests("FloorTests")
tests(
  "LibraryTests", ["TestSupport", "PurchaseService", "PurchaseServiceTesting", "SignedReceipts", "FeatureFlags", "StubStore"],
  exclude: ["Symbols"])
tests("ScriptTests")
if !headless {
  tests("GtkTests", ["Gtk", "CGtk", "CGtkShims", "Runtime"])
  targets.append(
    .executableTarget(
      name: "TokenStoreProbe", dependencies: ["DesktopServices", "CSecretShims", "SessionService"], path: "Tests/TokenStoreProbe",
      swiftSettings: swiftSettings))
  tests(
    "DesktopServicesTests", ["TestSupport", "DesktopServices", "SessionService", "Runtime", "TokenStoreProbe"], exclude: ["prompter.py"])
  tests(
    "ScreensTests",
    [
      "TestSupport", "Screens", "Gtk", "CGtk", "CGtkShims", "AppAssembly", "AppCore", "PublicationServer", "OpenIDConnectTesting",
      "SessionServiceTesting",
    ] + features + publicationEnd + clientCores)
  tests("EndToEndTests", ["Driver", "AppConfig", "TestSupport", "Runtime"])
}

/// Leaves out what only tests are made of, for whoever builds the app alone: SwiftPM looks at every target in each build.
if Context.environment["MATINEE_TESTS"] == "0" { targets.removeAll { $0.path?.hasPrefix("Tests/") == true } }

let package = Package(name: "matinee", products: products, targets: targets, swiftLanguageModes: [.v6])
