import Foundation
import HTTPTransport
import PublicationAPI

/// The page of a post, which readers share: the title, the teaser and a link into the app. It needs no sign-in, so the body is not on it.
struct PostPageResource {
  let content: any ContentRepository
  let pages: PublicAddress?

  nonisolated(nonsending) func page(_ call: Call) async throws -> Response {
    guard let pages, let post = try await content.sharedPost(call.parameter),
      let publication = try await content.info()?.name
    else { return try HTMLPage(title: "No such post", body: HTML.paragraph("There is no such post here, or no longer.")).response(404) }
    let date = post.published.formatted(Date.FormatStyle(date: .long, time: .omitted, locale: Self.locale, timeZone: .gmt))
    let facts = [post.fanClubName, post.byline, date].filter { !$0.isEmpty }.joined(separator: " · ")
    var body = """
      <h1 dir="auto">\(HTML.escaped(post.title))</h1>
      <p><small>\(HTML.escaped(facts))</small></p>
      <p dir="auto">\(HTML.escaped(post.teaser))</p>

      """
    if post.premium { body += HTML.paragraph("The whole post is for subscribers.") }
    body += HTML.appButton("Open in Matinee", to: "posts/\(post.id)", at: pages.origin(for: call.request))
    if let url = post.url, let host = URL(string: url)?.host() {
      body += "<p><a class=\"button plain\" rel=\"noopener\" href=\"\(HTML.escaped(url))\">Read it at \(HTML.escaped(host))</a></p>\n"
    }
    return try HTMLPage(title: "\(post.title) · \(publication)", body: body, description: post.teaser).response(200)
  }

  private static let locale = Locale(identifier: "en_GB")
}
