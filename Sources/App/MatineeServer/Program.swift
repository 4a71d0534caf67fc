import AppConfig
import BuildInfo
import CurlTransport
import Foundation
import HTTPTransport
import PublicationAPI
import PublicationListener
import PublicationServer
import Runtime
import SQLiteStorage

/// `matinee-server`: the only place where a publication of its own is put together.
@main enum Program {
  /// What an operator should know while a server runs.
  private static let journal = LineWriter(STDERR_FILENO)

  static func main() async {
    // A write to a closed pipe fails instead of ending the process.
    signal(SIGPIPE, SIG_IGN)
    Config().setUpModules()
    do {
      leave(try await run(Command(arguments())))
    } catch let mistake as Command.Mistake {
      say("\(mistake.sentence) See matinee-server --help.")
      leave(2)
    } catch {
      say(sentence(error))
      leave(1)
    }
  }

  /// Ends the process at once. Everything is closed and written by now; the handlers that `exit` runs are not for a process with threads:
  /// libcrypto's frees what a thread that is just ending frees too.
  private static func leave(_ status: Int32) -> Never {
    journal.finish()
    _exit(status)
  }

  /// The command line, without the program's name. Swift would silently replace bytes that are no text.
  private static func arguments() throws(Command.Mistake) -> [String] {
    try UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)).dropFirst().map {
      argument throws(Command.Mistake) in
      guard let text = argument.flatMap({ String(validatingCString: $0) }) else {
        throw Command.Mistake(sentence: "A word of the command is not UTF-8.")
      }
      return text
    }
  }

  private static func run(_ command: Command) async throws -> Int32 {
    switch command {
    case .help: tell(Command.usage)
    case .version: tell("matinee-server \(Build.version)")
    case .initialise(let data, let answers):
      let folder = try PublicationFolder(data, isNew: true)
      try await folder.found { try content(answers) }
      tell("The publication is in \(folder.path). Next: matinee-server user add, import and serve.")
    case .serve(let data, let address, let port, let publicURL, let readersAddFeeds, let trustedProxies, let mail, let providers):
      let folder = try PublicationFolder(data)
      try await serve(
        folder, on: address, port: port, pages: publicURL.map(PublicAddress.origin) ?? .ofRequest, readersAddFeeds: readersAddFeeds,
        trustedProxies: trustedProxies, mail: mail, identityProviders: providers)
    case .operate(let data, let task): try await operate(task, data)
    case .importFeeds(let data, let json, let sources):
      return try await importFeeds(PublicationFolder(data), sources, json: json)
    case .addUser(let data, let email, let name):
      // Before the person types the password.
      try PublicationFolder.check(data)
      try Publication.validateReader(email: email, name: name)
      try await operate(.addReader(email: email, name: name, password: Password.read()), data)
    case .setPassword(let data, let email):
      try PublicationFolder.check(data)
      try await operate(.setPassword(email: email, password: Password.read()), data)
    }
    return 0
  }

  private static func operate(_ task: OperatorTask, _ data: String?) async throws {
    try await OperatorAccess.send(task.request(), data: data) { response in
      try task.report(response).forEach(tell)
    }
  }

  /// What a new publication starts with: the sample, or what its publisher says by options or on a terminal.
  private static func content(_ answers: InitAnswers?) throws -> PublicationContent {
    guard var answers else { return try SampleContent.publication(openedAt: SystemClock().now) }
    if !answers.missing.isEmpty, isatty(0) == 1 {
      let ask = { (question: String) in
        StandardError.write(question, terminator: " ")
        return readLine(strippingNewline: true)
      }
      try answers.ask(ask) { StandardError.write($0) }
    }
    return try answers.content(id: UUID().uuidString.lowercased())
  }

  private static func importFeeds(_ folder: PublicationFolder, _ sources: [String], json: Bool) async throws -> Int32 {
    let told = StopSignals.arrival()
    guard let publication = try await open(folder, until: told) else { return 1 }
    let importer = ImportCommand(publication: publication, web: try web(), json: json, output: tell) { StandardError.write($0) }
    let status = try await run(until: told) { await importer.run(sources) }
    await publication.close()
    return status
  }

  /// Opens a publication, which an upgrade may take a while for.
  /// - Returns: `nil` when a signal arrived first.
  private static func open(
    _ folder: PublicationFolder, needsKey: Bool = false, until told: Task<Void, Never>
  ) async throws -> Publication? {
    do { return try await run(until: told) { try await folder.open(needsKey: needsKey) } } catch is CancellationError {
      say("Stopped before the publication was open. An upgrade that was under way was undone.")
      return nil
    }
  }

  /// Runs `work` in a task that is cancelled when a signal comes.
  private static func run<Value: Sendable>(
    until told: Task<Void, Never>, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task { try await work() }
    Task {
      await told.value
      task.cancel()
    }
    return try await task.value
  }

  /// Where feeds are fetched; redirects are the publication's to follow.
  private static func web() throws(TransportError) -> NetworkTransport {
    try NetworkTransport(origin: nil, limits: .strangers(largest: Import.documentLimit))
  }

  private static func serve(
    _ folder: PublicationFolder, on address: String, port: Int, pages: PublicAddress, readersAddFeeds: Bool, trustedProxies: Set<String>,
    mail: MailRoute?, identityProviders: String?
  ) async throws {
    let providers = try identityProviders.map { try IdentityProviderFile(json: LocatedJSON.contents(of: $0), file: $0) }
    let told = StopSignals.arrival()
    guard let publication = try await open(folder, needsKey: true, until: told) else { return }
    await publication.offerPages(at: pages)
    await publication.fetchFeeds(from: try web(), readersMayAdd: readersAddFeeds)
    if let mail { await publication.sendMail(by: try mail.mailer(now: { SystemClock().now }), after: .milliseconds(200)) }
    if let providers {
      // A discovery document and a set of keys are a few kilobytes.
      let web = try NetworkTransport(origin: nil, limits: .strangers(largest: IdentityProvider.documentLimit))
      await publication.offerSignIn(by: providers.providers, addingReaders: providers.addingReaders, at: pages, transport: web)
    }
    var limits = Listener.Limits()
    limits.trustedProxies = trustedProxies
    limits.uploads = folder.path
    let listener = try Listener(publication, address: address, port: port, limits: limits, clock: SystemClock()) { notice in
      switch notice {
      case .unnamedProxy(let proxy):
        say(
          "Requests are forwarded by a proxy at \(proxy) that is not named, so nothing is limited for each of its clients, not even guesses "
            + "of passwords. Start with --trusted-proxy \(proxy).")
      case .noRoom(let folder): say("imports: \(folder) has no room for a document that a reader sends, so it was refused.")
      }
    }
    try await OperatorAccess.open(publication, origin: listener.origin, folder: folder.path)
    // The server continues where its standard output is not read.
    LineWriter(STDOUT_FILENO).write("Listening on \(listener.origin)")
    let resuming = await publication.startResumingCharges()
    await told.value
    resuming.cancel()
    publication.endLongWork()
    OperatorAccess.close(folder: folder.path)
    await stop(listener, resuming, publication, within: limits.grace + .seconds(2))
  }

  /// Waits for answers and charges that are under way, no longer than its limit. A charge that is open when the process ends is continued
  /// at the next start, as after a crash.
  private static func stop(
    _ listener: Listener, _ resuming: Task<Void, Never>, _ publication: Publication, within time: Duration
  ) async {
    let ending = Task {
      await listener.stop()
      await resuming.value
      await publication.close()
    }
    _ = await ending.ends { try? await SystemClock().sleep(for: time) }
  }

  /// One line on the standard output, at once: other programs read it while this one runs.
  @Sendable static func tell(_ line: String) { LineWriter.write("\(line)\n", to: STDOUT_FILENO) }

  /// Writes one line to the standard error, later and without blocking.
  static func say(_ line: String) { journal.write("matinee-server: \(line)") }

  private static func sentence(_ error: any Error) -> String {
    switch error {
    case let problem as Problem: problem.title
    case let error as CocoaError: (error.filePath.map { "\($0) cannot be used: " } ?? "") + error.systemReason + "."
    default: "\(error)"
    }
  }
}
