@testable import ContentCache
import Foundation
import Synchronization

/// What a play's server does with actions and questions, in the plainest form.
struct PlayServer {
  /// How many notes are on a page of a list.
  private static let size = 3

  private(set) var notes: [String: Note] = [:]
  /// What is not there for a while.
  private var away: [String: Note] = [:]
  /// What this reader may not read the body of.
  private var locked: Set<String> = []
  /// Actions that were carried out.
  private var carriedOut: [UUID: World.Sent] = [:]
  /// Those of them whose change another device took back, or that could not have it, by note.
  private var overruled: [String: Set<UUID>] = [:]
  /// How often each comment was taken on.
  private(set) var comments: [UUID: Int] = [:]

  init(_ ids: [String]) {
    for id in ids { notes[id] = Note(id: id, title: String(repeating: id, count: 800), body: String(repeating: id, count: 2000), likes: 3) }
  }

  // MARK: Actions

  /// Whether it could.
  mutating func carryOut(_ sent: World.Sent) -> Bool {
    guard !sent.isAboutAll else {
      for id in notes.keys { sent.apply(to: &notes[id]) }
      for id in away.keys { overruled[id, default: []].insert(sent.id) }
      carriedOut[sent.id] = sent
      return true
    }
    guard notes[sent.entityID] != nil || sent.kind == WriteAction.kind else { return false }
    let before = notes[sent.entityID]?.comments.count ?? 0
    sent.apply(to: &notes[sent.entityID])
    if notes[sent.entityID]?.comments.count ?? 0 > before { comments[sent.id, default: 0] += 1 }
    carriedOut[sent.id] = sent
    return true
  }

  /// Whether the action's change is there, as far as what it was made on is.
  func shows(_ sent: World.Sent, on id: String) -> Bool {
    if overruled[id]?.contains(sent.id) ?? false { return true }
    guard sent.kind != WriteAction.kind else { return (notes[id] != nil) == sent.on }
    guard let note = notes[id] else { return true }
    return switch sent.kind {
    case LikeAction.kind: note.liked == sent.on
    case MarkAction.kind, MarkAllAction.kind: note.marked == sent.on
    default: note.comments.contains(sent.id) && comments[sent.id] == 1
    }
  }

  // MARK: Others

  /// Something is done elsewhere: by others, or by the same reader on another device.
  mutating func change(_ id: String, _ what: Int) {
    guard var note = notes[id] else { return }
    switch what {
    case 0: note.likes += 1
    case 1, 2:
      note.marked.toggle()
      overrule(id, [MarkAction.kind, MarkAllAction.kind])
    case 3:
      note.liked.toggle()
      note.likes += note.liked ? 1 : -1
      overrule(id, [LikeAction.kind])
    case 4: note.title += "."
    case 5: note.body?.append(".")
    default: locked.formSymmetricDifference([id])
    }
    notes[id] = note
  }

  private mutating func overrule(_ id: String, _ kinds: [String]) {
    for (action, sent) in carriedOut where (sent.isAboutAll || sent.entityID == id) && kinds.contains(sent.kind) {
      overruled[id, default: []].insert(action)
    }
  }

  /// Takes a note away, or puts it back as it was.
  mutating func toggle(_ id: String) {
    (notes[id], away[id]) = (away[id], notes[id])
  }

  mutating func takeAway(_ ids: Set<String>) { for id in ids where notes[id] != nil { toggle(id) } }

  // MARK: Questions

  /// A page of the notes, of the marked ones, or of one by itself; `nil` for one that is not there.
  func page(_ list: String, _ cursor: String?) -> FetchedPage<Note>? {
    if list.hasPrefix("=") {
      guard var note = notes[String(list.dropFirst())] else { return nil }
      if locked.contains(note.id) { note.body = nil }
      return tagged([note], nil)
    }
    let below = self.list(list).filter { note in cursor.map { note.id < $0 } ?? true }
    let page = below.prefix(Self.size).map(\.bare)
    return tagged(page, page.count < below.count ? page.last?.id : nil)
  }

  /// All of a list.
  func list(_ list: String) -> [Note] { notes.values.filter { list != "marked" || $0.marked }.sorted { $0.id > $1.id } }

  func isLocked(_ id: String) -> Bool { locked.contains(id) }

  private func tagged(_ notes: [Note], _ next: String?) -> FetchedPage<Note> {
    FetchedPage(items: notes, next: next, etag: "\(notes) \(next ?? "")")
  }
}

/// What a reader asks for.
struct PlayQuestion: Sendable {
  /// Whether nobody wants to know any more.
  final class Flag: Sendable {
    private let state = Atomic(false)
    var isSet: Bool { state.load(ordering: .acquiring) }
    func set() { state.store(true, ordering: .releasing) }
  }

  let list: String
  let cursor: String?
  let etag: String?
  let isForgotten = Flag()

  /// Asks it, and gets an answer even when nobody wants to know any more.
  static func ask(
    _ gate: Gate<PlayQuestion, PageAnswer<Note>>, list: String, cursor: String?, etag: String?
  ) async throws -> PageAnswer<Note> {
    let question = PlayQuestion(list: list, cursor: cursor, etag: etag)
    return try await withTaskCancellationHandler {
      try await gate.ask(question)
    } onCancel: {
      question.isForgotten.set()
    }
  }
}

extension Note {
  var bare: Note {
    var bare = self
    bare.body = nil
    return bare
  }
}

extension World.Sent {
  func apply(to note: inout Note?) {
    switch kind {
    case LikeAction.kind: LikeAction(id: id, entityID: entityID, on: on).apply(to: &note)
    case MarkAction.kind: MarkAction(id: id, entityID: entityID, on: on).apply(to: &note)
    case WriteAction.kind: WriteAction(id: id, entityID: entityID, on: on).apply(to: &note)
    case MarkAllAction.kind: MarkAllAction(id: id, entityID: entityID, on: on).apply(to: &note)
    default: CommentAction(id: id, entityID: entityID).apply(to: &note)
    }
  }

  var isAboutAll: Bool { kind == MarkAllAction.kind }

  func isSuperseded(by newer: World.Sent) -> Bool {
    kind != CommentAction.kind && !isAboutAll && kind == newer.kind && entityID == newer.entityID
  }

  /// Whether what this did to a note is not to be seen when a newer one is carried out after it.
  func isOverruled(by newer: World.Sent, on note: String) -> Bool {
    let (marks, isMeant) = ([MarkAction.kind, MarkAllAction.kind], newer.isAboutAll ? note <= newer.entityID : note == newer.entityID)
    return isMeant && (marks.contains(kind) ? marks.contains(newer.kind) : kind != CommentAction.kind && kind == newer.kind)
  }
}
