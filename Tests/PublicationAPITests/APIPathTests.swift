import PublicationAPI
import Testing

/// Paths as they stand in a request line.
@Suite struct APIPathTests {
  @Test(arguments: [
    ("p1", "/v1/posts/p1"), ("a/b?c#d", "/v1/posts/a%2Fb%3Fc%23d"), ("*", "/v1/posts/%2A"), ("é", "/v1/posts/%C3%A9"),
    ("a.b-c_d~e", "/v1/posts/a.b-c_d~e"), (".", "/v1/posts/%2E"), ("..", "/v1/posts/%2E%2E"), ("\n", "/v1/posts/%0A"), ("", "/v1/posts/"),
  ])
  func anIdentifierNeverBecomesSyntax(id: String, target: String) {
    #expect(APIPath.post(id).target == target)
  }

  @Test func partsStayInTheirOrder() {
    #expect(APIPath.comment("c", on: "p").segments == ["v1", "posts", "p", "comments", "c"])
    #expect(APIPath.comment("c", on: "p").target == "/v1/posts/p/comments/c")
  }
}
