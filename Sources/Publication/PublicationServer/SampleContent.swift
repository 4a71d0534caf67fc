import CSamplePublication
import FeedFormats
import Foundation
import PublicationAPI

/// The publication inside the app: three fan clubs, forty posts, its products, and an account for everyone to try.
///
/// It is written in Resources/sample-publication and compiled in. Each post there says how many days it appeared *before the publication
/// was opened* for the first time, so that the newest one is always some hours old and the oldest about half a year, whenever the app is
/// first started. From then on the dates stay.
public enum SampleContent {
  /// The sample publication as it is on its first day.
  /// - Parameter opening: when the publication is opened for the first time.
  /// - Throws: `DecodingError` when the embedded text is broken, which a test keeps from happening.
  public static func publication(openedAt opening: Date) throws -> PublicationContent {
    let written = try JSONDecoder().decode(Written.self, from: file("publication.json")?.data ?? Data())
    let account = written.publication.sampleAccount
    let info = PublicationInfo(
      id: written.publication.id, name: written.publication.name, tagline: written.publication.tagline,
      defaultPaywallID: written.publication.defaultPaywallID, sampleAccount: .init(email: account.email, password: account.password),
      cancelling: written.publication.cancelling)
    let posts = written.posts.map { post in
      let body = post.body.joined(separator: "\n")
      return Post(
        id: post.id, fanClubID: post.fanClubID, fanClubName: written.fanClubs.first { $0.id == post.fanClubID }?.name ?? "",
        title: post.title, byline: post.byline, teaser: ArticleBody(html: body).teaser(characters: 280), body: body,
        picture: path(post.picture), published: opening.addingTimeInterval(-post.daysBefore * 86_400), premium: post.premium,
        reactions: [.love: post.reactions])
    }
    let clubs = written.fanClubs.map { club in
      FanClub(
        id: club.id, name: club.name, about: club.about, picture: path(club.picture), url: club.url, followers: club.followers,
        posts: posts.count { $0.fanClubID == club.id })
    }
    return PublicationContent(
      info: info, fanClubs: clubs, posts: posts, pictures: pictures, products: written.products, paywalls: written.paywalls,
      accounts: [.init(email: account.email, name: account.name, password: account.password)])
  }

  /// The bytes of a picture by its name, as in `/v1/pictures/NAME`; `nil` when the sample has none of that name.
  public static func picture(named name: String) -> Data? { name.hasSuffix(".jpg") ? file(name)?.data : nil }

  private static var pictures: [PublicationContent.Picture] {
    var pictures: [PublicationContent.Picture] = []
    var index = 0
    while let file = matinee_sample_file_at(index) {
      let name = String(cString: file.pointee.name)
      if name.hasSuffix(".jpg") { pictures.append(.init(name: name, type: "image/jpeg", bytes: file.data)) }
      index += 1
    }
    return pictures
  }

  private static func path(_ picture: String) -> String { APIPath.picture(picture).target }

  private static func file(_ name: String) -> UnsafePointer<matinee_sample_file>? { matinee_sample_file_named(name) }
}

extension UnsafePointer<matinee_sample_file> {
  fileprivate var data: Data { Data(bytes: pointee.bytes, count: pointee.size) }
}

/// The shape of publication.json.
private struct Written: Decodable {
  struct Publication: Decodable {
    struct Account: Decodable {
      var email: String
      var password: String
      var name: String
    }

    var id: String
    var name: String
    var tagline: String
    var defaultPaywallID: String
    var cancelling: String
    var sampleAccount: Account
  }

  struct Club: Decodable {
    var id: String
    var name: String
    var about: String
    var picture: String
    var url: String
    var followers: Int
  }

  struct Article: Decodable {
    var id: String
    var fanClubID: String
    var title: String
    var byline: String
    /// Days before the opening; fractions are hours.
    var daysBefore: Double
    var premium: Bool
    var picture: String
    var reactions: Int
    /// HTML, a block a line.
    var body: [String]
  }

  var publication: Publication
  var fanClubs: [Club]
  var posts: [Article]
  var products: [ProductRecord]
  var paywalls: [PaywallRecord]
}
