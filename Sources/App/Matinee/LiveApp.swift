import AppAssembly
import AppConfig
import AppCore
import BuildInfo
import FeatureKit
import Foundation
import Gtk
import HTTPTransport
import MenuFeature
import PublicationClient
import Runtime
import SQLiteStorage
import Screens
import TesterFeature

/// The app with a window.
@MainActor final class LiveApp {
  private let options: LaunchOptions
  private var application: Application?
  private var window: MainWindow?
  private var coordinator: AppCoordinator?
  private var tester: TesterWindow?
  private var startFailure: StartFailureWindow?
  private var network: NetworkMonitor?
  private var doorbells: [Doorbell] = []
  private var temporaryFolder: String?
  /// Locked for as long as this process may write to it.
  private var folder: DataFolder?
  private var status: Int32 = 0
  private var frames = 0
  private var awaitsRest = false
  private var hasStarted = false
  private var isQuitting = false
  /// What this app was to open after its window was closed; `nil` for no start.
  private var openedWhileQuitting: [String]?

  nonisolated init(_ options: LaunchOptions) { self.options = options }

  /// Runs until the window is closed.
  /// - Returns: the exit status.
  func run() -> Int32 {
    let uri: String? = if case .open(let uri) = options.task { uri } else { nil }
    let instance: Application.Instance = options.asService ? .service : options.isOwnInstance ? .own : .unique
    do {
      let application = try Application(id: Config().identity, instance: instance)
      self.application = application
      application.onStartup = { [weak self] in
        self?.hasStarted = true
        Theme.install()
      }
      application.onActivate = { [weak self] in self?.activate() }
      application.onOpen = { [weak self] uris in for uri in uris { self?.open(uri) } }
      application.onTerminate = { [weak self] in self?.quit() }
      application.addAction("quit", accelerators: Shortcut.quit.keys) { [weak self] in self?.quitTapped() }
      let ended = try application.run(opening: uri.map { [$0] } ?? [])
      // Only the one that is handed to starts up.
      if !hasStarted { handedOver() }
      if let temporaryFolder { try? FileManager.default.removeItem(atPath: temporaryFolder) }
      if let openedWhileQuitting { restart(opening: openedWhileQuitting) }
      return status != 0 ? status : ended
    } catch {
      switch error {
      case .noDisplay: fail("There is no display to show a window on. Use meson-helpers/run, or start it in a desktop session.")
      case .invalidID(let id): fail("“\(id)” is no application id.")
      }
    }
  }

  /// The desktop handed a start to this process when its window was gone already.
  private func openAfterQuitting(_ uris: [String]) {
    // One that has never had a window has handed its own start on.
    if coordinator != nil { openedWhileQuitting = (openedWhileQuitting ?? []) + uris }
  }

  /// Another process takes the place of this one. Returns only if it cannot.
  private func restart(opening uris: [String]) {
    let arguments = (CommandLine.arguments.prefix(1) + uris).map { strdup($0) } + [nil]
    execv("/proc/self/exe", arguments)
  }

  private func handedOver() {
    if let lost = options.lostByHandingOver { StandardError.write("matinee: \(lost)") }
  }

  private func activate() {
    guard !isQuitting else { return openAfterQuitting([]) }
    if let startFailure { return startFailure.present() }
    if let window { return window.window.present() }
    start(opening: nil)
  }

  private func open(_ uri: String) {
    guard !isQuitting else { return openAfterQuitting([uri]) }
    guard !handOver(uri) else { return }
    if let startFailure { return startFailure.present() }
    guard let coordinator, let window else { return start(opening: uri) }
    window.window.present()
    coordinator.open(uri: uri)
  }

