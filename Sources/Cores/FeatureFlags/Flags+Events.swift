import Foundation

extension Flags {
  /// How many events go out at a time.
  static let batch = 50

  /// Counts something for the signed-in user, in the buckets of this run.
  public func count(_ name: FlagEvent.Name, code: String? = nil) {
    guard let run, !run.buckets.isEmpty else { return }
    let event = FlagEvent(id: environment.identifiers.next(), name: name, code: code, buckets: run.buckets)
    write { try await $0.add(event, of: run.user) }
    send()
  }

  /// Counts something that may have begun in an earlier run, once, in the buckets of that one: not in those that the flags have by now.
  /// - Parameters:
  ///   - name: what happened.
  ///   - code: which of its kind.
  ///   - id: its identifier, by which it is counted once however often this is called.
  ///   - user: whose it is, who need not be in.
  ///   - begun: when it began, by the wall clock.
  public func count(_ name: FlagEvent.Name, code: String? = nil, id: UUID, of user: String, begun: Date) {
    write { try await $0.add(id, name, code, of: user, begun: begun) }
    send()
  }

  /// Returns when everything that was counted is on the disk.
  public func written() async { await writing?.value }

  /// Sends the stored events, in order. What cannot be sent now stays stored until the next event or the next start.
  public func send() {
    hasToSend = true
    guard sending == nil else { return }
    sending = Task {
      await opening?.value
      while hasToSend, let run, let store {
        hasToSend = false
        await written()
        await drain(store, run.user)
      }
      sending = nil
    }
  }

  private func drain(_ store: FlagStore, _ user: String) async {
    do {
      while run?.user == user {
        let events = try await environment.effects.run("flags.stored") { try await store.events(of: user, limit: Self.batch) }
        guard !events.isEmpty else { return }
        do {
          try await environment.effects.run("flags.send") { [sink] in try await sink.send(events, of: user) }
        } catch FlagError.refused(let sentence) {
          // Sending them again would change nothing, and would delay later events.
          onProblem?("What was counted is not taken. \(sentence)")
        } catch {
          return
        }
        try await environment.effects.run("flags.sent") { try await store.remove(events) }
      }
    } catch {
      onProblem?("What was counted cannot be read. \(error)")
    }
  }

  /// Writes after all that was to be written before.
  func write(_ work: @escaping @Sendable (FlagStore) async throws -> Void) {
    writing = Task { [writing] in
      await writing?.value
      await opening?.value
      guard let store else { return }
      do { try await environment.effects.run("flags.write") { try await work(store) } } catch {
        onProblem?("What was counted cannot be kept. \(error)")
      }
    }
  }
}
