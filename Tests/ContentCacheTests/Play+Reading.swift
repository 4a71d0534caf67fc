@testable import ContentCache
import Foundation
import Testing

/// What a play's reader has on screen, and what the server says of it.
extension Play {
  func makeFetchers() { fetchers = ["notes", "notes", "marked"].map(fetcher) }

  private func fetcher(_ list: String) -> PageFetcher<Note> {
    let membership = list == "marked" ? ListMembership<Note>(contains: \.marked) { $0.id > $1.id } : nil
    return PageFetcher("\(list).load", list: list, cache: world.cache, effects: world.effects, membership: membership, explain: explain) {
      [asks] in try await PlayQuestion.ask(asks, list: list, cursor: $0, etag: $1)
    }
  }

  func reload() {
    lastStep = "reload"
    fetchers[below(fetchers.count)].reload(FetchPolicy.allCases[below(FetchPolicy.allCases.count)])
  }

  func loadMore() {
    lastStep = "load more"
    fetchers[below(fetchers.count)].loadMore()
  }

  /// Opens a note by itself.
  func show(_ id: String) {
    lastStep = "open \(id)"
    let (asks, world) = (asks, world)
    world.opening.append(id)
    Task { [weak self] in
      defer { world.opening.remove(at: world.opening.firstIndex(of: id) ?? 0) }
      do {
        let note = try await world.cache.load(id, "note.load", effects: world.effects) {
          try await PlayQuestion.ask(asks, list: "=" + id, cursor: nil, etag: $0)
        }
        self?.opened.append(Opened(id: id, body: note.body))
      } catch is Refused {
        // As whoever asks for one does: what the server says is gone is not shown anywhere any more.
        world.cache.remove([id])
      }
    }
  }

  // MARK: The server and the way to it

  /// The server gets a question; what it says may take its time.
  func getReading(_ index: Int) {
    lastStep = "the server gets a question"
    guard readings[index].answer == nil, let question = question(readings[index])?.question else { return }
    readings[index].answer = .some(server.page(question.list, question.cursor))
  }

  private func question(_ reading: Reading) -> Gate<PlayQuestion, PageAnswer<Note>>.Hanging? {
    asks.hanging.first { $0.number == reading.number }
  }

  func arrive(_ index: Int, isReached: Bool = true) {
    getReading(index)
    let reading = readings.remove(at: index)
    guard let place = asks.hanging.firstIndex(where: { $0.number == reading.number }), let answer = reading.answer else { return }
    let question = asks.hanging[place].question
    lastStep = "answer to \(question.list) \(question.cursor ?? "")\(question.isForgotten.isSet ? ", forgotten" : "")"
    guard isReached else { return asks.answer(place, .failure(Unreachable())) }
    let now = tick()
    // An answer is an answer, whether or not it says that it is the same.
    if !question.isForgotten.isSet {
      for note in answer?.items ?? [] { model.learn(note, requested: reading.requested) }
      if question.list.hasPrefix("=") {
        let id = String(question.list.dropFirst())
        if let note = answer?.items.first { isBare[id] = note.body == nil } else { model.forget(id, at: now) }
      }
    }
    guard let answer else { return asks.answer(place, .failure(Refused())) }
    if question.etag == answer.etag { tally.notModified += 1 }
    asks.answer(place, .success(question.etag == answer.etag ? .notModified : .page(answer)))
  }

  // MARK: The end

  /// Reads all there is, in new pages.
  /// - Returns: what is not as the server has it.
  func readEverything() async -> [String] {
    var wrong: [String] = []
    fetchers = []
    for list in ["notes", "marked"] {
      let fetcher = fetcher(list)
      fetcher.reload()
      for _ in 0..<100 {
        await quiet()
        if !readings.isEmpty { arrive(0) } else if fetcher.state.reachedEnd { break } else { fetcher.loadMore() }
      }
      if list == "marked" { fetcher.reloadFromCache() }
      let expected = server.list(list)
      if fetcher.state.ids != expected.map(\.id) { wrong.append("\(list) shows \(fetcher.state.ids), expected \(expected.map(\.id))") }
      for note in expected where world.cache[note.id]?.bare != note.bare {
        wrong.append("\(note.id) shows \(String(describing: world.cache[note.id])), expected \(note)")
      }
    }
    for note in server.list("notes") {
      show(note.id)
      await quiet()
      while !readings.isEmpty {
        arrive(0)
        await quiet()
      }
      if !server.isLocked(note.id), world.cache[note.id] != note { wrong.append("\(note.id) is not open as the server has it") }
    }
    return wrong
  }
}
