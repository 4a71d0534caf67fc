import CurlTransport
import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import Runtime
import SQLiteStorage

/// How a command reaches the server that runs: where it listens, and the token of this run. Readable by the owner of the folder alone.
struct OperatorAccess: Codable {
  var origin: String
  var token: String

  /// Why the server that has the folder does not take a command.
  enum Failure: Error, Equatable, CustomStringConvertible {
    /// No file says how to reach the server that uses the folder.
    case noAccess(folder: String)
    /// There is no answer at the address in the file.
    case unanswered(origin: String, file: String, reason: String)
    /// The answer there is not a publication's, or one to whom the token is unknown.
    case strange(origin: String, file: String)

    var description: String {
      switch self {
      case .noAccess(let folder):
        "\(folder) is in use by another running program, and \(file(folder)) does not say how to reach it: it takes no commands, as an "
          + "import does, or is just starting or stopping. Try again in a moment."
      case .unanswered(let origin, let file, let reason):
        "The server at \(origin), which \(file) names, does not answer: \(reason)."
      case .strange(let origin, let file):
        "\(origin) does not answer as the server that wrote \(file). Start the server again: it writes a new one."
      }
    }
  }

  private static func file(_ folder: String) -> String { folder + "/operator.json" }

  /// Lets commands in from now on.
  /// - Throws: `CocoaError`.
  static func open(_ publication: Publication, origin: String, folder: String) async throws {
    let token = try await publication.newOperatorToken()
    try PrivateFile.write(Wire.encode(OperatorAccess(origin: origin, token: token)), to: file(folder))
  }

  /// Removes the file, and nothing else that may have its name.
  static func close(folder: String) { unlink(file(folder)) }

  /// Sends a request to the server that uses the folder; without one, this process answers it.
  /// - Parameter answered: called with each answer; a list in pages has several.
  /// - Throws: `Problem` for an answer that is no success; ``Failure``; errors of opening the publication, and of `answered`.
  static func send(_ request: Request, data: String?, answered: (Response) throws -> Void) async throws {
    do {
      let publication = try await PublicationFolder(data).open()
      let token = try await publication.newOperatorToken()
      do { try await all(request, token, answered) { await publication.handle($0) } } catch {
        await publication.close()
        throw error
      }
      await publication.close()
    } catch DataFolder.Failure.inUse(let folder) {
      try await sendToServer(request, folder, answered)
    }
  }

  private static func sendToServer(_ request: Request, _ folder: String, _ answered: (Response) throws -> Void) async throws {
    let file = file(folder)
    guard let text = FileManager.default.contents(atPath: file), let access = try? Wire.decode(OperatorAccess.self, from: text) else {
      throw Failure.noAccess(folder: folder)
    }
    do {
      // The token is for the server alone, also where it does not listen on this machine only.
      let server = try NetworkTransport(origin: access.origin, usesProxy: false)
      try await all(request, access.token, answered) { try await server.send($0) }
    } catch let error as TransportError {
      throw Failure.unanswered(origin: access.origin, file: file, reason: error.description)
    } catch let problem as Problem where problem == .nothing(at: request.path) {
      throw Failure.strange(origin: access.origin, file: file)
    } catch is DecodingError {
      throw Failure.strange(origin: access.origin, file: file)
    }
  }

  /// Fetches every page.
  private static func all(
    _ request: Request, _ token: String, _ answered: (Response) throws -> Void, by send: (Request) async throws -> Response
  ) async throws {
    var next: Request? = request
    while var request = next {
      request.headers["Authorization"] = "Bearer \(token)"
      let response = try await send(request)
      guard (200..<300).contains(response.status) else { throw try Wire.decode(Problem.self, from: response.body) }
      try answered(response)
      next = response.headers.nextLink.map { Request(.get, $0) }
    }
  }
}
