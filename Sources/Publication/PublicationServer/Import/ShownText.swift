import PublicationAPI

// Feeds have texts of any length, and those of a list are sent to every reader. Bodies stay whole: they are requested one at a time.

extension String {
  /// The most characters of a title, a name or another line of text that is shown.
  static let longestShown = 400

  /// At most ``longestShown`` characters (Unicode scalars), with an ellipsis where there were more. No composed character is cut, except
  /// one that is too long by itself.
  var shortened: String {
    let scalars = unicodeScalars
    guard scalars.index(startIndex, offsetBy: Self.longestShown + 1, limitedBy: endIndex) != nil else { return self }
    let limit = scalars.index(startIndex, offsetBy: Self.longestShown - 1)
    // A single visible character may consist of a million scalars, so its end is not searched for.
    let beginning = String(scalars[..<scalars.index(after: limit)])
    let whole = beginning.dropLast()
    return (whole.isEmpty ? String(scalars[..<limit]) : String(whole)) + "…"
  }
}

extension FanClub {
  /// With no text longer than what is shown.
  var shortened: FanClub {
    var club = self
    (club.name, club.about) = (name.shortened, about.shortened)
    return club
  }
}

extension Post {
  /// With no text longer than what is shown, but for the body.
  var shortened: Post {
    var post = self
    (post.title, post.byline, post.teaser) = (title.shortened, byline.shortened, teaser.shortened)
    post.enclosures = enclosures.map { enclosure in
      var enclosure = enclosure
      enclosure.title = enclosure.title?.shortened
      return enclosure
    }
    return post
  }
}
