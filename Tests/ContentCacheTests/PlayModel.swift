@testable import ContentCache
import Foundation
import SQLiteStorage
import Testing

/// What must be known of the server's values: of this run to the letter, and of earlier ones as far as a disk can tell.
struct PlayModel {
  /// What the store may hold of a note.
  struct Record {
    /// Without bodies.
    var values: [Note] = []
    var bodies: Set<String> = []
  }

  private struct Known {
    var note: Note
    /// When it was asked for.
    var requested: Int
  }

  private var known: [String: Known] = [:]
  private var gone: [String: Int] = [:]
  /// Everything that was ever known in this run.
  private var seen: [String: [Note]] = [:]
  private var records: [String: Record] = [:]
  /// What the server did to all in this run, and when that was known.
  private var done: [(action: World.Sent, at: Int)] = []
  /// What the server ever said is not there.
  private(set) var everGone: Set<String> = []

  /// The server said this, to a question of that moment.
  mutating func learn(_ note: Note, requested: Int) {
    guard requested >= gone[note.id] ?? 0 else { return }
    gone[note.id] = nil
    let note = upToDate(note, requested)
    var new = Known(note: note, requested: requested)
    if let old = known[note.id] {
      if requested < old.requested { new = old }
      // Nothing takes a body away.
      new.note.body = new.note.body ?? (requested < old.requested ? note : old.note).body
    }
    known[note.id] = new
    seen[note.id, default: []].append(new.note)
  }

  mutating func forget(_ id: String, at time: Int) {
    (known[id], gone[id]) = (nil, time)
    everGone.insert(id)
  }

  mutating func forget(_ ids: Set<String>, at time: Int) { for id in ids { forget(id, at: time) } }

  /// The server did this to all: to what is known, what the store has, and what was asked for before. What the store has is done by the time
  /// that anything else happens.
  mutating func apply(_ action: World.Sent, at time: Int) {
    done.append((action, time))
    records = records.mapValues { Record(values: $0.values.map { upToDate($0, -1) }, bodies: $0.bodies) }
    seen = seen.mapValues { $0.map { upToDate($0, -1) } }
    for (id, known) in known {
      let note = upToDate(known.note, known.requested)
      self.known[id]?.note = note
      seen[id, default: []].append(note)
    }
  }

  private func upToDate(_ note: Note, _ requested: Int) -> Note {
    done.filter { requested < $0.at }.reduce(into: Note?.some(note)) { $1.action.apply(to: &$0) } ?? note
  }

  /// Whether this may be known of a note.
  func allows(_ id: String, _ note: Note?) -> Bool {
    let record = records[id] ?? Record()
    if let known = known[id] {
      guard let note, note.bare == known.note.bare else { return false }
      return note.body == known.note.body || (known.note.body == nil && note.body.map(record.bodies.contains) ?? true)
    }
    guard let note else { return true }
    return gone[id] == nil && record.values.contains(note.bare) && note.body.map(record.bodies.contains) ?? true
  }

  func expected(_ id: String) -> String {
    known[id].map { "\($0.note)" } ?? (gone[id] == nil ? "nothing, or one of \(records[id]?.values ?? [])" : "nothing")
  }

  // MARK: Ends

  /// The run ended in order.
  /// - Parameter notes: what was known in the end.
  mutating func end(with notes: [String: Note]) {
    for (id, note) in notes { records[id] = Record(values: [note.bare], bodies: note.body.map { [$0] } ?? records[id]?.bodies ?? []) }
    for id in gone.keys where notes[id] == nil { records[id] = nil }
    begin()
  }

  /// The process was killed: the store has what it had, or anything since.
  mutating func breakOff() {
    for (id, notes) in seen {
      records[id, default: Record()].values += notes.map(\.bare)
      records[id]?.bodies.formUnion(notes.compactMap(\.body))
    }
    begin()
  }

  /// Everything is erased.
  mutating func erase() {
    records = [:]
    begin()
  }

  private mutating func begin() { (known, gone, seen, done) = ([:], [:], [:], []) }

  // MARK: The disk

  /// What is wrong with the file after an orderly end.
  /// - Parameters:
  ///   - notes: what was known.
  ///   - pending: what the server has not confirmed.
  ///   - isLimited: whether what was not read for longest may be gone.
  func problems(_ path: String, notes: [String: Note], pending: Set<String>, isLimited: Bool) throws -> [String] {
    struct Stored {
      let note: Note
      let isPinned: Bool
    }
    let connection = try Connection(path: path)
    let rows = try connection.query("SELECT value, detail, pinned FROM entity") { row in
      var note = try #require(try row.withBytes(0) { CacheEntry<Note>($0)?.value })
      note.body = try row.get(1)
      return Stored(note: note, isPinned: try row.get(2))
    }
    let stored = Dictionary(uniqueKeysWithValues: rows.map { ($0.note.id, $0) })
    var problems: [String] = []
    for (id, note) in notes {
      guard let stored = stored[id]?.note else {
        if !isLimited || note.marked || pending.contains(id) { problems.append("\(id) is not stored") }
        continue
      }
      if stored.bare != note.bare || (note.body != nil && stored.body != note.body) { problems.append("\(id) is stored as \(stored)") }
    }
    for id in gone.keys where notes[id] == nil && stored[id] != nil { problems.append("\(id) is gone and stored") }
    // What nobody read in this run.
    for (id, stored) in stored where notes[id] == nil && gone[id] == nil {
      let values = records[id]?.values ?? []
      if !values.contains(stored.note.bare) { problems.append("\(id) is stored as \(stored.note), expected one of \(values)") }
    }
    for (id, stored) in stored where !stored.isPinned && (stored.note.marked || pending.contains(id)) { problems.append("\(id) may go") }
    let pages = try connection.query("SELECT list, ids FROM page") { row in
      (try row.get(0, as: String.self), try row.withBytes(1) { try #require(FieldCoder.texts(from: $0)) })
    }
    for (list, ids) in pages {
      for id in ids where stored[id] == nil && !everGone.contains(id) { problems.append("\(id) is missing in \(list)") }
    }
    return problems
  }
}
