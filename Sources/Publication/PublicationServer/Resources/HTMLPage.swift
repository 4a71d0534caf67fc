import Foundation
import HTTPTransport
import Runtime

/// Text as HTML.
enum HTML {
  /// Text in which nothing is markup, in an element or an attribute.
  static func escaped(_ text: String) -> String { text.escapedAsMarkup }

  static func paragraph(_ text: String) -> String { "<p>\(escaped(text))</p>\n" }

  /// A button that opens a place in the app.
  /// - Parameters:
  ///   - place: what follows `matinee://`.
  ///   - origin: the publication's, so that the link finds the app that has it open among others.
  static func appButton(_ label: String, to place: String, at origin: String?) -> String {
    let link = "matinee://\(place)" + (origin.map { "?publication=\($0)" } ?? "")
    return "<p><a class=\"button\" href=\"\(escaped(link))\">\(escaped(label))</a></p>\n"
  }
}

/// A page for a browser: no script, nothing from elsewhere, in no frame, and never cached.
struct HTMLPage {
  /// Plain text.
  let title: String
  /// HTML.
  let body: String
  /// Plain text that other programs show for a shared link to the page; `nil` for a page that is for one person.
  var description: String?

  private static let style = """
    :root { color-scheme: light dark; --line: #8885; --accent: #1a5fb4; --on-accent: #fff; }
    @media (prefers-color-scheme: dark) { :root { --accent: #78aeed; --on-accent: #14233a; } }
    body { font: 1.0625rem/1.5 system-ui, sans-serif; margin: 0 auto; padding: 2rem 1.25rem; max-width: 30rem; }
    h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1.25rem; }
    dl { margin: 0 0 1.25rem; border-top: 1px solid var(--line); }
    dl div { display: flex; gap: 1rem; justify-content: space-between; padding: .6rem 0; border-bottom: 1px solid var(--line); }
    dd { margin: 0; text-align: end; }
    .button { box-sizing: border-box; display: block; width: 100%; min-height: 2.75rem; margin: .75rem 0 0; padding: .6rem 1rem; font: inherit;
      font-weight: 600; text-align: center; text-decoration: none; border: 1px solid var(--accent); border-radius: .5rem;
      background: var(--accent); color: var(--on-accent); cursor: pointer; }
    .plain { background: transparent; color: inherit; border-color: var(--line); }
    .button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    """

  private var forOthers: String {
    guard let description else { return "<meta name=\"robots\" content=\"noindex\">" }
    return """
      <meta name="description" content="\(HTML.escaped(description))">
      <meta property="og:type" content="article">
      <meta property="og:title" content="\(HTML.escaped(title))">
      <meta property="og:description" content="\(HTML.escaped(description))">
      """
  }

  func response(_ status: Int) throws -> Response {
    let heading = body.contains("<h1") ? "" : "<h1>\(HTML.escaped(title))</h1>\n"
    let text = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      \(forOthers)
      <title>\(HTML.escaped(title))</title>
      <style>\(Self.style)</style>
      </head>
      <body>
      <main>
      \(heading)\(body)</main>
      </body>
      </html>

      """
    let digest = try Digest.sha256(Data(Self.style.utf8)).base64EncodedString()
    return Response(
      status,
      headers: [
        "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
        "Content-Security-Policy":
          "default-src 'none'; style-src 'sha256-\(digest)'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      ], body: Data(text.utf8))
  }
}
