/// What a build of the app decides about this module, once.
enum Config {
  /// How long a list of products is served without asking again.
  static let productTimeToLive: Duration = .seconds(3600)
  /// How long after its end a receipt still gives access while the store cannot be asked.
  static let offlineGrace: Duration = .seconds(3 * 86_400)
  /// How many starts without a word from the store the grace lasts at most.
  static let offlineStarts = 20
  /// How far ahead of the trusted time a receipt may claim to be signed.
  static let clockSkewLimit: Duration = .seconds(300)
}
