import Foundation

/// Drives one app from outside, as a person with a screen reader, a keyboard and a mouse would.
///
/// Blocks while it waits, with a deadline for everything, and keeps the main loop of the accessibility bus going meanwhile.
/// Belongs to the thread that made it.
public final class AppDriver {
  /// The program that is driven.
  public let executable: URL
  /// What stands in for the person's home folder; kept over restarts.
  public let home: URL
  /// How long anything is waited for, in seconds, where a call says nothing else. A program that is started for the first time on a busy
  /// machine may take a while to its first picture.
  public var patience: Double = 60
  /// Variables for every start, over those of this process.
  public var environment: [String: String] = [:]

  private let bus: AccessibilityBus
  private var current: AppProcess?
  private var linesOfEarlierStarts: [String] = []

  /// - Throws: `DriverError.noDesktop` without a display or an accessibility bus.
  public init(executable: URL, home: URL) throws {
    let variables = ProcessInfo.processInfo.environment
    for needed in ["DISPLAY", "DBUS_SESSION_BUS_ADDRESS"] where (variables[needed] ?? "").isEmpty {
      throw DriverError.noDesktop("\(needed) is not set")
    }
    bus = try AccessibilityBus()
    self.executable = executable
    self.home = home
    for folder in ["data", "state", "cache"] {
      try FileManager.default.createDirectory(at: home.appending(path: folder), withIntermediateDirectories: true)
    }
  }

  deinit { current?.killNow() }

  // MARK: The process

  /// The running app, or the last one that ran.
  public var process: AppProcess? { current }

  /// Gives the app a keyring that lies in a file of its home folder and outlives a restart. Without it, the app finds the session bus's
  /// keyring: in the tests none.
  public func provideKeyring() {
    environment["SECRET_BACKEND"] = "file"
    environment["SECRET_FILE_TEST_PATH"] = home.appending(path: "keyring").path
    environment["SECRET_FILE_TEST_PASSWORD"] = "for tests only"
  }

  /// Every line the app wrote since the last start.
  public var log: [String] { current?.lines ?? [] }

  /// Every line of every start.
  public var wholeLog: [String] { linesOfEarlierStarts + log }

  /// Starts the app. With an app that is still running, that one has to be ended first.
  /// - Throws: what `Process` throws for a program that cannot be started.
  public func start(_ arguments: [String] = [], environment extra: [String: String] = [:]) throws {
    linesOfEarlierStarts += log
    current = try AppProcess(executable: executable, arguments: arguments, environment: variables(adding: extra))
  }

  /// Runs a second start of the program to its end, as the desktop does for a link, and returns what it wrote.
  /// - Throws: `DriverError.timedOut` when it does not end, or `.died`; what `Process` throws for a program that cannot be started.
  public func runBeside(_ arguments: [String], environment extra: [String: String] = [:]) throws -> (status: Int32, lines: [String]) {
    let second = try AppProcess(executable: executable, arguments: arguments, environment: variables(adding: extra))
    defer { second.killNow() }
    try wait(for: "\(executable.lastPathComponent) \(arguments.joined(separator: " ")) to end") { second.isComplete ? true : nil }
    return (second.status, second.lines)
  }

  /// Starts the program beside what runs, where it cannot work: it says so in a window and on standard error, and ends with the status 1
  /// when the window is closed.
  /// - Throws: `DriverError.timedOut` or `.died` when it does not say so, `.refused` when it ends with another status; what
  ///   ``start(_:environment:)`` throws.
  public func startExpectingFailure(_ arguments: [String], _ sentence: String) throws {
    let beside = try AppDriver(executable: executable, home: home)
    defer { beside.kill() }
    try beside.start(arguments)
    try beside.waitForText("Matinee cannot start")
    try beside.waitForText(sentence)
    try beside.waitForLine(sentence)
    try beside.press("Close")
    try beside.waitForEnd()
    guard beside.process?.status == 1 else { throw DriverError.refused("it ended with \(beside.process?.status ?? -1)") }
  }

  private func variables(adding extra: [String: String]) -> [String: String] {
    var variables = ProcessInfo.processInfo.environment
    variables["HOME"] = home.path
    variables["XDG_DATA_HOME"] = home.appending(path: "data").path
    variables["XDG_STATE_HOME"] = home.appending(path: "state").path
    variables["XDG_CACHE_HOME"] = home.appending(path: "cache").path
    variables["MATINEE_LOG"] = "screens"
    return variables.merging(environment) { $1 }.merging(extra) { $1 }
  }

