import AppAssembly
import Foundation
import Testing

@Suite struct LaunchOptionsTests {
  @Test func nothingOpensTheWindow() throws {
    let options = try LaunchOptions([])
    #expect(options.task == .open(uri: nil))
    #expect(!options.isOwnInstance)
  }

  @Test func aLinkIsHandedToTheRunningInstance() throws {
    let options = try LaunchOptions(["matinee://posts/1"])
    #expect(options.task == .open(uri: "matinee://posts/1"))
    #expect(!options.isOwnInstance)
  }

  /// Whether it names a place, the window says: a desktop's click has no terminal.
  @Test(arguments: ["matinee:x", "MATINEE://Home", "matinee://nowhere"]) func whateverHasTheSchemeIsALink(uri: String) throws {
    #expect(try LaunchOptions([uri]).task == .open(uri: uri))
  }

  @Test func theColorsOfAStartThatHandsOverAreNotTaken() throws {
    for (arguments, option) in [(["--dark"], "--dark"), (["--data", "folder", "--light", "matinee://posts/1"], "--light")] {
      #expect(
        try LaunchOptions(arguments).lostByHandingOver == "Matinee runs already, and keeps its colors: \(option) is for its own start.")
    }
    for arguments in [[], ["--data", "folder"], ["matinee://posts/1"]] { #expect(try LaunchOptions(arguments).lostByHandingOver == nil) }
  }

  @Test func importTakesEverySource() throws {
    let options = try LaunchOptions(["--import", "a.rss", "--json", "b.atom"])
    #expect(options.task == .importFeeds(["a.rss", "b.atom"]))
    #expect(options.json)
  }

  @Test func anotherPublicationIsAnotherInstance() throws {
    #expect(try LaunchOptions(["--publication", "http://127.0.0.1:8080"]).isOwnInstance)
    #expect(try LaunchOptions(["--publication", "http://127.0.0.1:8080/"]).publication == "http://127.0.0.1:8080")
  }

