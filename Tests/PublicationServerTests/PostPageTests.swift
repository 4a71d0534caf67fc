import Foundation
import HTTPTransport
import PublicationAPI
import Testing

@testable import PublicationServer

/// The page of a post, which is what readers share: for browsers, and open to all.
@Suite struct PostPageTests {
  private func rig(_ change: (inout Post) -> Void = { _ in }, offersPages: Bool = true) async throws -> Rig {
    var posts = Rig.posts
    change(&posts[0])
    let rig = try await Rig(posts: posts)
    if offersPages { await rig.publication.offerPages(at: .ofRequest) }
    return rig
  }

  private func page(_ rig: Rig, _ id: String) async -> (status: Int, text: String) {
    let response = await rig.send(.get, "/posts/\(id)", headers: ["Host": "read.example.org:8080"])
    return (response.status, String(decoding: response.body, as: UTF8.self))
  }

  @Test func whoeverHasTheAddressSeesWhatItIsAboutAndNotTheText() async throws {
    let rig = try await rig {
      $0.title = "<b>Rain</b> & \"sun\""
      $0.teaser = "It <i>rains</i>."
      $0.body = "<p>The secret text.</p>"
      $0.premium = true
    }
    let post = Rig.posts[0].id
    let page = await page(rig, post)
    #expect(page.status == 200)
    #expect(page.text.contains("<h1 dir=\"auto\">&lt;b&gt;Rain&lt;/b&gt; &amp; &quot;sun&quot;</h1>"))
    #expect(page.text.contains("It &lt;i&gt;rains&lt;/i&gt;."))
    #expect(page.text.contains("href=\"matinee://posts/\(post)?publication=http://read.example.org:8080\">Open in Matinee</a>"))
    #expect(page.text.contains("for subscribers"))
    #expect(!page.text.contains("secret"))
    #expect(page.text.contains("og:description"))
  }

  /// A letter or an accent that joins one of markup's signs makes one character with it, which is not equal to the sign.
  @Test(arguments: ["\u{D4E}<meta http-equiv=refresh \u{D4E}>", "a\"\u{301} onclick=\u{D4E}\"x", "&\u{301}lt;<\u{338}b>\u{20DD}'\u{301}"])
  func noSignOfMarkupGetsThroughInTheCompanyOfAnother(text: String) async throws {
    let rig = try await rig {
      $0.title = text
      $0.teaser = text
    }
    let page = await page(rig, Rig.posts[0].id)
    #expect(page.status == 200)
    let signs: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"]
    let escaped = text.unicodeScalars.map { scalar in
      signs[scalar] ?? String(scalar)
    }.joined()
    let heading = "<h1 dir=\"auto\">\(escaped)</h1>"
    #expect(page.text.utf8.firstRange(of: heading.utf8) != nil, "\(page.text)")
    #expect(page.text.utf8.firstRange(of: "<meta http-equiv".utf8) == nil)
    #expect(page.text.utf8.firstRange(of: "content=\"\(escaped)\">".utf8) != nil)
    #expect(page.text.components(separatedBy: "<h1").count == 2, "one heading")
  }

  @Test func aPostFromElsewhereSaysWhereItIs() async throws {
    let rig = try await rig { $0.url = "https://paper.example/a?b=1&c=2" }
    let page = await page(rig, Rig.posts[0].id)
    #expect(page.text.contains("href=\"https://paper.example/a?b=1&amp;c=2\">Read it at paper.example</a>"))
  }

  @Test func whatIsNotThereHasAPageThatSaysSo() async throws {
    let rig = try await rig()
    let none = await page(rig, "none")
    #expect(none.status == 404)
    #expect(none.text.contains("No such post"))
    #expect(none.text.contains("noindex"))
    let inside = try await self.rig(offersPages: false)
    #expect(await page(inside, Rig.posts[0].id).status == 404, "the publication inside the app has no pages")
  }
}