  /// Ends the app without warning, as a power cut would.
  public func kill() { current?.killNow() }

  /// Waits until the app has ended by itself.
  /// - Throws: `DriverError.timedOut`.
  public func waitForEnd(seconds: Double? = nil) throws {
    guard let current else { return }
    try wait(for: "the app to end", seconds: seconds, mayEnd: true) { current.isRunning ? nil : true }
  }

  // MARK: Waiting

  /// Asks again and again until `answer` is there.
  /// - Throws: `DriverError.timedOut`, with the tree that was seen, or `.died`.
  @discardableResult
  public func wait<Answer>(
    for what: String, seconds: Double? = nil, mayEnd: Bool = false, until answer: () throws -> Answer?
  ) throws -> Answer {
    let deadline = ContinuousClock.now + .seconds(seconds ?? patience)
    while true {
      if let found = try answer() { return found }
      if !mayEnd, let current, !current.isRunning { throw DriverError.died(status: current.status, log: current.lines) }
      if ContinuousClock.now > deadline { throw DriverError.timedOut(what, seen: outline()) }
      AccessibilityBus.pump()
    }
  }

  /// The screens that were visible, in order, as the window logged them at its frame ticks.
  public var screens: [String] {
    log.compactMap { $0.hasPrefix("screen ") ? String($0.dropFirst("screen ".count)) : nil }
  }

  /// What drew the window, in every start that had one, as GTK names it: `GskGLRenderer`.
  public var renderers: [String] { wholeLog.filter { $0.hasPrefix("renderer ") }.map { String($0.dropFirst("renderer ".count)) } }

  /// Waits until the screen `name` is the visible one.
  /// - Throws: `DriverError.timedOut`, with the end of the log, or `.died`.
  public func waitForScreen(_ name: String, seconds: Double? = nil) throws {
    try wait(for: "the screen \(name); the log ends with \(log.suffix(12))", seconds: seconds) { screens.last == name ? true : nil }
  }

  /// Waits for a line of the log that contains `text`.
  /// - Throws: `DriverError.timedOut` or `.died`.
  @discardableResult
  public func waitForLine(_ text: String, seconds: Double? = nil) throws -> String {
    try wait(for: "a line with \(text)", seconds: seconds) { log.first { $0.contains(text) } }
  }

  // MARK: Finding

  /// The app on the accessibility bus, or nil before it has registered.
  public var application: Element? {
    guard let current, current.isRunning else { return nil }
    return bus.application(ofProcess: current.identifier)
  }

  /// All that is there, for a report.
  public func outline() -> String { application?.outline() ?? "The app is not on the accessibility bus." }

  /// The visible elements that `matches` picks, nearest first. Does not look into lists: their rows are many, ask a list for its own.
  public func all(in place: Element? = nil, where matches: (Element) -> Bool) -> [Element] {
    (place ?? application)?.descendants(entering: { $0.isVisible && $0.role != .list }, matching: { $0.isVisible && matches($0) }) ?? []
  }

  /// The element of that role and name, as soon as it is there.
  /// - Throws: `DriverError.timedOut` or `.died`.
  public func find(_ role: Role, _ name: String, in place: Element? = nil, seconds: Double? = nil) throws -> Element {
    try wait(for: "\(role) \"\(name)\"", seconds: seconds) { first(role, name, in: place) }
  }

  /// The line to type in of that name, as soon as it is there.
  /// - Throws: `DriverError.timedOut` or `.died`.
  public func entry(_ name: String, in place: Element? = nil) throws -> Element {
    try wait(for: "the entry \"\(name)\"") { all(in: place) { [.entry, .secret].contains($0.role) && $0.name == name }.first }
  }

  /// The element of that role and name, if it is there now.
  public func first(_ role: Role, _ name: String, in place: Element? = nil) -> Element? {
    all(in: place) { $0.role == role && $0.name == name }.first
  }

  /// Whether some label, heading or name on the screen contains `text`.
  public func shows(_ text: String, in place: Element? = nil) -> Bool {
    !all(in: place) { $0.name.contains(text) || $0.content?.contains(text) == true || $0.detail.contains(text) }.isEmpty
  }

