import AppCore
import Foundation
import Testing

@Suite struct DeepLinkTests {
  @Test(arguments: [
    ("matinee://posts/p-1", Navigation.post("p-1")), ("MATINEE://Posts/p_1", .post("p_1")), ("matinee://fanclubs/film/", .fanClub("film")),
    ("matinee://home", .tab(.home)), ("matinee://posts/p-1/comments", .comments("p-1")),
    ("matinee://search?q=old%20films", .search("old films")),
    ("matinee://search", .search("")), ("matinee://search?publication=x&q=%C3%A9t%C3%A9", .search("été")),
    ("matinee://paywall/premium", .paywall("premium", then: nil)), ("matinee://purchases", .purchases(order: nil)),
    ("https://example.org/posts/p-1", .post("p-1")), ("HTTP://127.0.0.1:8080/posts/p-1/?utm_source=mail", .post("p-1")),
    (
      "matinee://orders/8F1D2A53-0B4C-4A7E-9C11-6D2E5F3A7B90",
      .purchases(order: UUID(uuidString: "8F1D2A53-0B4C-4A7E-9C11-6D2E5F3A7B90"))
    ),
  ])
  func knownPlaces(uri: String, navigation: Navigation) throws { #expect(try DeepLink(uri).navigation == navigation) }

  @Test func publicationIsOptional() throws {
    #expect(try DeepLink("matinee://posts/1").publication == nil)
    #expect(try DeepLink("matinee://posts/1?publication=https://example.org").publication == "https://example.org")
    #expect(try DeepLink("matinee://posts/1?publication=HTTPS://Example.org:443").publication == "https://example.org")
    #expect(try DeepLink("matinee://posts/1?publication=embedded").publication == "embedded")
    #expect(try DeepLink("HTTPS://Example.org:443/posts/1?publication=https://elsewhere.example").publication == "https://example.org")
  }

  @Test(arguments: [
    "", "posts/1", "https://example.org/fanclubs/1", "https://example.org/posts/1/comments", "https://example.org",
    "https://me@example.org/posts/1", "ftp://example.org/posts/1", "matinee:posts/1", "matinee://me@posts/1", "matinee://posts:80/1", "::",
  ])
  func whatIsNoLink(uri: String) {
    #expect(throws: DeepLink.Failure.notALink(uri)) { try DeepLink(uri) }
  }

  @Test(arguments: [
    "matinee://posts", "matinee://posts/", "matinee://posts/a/b", "matinee://posts/%00", "https://example.org/posts/a%20b",
    "matinee://posts/a%20b", "matinee://orders/1",
    "matinee://purchases/1", "matinee://home/1", "matinee://search/words", "matinee://posts/a/comments/b", "matinee://posts/a%20b/comments",
  ])
  func badIdentifiers(uri: String) {
    #expect(throws: DeepLink.Failure.badIdentifier(uri)) { try DeepLink(uri) }
  }

  @Test func unknownPlace() {
    #expect(throws: DeepLink.Failure.unknownPlace("nowhere")) { try DeepLink("matinee://nowhere/1") }
  }
}
