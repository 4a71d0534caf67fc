/// The actions that the server has not confirmed, in the order of sending. Each step takes the same time for ten thousand actions as for
/// one.
@MainActor struct ActionLine {
  /// Those that are over leave gaps.
  private var actions: [PendingAction] = []
  /// The place of the first that is not over.
  private var start = 0
  /// The last of those that take each other's place.
  private var newest: [PendingAction.Key: PendingAction] = [:]
  /// How many there are.
  private(set) var count = 0

  /// The one that is sent next, or on its way.
  var first: PendingAction? { start < actions.count ? actions[start] : nil }

  /// All of them, in their order.
  var all: [PendingAction] { actions[start...].filter { !$0.isFinished } }

  /// Adds one at the end.
  /// - Returns: the one that gave way to it, which is over.
  mutating func append(_ new: PendingAction) -> PendingAction? {
    actions.append(new)
    count += 1
    guard let key = new.key, let old = newest.updateValue(new, forKey: key), !old.isOnItsWay else { return nil }
    remove(old)
    return old
  }

  /// Inserts actions that are older than all others before them; the oldest is first.
  /// - Returns: which of them are in the queue now, and which were superseded by newer ones; each from the newest to the oldest.
  mutating func prepend(_ older: [PendingAction]) -> (added: [PendingAction], superseded: [PendingAction]) {
    var (added, superseded): ([PendingAction], [PendingAction]) = ([], [])
    for action in older.reversed() {
      guard action.key.map({ newest[$0] == nil }) ?? true else {
        superseded.append(action)
        continue
      }
      if let key = action.key { newest[key] = action }
      added.append(action)
    }
    actions = added.reversed() + all
    start = 0
    count += added.count
    return (added, superseded)
  }

  /// Whether a newer one has taken its place, though it was on its way.
  func isSuperseded(_ action: PendingAction) -> Bool { action.key.flatMap { newest[$0] }.map { $0 !== action } ?? false }

  /// Whether an action with this key waits.
  func has(_ key: PendingAction.Key) -> Bool { newest[key] != nil }

  /// Takes an action out, since it is finished.
  mutating func remove(_ action: PendingAction) {
    guard !action.isFinished else { return }
    action.isFinished = true
    count -= 1
    if let key = action.key, newest[key] === action { newest[key] = nil }
    while start < actions.count, actions[start].isFinished { start += 1 }
    // As many steps as there were ends since the last time.
    if actions.count > 2 * count + 16 { (actions, start) = (all, 0) }
  }
}