  /// Waits until `text` can be read somewhere.
  /// - Throws: `DriverError.timedOut` or `.died`.
  public func waitForText(_ text: String, in place: Element? = nil, seconds: Double? = nil) throws {
    try wait(for: "the text \"\(text)\"", seconds: seconds) { shows(text, in: place) ? true : nil }
  }

  /// Presses the button `name` as soon as it is there and enabled.
  /// - Throws: `DriverError.timedOut` or `.died`; `.refused` when it cannot be pressed any more.
  public func press(_ name: String, in place: Element? = nil, seconds: Double? = nil) throws {
    try press(in: place, seconds: seconds, "\"\(name)\"") { $0 == name }
  }

  /// Presses the first button whose name begins with `start` as soon as it is there and enabled; e.g. an offer, whose price follows.
  /// - Throws: as ``press(_:in:seconds:)``.
  public func press(startingWith start: String, in place: Element? = nil, seconds: Double? = nil) throws {
    try press(in: place, seconds: seconds, "\"\(start)…\"") { $0.hasPrefix(start) }
  }

  private func press(in place: Element?, seconds: Double?, _ what: String, matches: (String) -> Bool) throws {
    let button = try wait(for: "button \(what), enabled", seconds: seconds) {
      let found = all(in: place) { [.button, .toggle, .radio, .tab, .link].contains($0.role) && matches($0.name) && $0.isEnabled }.first
      // The whole tree was looked through meanwhile, and the page may have been drawn again: then another one is there.
      return found.flatMap { $0.isEnabled ? $0 : nil }
    }
    try button.press()
  }

  // MARK: Keys, mouse, pictures

  /// The name of the app's window: alone, or after that of what it shows.
  public static let title = "(.* — )?Matinee"

  /// The window's number on the display, once it is there.
  /// - Parameter title: a regular expression for its whole name.
  /// - Throws: `DriverError.refused` before the first start; `.timedOut` or `.died`.
  public func window(named title: String = AppDriver.title) throws -> String {
    guard let current else { throw DriverError.refused("nothing was started") }
    return try wait(for: "a window named \(title)") {
      let found = try? Programs.run(
        "xdotool", ["search", "--all", "--onlyvisible", "--pid", "\(current.identifier)", "--name", "^\(title)$"])
      return found?.split(separator: "\n").last.map(String.init)
    }
  }

  /// Changes the size of the window, in pixels, and waits until it has it.
  /// - Throws: `DriverError.program` when xdotool fails; what ``window(named:)`` throws.
  public func resize(width: Int, height: Int) throws {
    try activate()
    try Programs.run("xdotool", ["windowsize", "--sync", try window(), "\(width)", "\(height)"])
  }

  /// The size of the window in pixels, with the shadow that the toolkit draws around it.
  /// - Throws: `DriverError.program` when xdotool fails; what ``window(named:)`` throws.
  public func size() throws -> (width: Int, height: Int) {
    let told = try Programs.run("xdotool", ["getwindowgeometry", "--shell", try window()])
    func number(_ name: String) -> Int {
      told.split(separator: "\n").first { $0.hasPrefix(name + "=") }.flatMap { Int($0.dropFirst(name.count + 1)) } ?? 0
    }
    return (number("WIDTH"), number("HEIGHT"))
  }

  /// Gives the window the keyboard, as the window manager would after a click.
  /// - Throws: `DriverError.program` when xdotool fails; what ``window(named:)`` throws.
  public func activate() throws {
    let window = try window()
    try Programs.run("xdotool", ["windowactivate", "--sync", window])
  }

  /// Strikes real keys, named as xdotool names them: `Return`, `F5`, `ctrl+q`.
  /// - Throws: `DriverError.program` when xdotool fails; what ``window(named:)`` throws.
  public func key(_ names: String...) throws {
    try activate()
    try Programs.run("xdotool", ["key", "--clearmodifiers", "--delay", "15"] + names)
  }

  /// Types `text` on the real keyboard into the widget with the focus.
  /// - Throws: `DriverError.program` when xdotool fails; what ``window(named:)`` throws.
  public func type(_ text: String) throws {
    try activate()
    try Programs.run("xdotool", ["type", "--clearmodifiers", "--delay", "15", "--", text])
  }