  private func start(opening uri: String?) {
    let picture: (file: String, uri: String?)? = if case .screenshot(let file, let uri) = options.task { (file, uri) } else { nil }
    if picture != nil { temporaryFolder = NSTemporaryDirectory() + "matinee-\(UUID().uuidString)" }
    let wiring: Wiring
    do {
      wiring = try wired(persistsSession: picture == nil, orHandingOver: uri)
    } catch {
      if isQuitting { return }
      // What is wrong with an option, or a file that one names, is for the terminal that it was typed at, or the script.
      return explain("\(error)", inWindow: picture == nil && error is DataFolder.Failure)
    }
    folder = wiring.folder
    doorbells = options.instanceNames.compactMap { name in
      Doorbell(Self.busName(name)) { [weak self] uris in
        if uris.isEmpty { self?.activate() }
        for uri in uris { self?.open(uri) }
      }
    }
    let (effects, clock) = (Effects(), SystemClock())
    let formatting = Formatting(clock: clock, locale: .current, timeZone: .current)
    var environment = AppEnvironment(
      origin: wiring.origin, clock: clock, identifiers: RandomIdentifiers(), effects: effects, formatting: formatting,
      version: Build.version,
      report: { StandardError.write("matinee: \($0)") },
      openWeb: { [weak self] in self?.openWeb($0) }, copy: { [weak self] in self?.window?.window.copyToClipboard($0) })
    environment.device = ProcessInfo.processInfo.hostName
    environment.quit = { [weak self] in self?.quit() }
    environment.composeMail = { [weak self] in self?.composeMail($0, $1) }
    environment.openFolder = { [weak self] in self?.openFolder($0) }
    environment.offerText = { [weak self] in self?.window?.show(message: $0, offeringText: $1, answered: $2) }
    environment.about = { [folder = wiring.folder.path] in
      // A name that is reserved for examples (RFC 2606) means that there is no page yet.
      let homepage = Config().homepage.hasSuffix(".example") ? nil : Config().homepage
      return AboutViewModel.State(version: Build.version, libraries: libraries(), dataFolder: folder, homepage: homepage)
    }
    let preferences = Preferences(
      savedIn: picture == nil ? wiring.folder.path : nil, startAppearance: options.appearance == .system ? nil : options.appearance)
    environment.preferences = preferences
    environment.pictureCache = DiskUse(wiring.pictures)
    environment.hasTesterPanel = Config().hasTesterPanel
    // Drawing one picture must leave nothing behind on the desktop.
    if picture == nil, let application { environment.notifier = DesktopNotifier(application) }
    let curtain = CurtainViewModel(effects: effects, clock: clock)
    let pictures = Pictures(client: APIClient(transport: wiring.pictures, token: { nil }), effects: effects, clock: clock)
    let window = MainWindow(application, curtain: curtain, pictures: pictures, preferences: preferences)
    if picture == nil { WindowSize(savedIn: wiring.folder.path)?.apply(to: window.window) }
    let assembly = Assembly(
      environment, transport: wiring.transport, identities: wiring.identities, tokenStore: wiring.tokenStore,
      dataFolder: wiring.folder.path, testStore: wiring.testStore)
    let coordinator = assembly.coordinator(curtain: curtain, presenter: window)
    coordinator.upkeep.onReached = { [weak pictures] in pictures?.retryUnreachable() }
    window.perform = { [weak coordinator] in coordinator?.perform($0) }
    window.observe(coordinator.upkeep.waiting)
    window.onActiveChanged = { [weak coordinator] in coordinator?.upkeep.isWindowVisible = $0 }
    if LoggedTransport.logs("screens") {
      window.onFrameShows = { StandardError.write("screen \($0)") }
    }
    let logsFrames = LoggedTransport.logs("frames")
    let lifting = "lifting"
    var lifts = false
    window.onLift = {
      lifts = true
      if logsFrames { StandardError.write(lifting) }
    }
    var last = ""
    window.onFrame = { [weak self] page in
      self?.painted()
      guard logsFrames else { return }
      if lifts, self?.window?.shownName == "curtain" { StandardError.write(lifting) }
      // Logged only when there is more to see.
      let line = "frame \(page) with \(pictures.count) pictures, \(pictures.inFlight) on their way"
      guard line != last else { return }
      last = line
      StandardError.write(line)
    }
    self.window = window
    self.coordinator = coordinator
    if Config().hasTesterPanel {
      let panel = TesterViewModel(
        store: wiring.testStore, answers: wiring.stubAnswers, effects: effects, formatting: assembly.environment.storeFormatting,
        events: assembly.events.log()
      ) { [weak coordinator] in coordinator?.upkeep.checkForNewPosts() }
      application?.addAction("tester-panel", accelerators: Shortcut.testerPanel.keys) { [weak self] in self?.showTester(panel) }
    }
    coordinator.start(opening: picture?.uri ?? uri) { [weak self, weak coordinator] in
      await window.firstFrame()
      // Before the first picture is loaded; no code awaits it.
      Task { await environment.pictureCache?.setLimit(preferences.values.pictureLimit << 20) }
      self?.network = NetworkMonitor { coordinator?.upkeep.networkIsBack() }
    }
    coordinator.upkeep.startUpdatingTimes()
    window.show()
    if LoggedTransport.logs("screens") {
      StandardError.write("renderer \(window.window.rendererName ?? "none")")
    }
    if let picture {
      Task {
        await finish(
          Screenshot(window: window, effects: effects, clock: clock).take(into: picture.file, signsIn: picture.uri != nil))
      }
    }
  }