  @Test func aLaterStartWithTheSameOptionsFindsTheFirst() throws {
    let name = try LaunchOptions(["--data", "folder"]).instanceNames.first
    #expect(name?.wholeMatch(of: /at[0-9a-f]+/) != nil)
    #expect(
      try LaunchOptions(["--data", FileManager.default.currentDirectoryPath + "/folder/", "matinee://posts/1"]).instanceNames == [name])
    for others in [["--data", "other"], ["--data", "folder", "--faults", "f.json"], ["--publication", "https://example.org"]] {
      let other = try LaunchOptions(others).instanceNames.first
      #expect(other != nil && other != name)
    }
    for shared in [[], ["matinee://posts/1"], ["--data", "folder", "--screenshot", "a.png"]] {
      #expect(try LaunchOptions(shared).instanceNames.isEmpty)
    }
  }

  @Test func aLinkFindsTheInstanceThatShowsItsPublication() throws {
    let name = LaunchOptions.instanceName(showing: "https://example.org")
    for options in [["--publication", "https://EXAMPLE.org/"], ["--publication", "https://example.org", "--data", "folder"]] {
      #expect(try LaunchOptions(options).instanceNames.last == name)
    }
    for others in [[], ["--data", "folder"], ["--publication", "https://example.org:8443"]] {
      #expect(try !LaunchOptions(others).instanceNames.contains(name))
    }
  }

  @Test func stubsAreInstancesOfTheirOwn() throws {
    let options = try LaunchOptions(["--stub-products", "products.json", "--stub-answers", "answers.json", "matinee://posts/1"])
    #expect(options.stubProductsFile == "products.json")
    #expect(options.stubAnswersFile == "answers.json")
    #expect(options.task == .open(uri: "matinee://posts/1"))
    #expect(try LaunchOptions(["--stub-products", "products.json"]).isOwnInstance)
    #expect(try LaunchOptions(["--stub-answers", "answers.json"]).isOwnInstance)
    #expect(LaunchOptions.help.contains("--stub-products FILE") && LaunchOptions.help.contains("--stub-answers FILE"))
  }

  /// Which flavours can buy: AppConfigTests.
  @Test(arguments: [
    ([], true, "/d/matinee"),
    ([], false, "/d/matinee/testing"),
    (["--stub-products", "s.json"], true, "/d/matinee/testing"),
    (["--stub-products", "s.json"], false, "/d/matinee/testing"),
    (["--stub-answers", "a.json"], true, "/d/matinee/testing"),
    (["--stub-answers", "a.json"], false, "/d/matinee/testing"),
    (["--import", "a.rss"], true, "/d/matinee"),
    (["--import", "a.rss"], false, "/d/matinee/testing"),
    (["--publication", "https://example.org:8080"], true, "/d/matinee/at/https---example.org-8080"),
    (["--publication", "https://example.org:8080"], false, "/d/matinee/testing/at/https---example.org-8080"),
    (["--publication", "https://example.org", "--stub-products", "s.json"], true, "/d/matinee/testing/at/https---example.org"),
    (["--data", "/mine"], true, "/mine"),
    (["--data", "/mine", "--stub-products", "s.json"], false, "/mine"),
  ])
  func whatIsOnlyPretendedHasAFolderOfItsOwn(_ arguments: [String], _ canBuy: Bool, _ folder: String) throws {
    let options = try LaunchOptions(arguments)
    #expect(options.folder(below: "/d", canBuy: canBuy) == folder)
    // And a session of its own: the one in the folder beside it is of another publication, or of a reader who really pays.
    let name = options.keyringName(of: "embedded", in: folder, canBuy: canBuy)
    #expect((name == "embedded") == (folder.hasPrefix("/d/matinee") && !folder.contains("testing")))
    #expect(name == "embedded" || name == "embedded in \(folder)")
  }

  @Test func screenshotTakesALink() throws {
    let options = try LaunchOptions(["--screenshot", "a.png", "--dark", "matinee://posts/1"])
    #expect(options.task == .screenshot(file: "a.png", uri: "matinee://posts/1"))
    #expect(options.appearance == .dark)
  }

  @Test(arguments: [
    (["--data"], "--data needs a value; see matinee --help."),
    (["--stub-products"], "--stub-products needs a value; see matinee --help."),
    (["--stub-answers", "--dark"], "--stub-answers needs a value; see matinee --help."),
    (["--fast"], "--fast is not an option of matinee; see matinee --help."),
    (["--publication", "example.org"], "--publication takes an origin such as https://example.org, not “example.org”."),
    (
      ["--publication", "https://a@example.org"],
      "--publication takes an origin such as https://example.org, and “https://a@example.org” has a user name."
    ),
    (
      ["--publication", "https://example.org/?a"],
      "--publication takes an origin such as https://example.org, and “https://example.org/?a” has a query."
    ),
    (
      ["--publication", "https://example.org#a"],
      "--publication takes an origin such as https://example.org, and “https://example.org#a” has a fragment."
    ),
    (
      ["--publication", "https://example.org/a"],
      "--publication takes an origin such as https://example.org, and “https://example.org/a” has a path."
    ),
    (["--data", "a", "--data", "b"], "--data is there twice; see matinee --help."),
    (["--light", "--light"], "--light is there twice; see matinee --help."),
    (["--import"], "--import needs at least one file or URL."),
    (["a", "b"], "Only one link can be opened at a time; “b” is one too many."),
    (["a"], "“a” \(noLink); see matinee --help."),
    (["example.org"], "“example.org” \(noLink); see matinee --help."),
    (["file:///a.opml"], "“file:///a.opml” \(noLink); see matinee --help."),
    (
      ["https://example.org/fanclubs/1"],
      "“https://example.org/fanclubs/1” \(noLink). --publication https://… opens a publication."
    ),
    (["http://example.org"], "“http://example.org” \(noLink). --publication http://… opens a publication."),
    (
      ["--publication", "https://example.org", "https://example.org/fanclubs/1"],
      "“https://example.org/fanclubs/1” \(noLink); see matinee --help."
    ),
    (
      ["--screenshot", "a.png", "HTTPS://example.org/feed"],
      "“HTTPS://example.org/feed” \(noLink). --publication https://… opens a publication."
    ),
    (["--json"], "--json goes with --import."),
  ])
  func aBadLineSaysWhatIsWrong(arguments: [String], sentence: String) {
    let failure = #expect(throws: LaunchOptions.Failure.self) { try LaunchOptions(arguments) }
    #expect(failure?.sentence == sentence)
  }
}

/// What is accepted, of a text that is not.
private let noLink = "is no link: a link begins with matinee://, or is the address of a post's page, https://…/posts/…"