  /// Replaces what the entry `name` holds by typing.
  /// - Throws: what ``entry(_:in:)``, ``click(_:)`` and ``key(_:)`` throw.
  public func type(_ text: String, into name: String) throws {
    let entry = try entry(name)
    try click(entry)
    try key("ctrl+a", "BackSpace")
    if !text.isEmpty { try type(text) }
  }

  // The X server keeps the order of a move and a click. Waiting for the move (--sync) takes 15 seconds when the pointer is there already.

  /// Clicks the middle of `element` with the real mouse.
  /// - Throws: `DriverError.refused` for an element without a place, `.program` when xdotool fails; what ``window(named:)`` throws.
  public func click(_ element: Element) throws {
    guard let frame = element.frame else { throw DriverError.refused("\(element) has no place") }
    try activate()
    try Programs.run(
      "xdotool",
      [
        "mousemove", "--window", try window(), "\(frame.x + frame.width / 2)", "\(frame.y + frame.height / 2)", "click", "1",
      ])
  }

  /// Real input as xdotool takes it; `%` stands for the window. Does nothing when the window is gone.
  /// - Throws: nothing: xdotool may fail because the input closed the window.
  public func input(_ arguments: [String]) throws {
    guard let process = current, process.isRunning else { return }
    let found = try? Programs.run(
      "xdotool", ["search", "--all", "--onlyvisible", "--pid", "\(process.identifier)", "--name", "^\(Self.title)$"])
    guard let window = found?.split(separator: "\n").last else { return }
    // The window may be closed by it.
    _ = try? Programs.run("xdotool", arguments.map { $0 == "%" ? String(window) : $0 })
  }

  /// What the app takes of the machine's memory, in bytes; 0 once it has ended.
  public var residentBytes: Int {
    guard let current, let text = try? String(contentsOfFile: "/proc/\(current.identifier)/statm", encoding: .utf8) else { return 0 }
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// Clicks where the mouse is.
  /// - Throws: `DriverError.program` when xdotool fails.
  public func click() throws { try Programs.run("xdotool", ["click", "1"]) }

  /// Turns the mouse wheel over `element`: positive is down.
  /// - Throws: as ``point(at:shiftedBy:)``.
  public func scroll(_ steps: Int, over element: Element) throws {
    try point(at: element)
    try turnWheel(steps)
  }

  /// Moves the mouse to the middle of `element`, or so many pixels below it.
  /// - Throws: `DriverError.refused` for an element without a place, `.program` when xdotool fails; what ``window(named:)`` throws.
  public func point(at element: Element, shiftedBy distance: Int = 0) throws {
    guard let frame = element.frame else { throw DriverError.refused("\(element) has no place") }
    try Programs.run(
      "xdotool", ["mousemove", "--window", try window(), "\(frame.x + frame.width / 2)", "\(frame.y + frame.height / 2 + distance)"])
  }

  /// Turns the mouse wheel where the mouse is: positive is down.
  /// - Throws: `DriverError.program` when xdotool fails.
  public func turnWheel(_ steps: Int) throws {
    try Programs.run("xdotool", ["click", "--repeat", "\(abs(steps))", "--delay", "20", steps > 0 ? "5" : "4"])
  }

  /// Moves the mouse into a corner, where it makes nothing glow.
  /// - Throws: `DriverError.program` when xdotool fails.
  public func parkMouse() throws { try Programs.run("xdotool", ["mousemove", "0", "0"]) }

  /// Writes a PNG of the window, or of the whole display when there is no window.
  /// - Throws: `CocoaError` when the folder cannot be made, `DriverError.program` when a program of ImageMagick fails.
  public func screenshot(to file: URL) throws {
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let window = (current?.isRunning == true) ? (try? window()) : nil
    try Programs.run("import", ["-window", window ?? "root", file.path])
    // Without a compositor GTK draws a frame of its own in the place of the window's shadow. Equal pictures are equal files: no dates.
    let cut = window == nil ? [] : ["-shave", "5x4", "+repage"]
    try Programs.run("mogrify", cut + ["-strip", "-define", "png:exclude-chunks=date,time", file.path])
  }

  /// What GTK and GLib complained about, in every start; none is acceptable.
  public var complaints: [String] {
    wholeLog.filter { $0.contains("-CRITICAL **") || $0.contains("-WARNING **") || $0.contains("-ERROR **") }
  }
}
