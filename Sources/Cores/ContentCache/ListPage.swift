import Runtime

/// One page of a list.
struct ListPage {
  /// The cursor of its request; empty for the first page.
  let cursor: String
  var ids: [String] = []
  /// The cursor of the page after it; `nil` on the last.
  var next: String?
  var status = PageStatus.unloaded
  /// What it waits for; ends when it is released.
  var work: Observation?
  /// Whether the cache's entities that belong to the list are shown in its place, since the server could not be reached.
  var hasSubstitutes = false

  /// Handles an event. The work that the page waited for ends.
  mutating func update(_ event: PageStatus.Event, _ policy: FetchPolicy) {
    guard let status = status.after(event, policy) else { return assertionFailure("\(event) in \(status)") }
    self.status = status
    work = nil
  }
}
