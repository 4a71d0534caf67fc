import ContentCache
import PublicationAPI

extension Post: Entity {
  /// What the cache keeps when a newer answer arrives: the newer answer, but a body that is known is not lost to a list, which has none.
  public static func merge(known: Post, newer: Post) -> Post {
    guard newer.body == nil, known.body != nil else { return newer }
    var merged = newer
    merged.body = known.body
    return merged
  }
}

extension FanClub: Entity {}

extension Comment: Entity {}
