#if GTK
  import Foundation
  import Runtime
  import Synchronization

  /// Starts of the app as it is installed, beside the least window in C, on both renderers, with transitions. Needs a display, xdotool,
  /// ImageMagick, an unlocked keyring, and `matinee`, `matinee-ledger` and `matinee-start-baseline` beside this program.
  struct StartBenchmark {
    static let goals = (curtain: 1.2, feed: 3.0)
    /// How long the curtain may take to lift, in seconds.
    private static let lift = 0.25
    /// What the app may take of the memory more than C, in bytes: with its first page, and with 500 posts scrolled, without pictures.
    static let memory = 50.0 * 1024 * 1024
    /// The most that pictures take, in bytes: 40 MB that are kept decoded, and the renderer's copies of those on screen.
    private static let pictures = 64.0 * 1024 * 1024
    private static let posts = 600
    private static let scrolled = 500

    private let folder: URL
    private let home: URL

    init() throws {
      folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      home = FileManager.default.temporaryDirectory.appending(path: "matinee-start-\(ProcessInfo.processInfo.processIdentifier)")
      for program in ["matinee", "matinee-ledger", "matinee-start-baseline"] {
        let file = folder.appending(path: program).path
        guard FileManager.default.isExecutableFile(atPath: file) else { throw Mistake(description: "start needs \(file).") }
      }
      guard ProcessInfo.processInfo.environment["DISPLAY"] != nil else { throw Mistake(description: "start needs an X display.") }
    }

    func run(rounds: Int) async throws -> [Figure] {
      try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: home) }
      let site = try PictureSite(folder: home)
      try await signIn(site)
      var figures: [Figure] = []
      for renderer in ["gl", "cairo"] {
        var (bare, curtain, feed, lift, gap): ([Double], [Double], [Double], [Double], [Double]) = ([], [], [], [], [])
        for round in 0...rounds {
          let window = try await firstFrame(renderer)
          let start = try await warmStart(renderer)
          guard round > 0 else { continue }
          bare.append(window)
          curtain.append(start.curtain)
          feed.append(start.feed)
          lift.append(start.lift)
          gap.append(start.gap)
        }
        let figure = { (what: String, times: [Double], goal: Double) in
          Figure(name: "start, \(renderer), \(what)", ours: times.median, baseline: bare.median, against: "a bare window in C", goal: goal)
        }
        figures += [
          figure("first frame", curtain, Self.goals.curtain), figure("feed with its pictures, from warm data", feed, Self.goals.feed),
        ]
        let longest = ((gap.max() ?? 0) * 1e3).formatted(.number.precision(.fractionLength(0)))
        figures.append(
          Figure(
            name: "start, \(renderer), lift of the curtain", ours: lift.median, baseline: Self.lift, against: "what it may take", goal: 1,
            remark: "at most \(longest) ms between two frames of it"))
        figures.append(try await restingMemory(renderer))
        figures.append(try await scrolledMemory(renderer, site))
      }
      return figures
    }

    // MARK: Steps

    /// Makes warm data: a reader of the sample publication with many posts, each of which has a picture.
    private func signIn(_ site: PictureSite) async throws {
      let feed = home.appending(path: "posts.xml")
      let items = (1...Self.posts).map {
        "<item><guid>\($0)</guid><title>Post \($0)</title><pubDate>Mon, 02 Mar 2026 \(String(format: "%02d:%02d", $0 / 60, $0 % 60)):00 GMT</pubDate>"
          + "<description>A text of two or three lines, as most posts have one beside their picture, number \($0) of many.</description>"
          + "<enclosure url=\"http://127.0.0.1:\(site.port)/\($0).jpg\" type=\"image/jpeg\" length=\"150000\"/></item>"
      }
      let text = "<rss version=\"2.0\"><channel><title>Many posts</title><link>https://example.org</link>\(items.joined())</channel></rss>"
      try Data(text.utf8).write(to: feed)
      let importing = try Started(folder.appending(path: "matinee").path, ["--import", feed.path], variables("gl"))
      guard importing.waitForEnd() == .exit(0) else { throw Mistake(description: "the posts could not be imported: \(importing.lines)") }
      let app = try Started(folder.appending(path: "matinee").path, [], variables("gl"))
      defer { app.end() }
      _ = try await app.line("the login") { $0 == "screen login" }
      // The sample account's button is the third stop after the address.
      for _ in 0..<20 where app.seconds(of: { $0 == "screen feed" }) == nil {
        try xdotool(windowArguments(of: app) + ["windowfocus"])
        try xdotool(["key", "--delay", "60", "Tab", "Tab", "Tab", "Return"])
        try await Task.sleep(for: .seconds(1))
      }
      _ = try await app.line("the feed") { $0 == "screen feed" }
      // What it fetches once it is there.
      try await Task.sleep(for: .seconds(3))
    }

    private func firstFrame(_ renderer: String) async throws -> Double {
      let window = try Started(folder.appending(path: "matinee-start-baseline").path, [], variables(renderer))
      defer { window.end() }
      return try await window.line("the bare window") { $0 == "frame" }
    }

    /// When the curtain was painted, and when the feed's rows were with all of their pictures, whether or not the curtain still covers it:
    /// so nothing may wait for the lift, and its end is not counted. How long the lift took from the moment when the app knew where to go, and
    /// the longest time between two of its frames, or before the first.
    private func warmStart(_ renderer: String) async throws -> (curtain: Double, feed: Double, lift: Double, gap: Double) {
      let app = try await start(renderer)
      defer { app.end() }
      let curtain = try await app.line("the curtain") { $0 == "screen curtain" }
      let end = try await app.line("the feed") { $0 == "screen feed" }
      try await Task.sleep(for: .seconds(1.5))
      // The first frame that shows as much as the last one.
      let isFeed = { (line: String) in line.hasPrefix("frame feed") }
      guard let last = app.lines.last(where: isFeed), let feed = app.seconds(of: { $0 == last }) else {
        throw Mistake(description: "the feed was not drawn: \(app.lines)")
      }
      let frames = app.allSeconds(of: { $0 == "lifting" }) + [end]
      guard frames.count > 2 else { throw Mistake(description: "the curtain did not lift in frames: are animations off? \(app.lines)") }
      return (curtain, feed, end - frames[0], zip(frames, frames.dropFirst()).map { $1 - $0 }.max() ?? 0)
    }

    /// Starts the app, and checks what draws it: a display without GL would quietly be drawn by cairo.
    private func start(_ renderer: String) async throws -> Started {
      let app = try Started(folder.appending(path: "matinee").path, [], variables(renderer))
      do {
        _ = try await app.line("the renderer") { $0.hasPrefix("renderer ") }
        let expected = renderer == "gl" ? "renderer GskGLRenderer" : "renderer GskCairoRenderer"
        guard app.lines.contains(expected) else { throw Mistake(description: "there is no \(expected) here: \(app.lines)") }
        return app
      } catch {
        app.end()
        throw error
      }
    }

    private func restingMemory(_ renderer: String) async throws -> Figure {
      let window = try Started(folder.appending(path: "matinee-start-baseline").path, [], variables(renderer))
      defer { window.end() }
      // The app's window has to be the upper one.
      _ = try await window.line("the bare window") { $0 == "frame" }
      let app = try await start(renderer)
      defer { app.end() }
      _ = try await app.line("the feed") { $0 == "screen feed" }
      try await Task.sleep(for: .seconds(10))
      return memory("start, \(renderer), memory with the first page", app, window, limit: Self.memory, remark: nil)
    }

    private func scrolledMemory(_ renderer: String, _ site: PictureSite) async throws -> Figure {
      // Pictures come from the network, as those of posts that the reader has not seen. The newest posts have the highest numbers.
      try? FileManager.default.removeItem(at: home.appending(path: "cache"))
      site.forget()
      let window = try Started(folder.appending(path: "matinee-start-baseline").path, [], variables(renderer))
      defer { window.end() }
      // The app's window has to be the upper one.
      _ = try await window.line("the bare window") { $0 == "frame" }
      let app = try await start(renderer)
      defer { app.end() }
      _ = try await app.line("the feed") { $0 == "screen feed" }
      try xdotool(windowArguments(of: app) + ["windowfocus", "mousemove", "--window", "%1", "500", "400"])
      // A window at a time, as long as it takes to look at it: rows that are only passed ask for no picture.
      let isReached = { site.lowest.map { $0 <= Self.posts - Self.scrolled } ?? false }
      for _ in 0..<400 where !isReached() {
        try xdotool(["click", "--repeat", "8", "--delay", "12", "5"])
        try await Task.sleep(for: .milliseconds(250))
      }
      guard isReached() else {
        throw Mistake(
          description: "post \(Self.scrolled) was not reached: \(site.count) pictures were asked for, as far as \(site.lowest ?? 0).jpg")
      }
      try await Task.sleep(for: .seconds(10))
      return memory(
        "start, \(renderer), memory after \(Self.scrolled) posts", app, window, limit: Self.memory + Self.pictures,
        remark: "64 MB of it for pictures, decoded and in the renderer; \(site.count) pictures were asked for")
    }

    /// Proportional set sizes, in bytes in the place of seconds.
    private func memory(_ name: String, _ app: Started, _ window: Started, limit: Double, remark: String?) -> Figure {
      let (ours, bare) = (app.proportionalBytes, window.proportionalBytes)
      return Figure(
        name: name, ours: ours, baseline: bare, against: "a bare window in C", goal: (bare + limit) / bare, remark: remark, unit: .bytes)
    }

    private func variables(_ renderer: String) -> [String: String] {
      var variables = ProcessInfo.processInfo.environment
      variables["GSK_RENDERER"] = renderer
      variables["MATINEE_LOG"] = "screens,frames"
      for (name, place) in ["XDG_DATA_HOME": "data", "XDG_CACHE_HOME": "cache"] { variables[name] = home.appending(path: place).path }
      return variables
    }

    /// Arguments of xdotool that choose the window of the app.
    private func windowArguments(of app: Started) -> [String] {
      ["search", "--all", "--sync", "--onlyvisible", "--pid", "\(app.process.identifier)", "--name", "Matinee$"]
    }

    private func xdotool(_ arguments: [String]) throws {
      let silence = open("/dev/null", O_WRONLY)
      defer { close(silence) }
      guard try ChildProcess("/usr/bin/env", ["xdotool"] + arguments, output: silence).wait() == .exit(0) else {
        throw Mistake(description: "xdotool \(arguments.joined(separator: " ")) failed; is it installed?")
      }
    }
  }

  /// A program, and its lines with the time since its start.
  private final class Started: Sendable {
    let process: ChildProcess
    private let start = ContinuousClock.now
    private let output: LineReader

    init(_ program: String, _ arguments: [String], _ variables: [String: String]) throws {
      let pipe = Pipe()
      output = LineReader(pipe)
      let descriptor = pipe.fileHandleForWriting.fileDescriptor
      process = try ChildProcess(program, arguments, environment: variables, output: descriptor, errors: descriptor)
      try pipe.fileHandleForWriting.close()
    }

    var lines: [String] { output.lines.map(\.text) }

    func seconds(of matches: (String) -> Bool) -> Double? {
      output.lines.first { matches($0.text) }.map { ($0.time - start) / .seconds(1) }
    }

    /// The same for each of them.
    func allSeconds(of matches: (String) -> Bool) -> [Double] {
      output.lines.filter { matches($0.text) }.map { ($0.time - start) / .seconds(1) }
    }

    /// When a line arrived, in seconds since the start.
    func line(_ what: String, _ matches: (String) -> Bool) async throws -> Double {
      for _ in 0..<60_000 {
        if let seconds = seconds(of: matches) { return seconds }
        if process.hasEnded { break }
        try await Task.sleep(for: .milliseconds(1))
      }
      throw Mistake(description: "\(what) did not come: \(lines)")
    }

    func waitForEnd() -> ChildProcess.Ending { process.wait() }

    func end() {
      kill(process.identifier, SIGTERM)
      _ = process.wait()
    }

    /// Memory, with what is shared divided among those that share it.
    var proportionalBytes: Double {
      let text = (try? String(contentsOfFile: "/proc/\(process.identifier)/smaps_rollup", encoding: .utf8)) ?? ""
      let line = text.split(separator: "\n").first { $0.hasPrefix("Pss:") }
      return (line?.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? .nan) * 1024
    }
  }

  /// Lines with the time at which each arrived.
  private final class LineReader: Sendable {
    private struct State {
      var lines: [(text: String, time: ContinuousClock.Instant)] = []
      var partial = Data()
    }
    private let state = Mutex(State())
    /// Held, since an object that is released ends the reading.
    private let pipe: Pipe

    init(_ pipe: Pipe) {
      self.pipe = pipe
      pipe.fileHandleForReading.readabilityHandler = { [weak self] handle in
        let data = handle.availableData
        if data.isEmpty { handle.readabilityHandler = nil } else { self?.take(data, at: .now) }
      }
    }

    var lines: [(text: String, time: ContinuousClock.Instant)] { state.withLock { $0.lines } }

    private func take(_ data: Data, at time: ContinuousClock.Instant) {
      state.withLock { state in
        state.partial += data
        while let end = state.partial.firstIndex(of: UInt8(ascii: "\n")) {
          state.lines.append((String(decoding: state.partial[..<end], as: UTF8.self), time))
          state.partial = Data(state.partial[(end + 1)...])
        }
      }
    }
  }
#endif