  /// What the app is made of. Where another start uses the folder, that one gets the link, and this one quits; one that is quitting has
  /// no window any more and takes nothing, and is waited for.
  private func wired(persistsSession: Bool, orHandingOver uri: String?) throws -> Wiring {
    let end = MainLoop.uptime + Self.patience
    while true {
      do { return try Wiring(options, folder: temporaryFolder, persistsSession: persistsSession) } catch {
        guard case DataFolder.Failure.inUse = error else { throw error }
        // A start like this one can do what this one was to do.
        if let own = options.instanceNames.first, ring(own, opening: uri.map { [$0] } ?? []) {
          isQuitting = true
          handedOver()
          application?.quit()
          throw error
        }
        guard MainLoop.uptime < end else { throw error }
        usleep(100_000)
      }
    }
  }

  /// For how many seconds an app that is quitting is waited for: longer than ``AppCoordinator/patience``.
  private static let patience = 6.0

  /// A start, and a long way down a list, need more memory than what comes after them: it is given back when nothing was painted for a
  /// while.
  private func painted() {
    frames += 1
    guard !awaitsRest else { return }
    awaitsRest = true
    awaitRest(since: frames)
  }

  private func awaitRest(since frame: Int) {
    MainLoop.after(seconds: 2) { [weak self] in
      guard let self else { return }
      guard frame == frames else { return awaitRest(since: frames) }
      awaitsRest = false
      Toolkit.trimMemory()
    }
  }

  private static func busName(_ instance: String) -> String { "\(Config().identity).\(instance)" }

  private func ring(_ instance: String, opening uris: [String]) -> Bool { Doorbell.ring(Self.busName(instance), opening: uris) }

  /// Hands a link of another publication to the app that shows it, such as the way back from a checkout page: the desktop does not know
  /// which of two apps a link is for.
  /// - Returns: whether there is one; without, the link is explained here.
  private func handOver(_ uri: String) -> Bool {
    guard let named = try? DeepLink(uri).publication, named != options.publication else { return false }
    guard ring(LaunchOptions.instanceName(showing: named), opening: [uri]) else { return false }
    if window == nil { application?.quit() }
    return true
  }

  private func showTester(_ panel: TesterViewModel) {
    guard !isQuitting else { return }
    let window = tester ?? TesterWindow(application, panel)
    tester = window
    window.toggle()
  }

  private func openWeb(_ url: String) {
    let window = window
    // Longer ones say no more, and fill a small window.
    let shown = url.count > 60 ? url.prefix(60) + "…" : url
    let opened = Toolkit.open(url, over: window?.window) {
      window?.show(message: "This desktop has no browser to open \(shown) with.", offering: url)
    }
    if !opened { window?.show(message: "This link cannot be opened: \(shown)", offering: url) }
  }

  private func composeMail(_ subject: String, _ text: String) {
    let window = window
    application?.composeMail(subject: subject, text: text, over: window?.window) {
      window?.show(message: "This desktop has no mail program.", offering: text)
    }
  }

  private func openFolder(_ path: String) {
    let window = window
    Toolkit.open(folder: path, over: window?.window) {
      window?.show(message: "This desktop has no program to open \(path) with.", offering: path)
    }
  }

  /// Says why the app cannot start: on standard error, and in a window where no terminal shows that.
  private func explain(_ sentence: String, inWindow: Bool) {
    guard inWindow, isatty(STDERR_FILENO) == 0 else { fail(sentence) }
    StandardError.write("matinee: \(sentence)")
    status = 1
    let failure = StartFailureWindow(application, sentence) { [weak self] in self?.application?.quit() }
    startFailure = failure
    failure.present()
  }

  private func finish(_ failure: String?) {
    if let failure {
      StandardError.write("matinee: \(failure)")
      status = 1
    }
    quit()
  }

  private func saveWindowSize() {
    guard temporaryFolder == nil, let window, let folder else { return }
    do {
      try WindowSize(of: window.window).save(in: folder.path)
    } catch {
      StandardError.write("matinee: the window's size cannot be saved: \(error.systemReason)")
    }
  }

  /// The person may be asked first. A signal that ends the process asks nothing: there may be no person to answer.
  private func quitTapped() { if let coordinator { coordinator.perform(.quit) } else { quit() } }

  /// Waits for accepted writes, out of sight.
  private func quit() {
    guard !isQuitting else { return }
    isQuitting = true
    doorbells = []
    guard let coordinator, let application else {
      application?.quit()
      return
    }
    saveWindowSize()
    window?.window.isVisible = false
    tester?.close()
    tester = nil
    Task {
      await coordinator.finish()
      application.quit()
    }
  }
}

extension DiskUse {
  fileprivate init(_ pictures: CachingTransport) {
    self.init(
      size: { await pictures.size() }, setLimit: { await pictures.setLimit($0) }, clear: { await pictures.clear() })
  }
}
