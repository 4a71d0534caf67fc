import Foundation
import HTTPTransport
import PublicationAPI

/// Why a call to a publication gave no answer that can be used.
public enum ClientError: LocalizedError, Sendable {
  /// There is no answer: unreachable, timed out or cut short. Nothing is known of what the server did.
  case offline(TransportError)
  /// The transport would not send the request or take the answer: insecure, too large, unsupported.
  case unacceptable(TransportError)
  /// The publication said no, and how long to wait before asking again when it said so.
  case problem(Problem, retryAfter: Duration?)
  /// The answer is not what this version understands: what was asked, and the decoder's error.
  case undecodable(what: String, underlying: any Error)
  /// The task was cancelled.
  case cancelled

  /// From what a transport threw.
  init(transport error: any Error) {
    switch error {
    case let error as TransportError:
      switch error {
      case .unreachable, .timedOut, .cutShort: self = .offline(error)
      case .insecure, .tooLarge, .unsupported: self = .unacceptable(error)
      }
    case is CancellationError: self = .cancelled
    default: self = .offline(.unreachable(String(describing: error)))
    }
  }

  /// What to tell the reader: what happened, and what to do.
  public var sentence: String {
    switch self {
    case .offline(let error), .unacceptable(let error): error.sentence(about: "The publication")
    case .problem(let problem, _): problem.title
    case .undecodable: "The publication answered in a way this version does not understand. An update may help."
    case .cancelled: "Cancelled."
    }
  }

  /// The same for somebody who has yet to get in, and may have come to the wrong place.
  /// - Parameter address: where the publication is; `nil` when there is no choice.
  public func sentence(at address: String?) -> String {
    guard let address else { return sentence }
    switch self {
    case .offline(let error), .unacceptable(let error): return error.sentence(about: "The publication at \(address)")
    case .problem(let problem, _) where !problem.isPublications && [400, 403, 404, 405, 410].contains(problem.status):
      return "There is no publication at \(address): what answers there says \(problem.status). \(Self.checkAddress)"
    case .undecodable:
      return "What answers at \(address) is no publication that this version understands. \(Self.checkAddress)"
    case .problem, .cancelled: return sentence
    }
  }

  private static let checkAddress = "Check the address that this app was started with."

  /// The same as ``sentence``.
  public var errorDescription: String? { sentence }
  /// The publication's code, when it said no.
  public var code: Problem.Code? { if case .problem(let problem, _) = self { problem.code } else { nil } }
  /// A stable word for what happened, for programs, logs and counts: the publication's own code when it said no.
  public var failureCode: String {
    switch self {
    case .offline(.timedOut): "timed_out"
    case .offline(.cutShort): "cut_short"
    case .offline: "unreachable"
    case .unacceptable(.insecure): "insecure"
    case .unacceptable(.tooLarge): "too_large"
    case .unacceptable: "unsupported"
    case .problem(let problem, _): problem.code.rawValue
    case .undecodable: "undecodable"
    case .cancelled: "cancelled"
    }
  }
  /// Whether there was no connection, rather than a wrong answer.
  public var isOffline: Bool { if case .offline = self { true } else { false } }
  /// Whether the thing asked for does not exist, or no longer.
  public var isNotFound: Bool { code == .notFound }
}

extension Problem {
  /// Whether the publication itself says so, rather than somebody on the way, such as a proxy.
  var isPublications: Bool { !code.rawValue.hasPrefix("http_") }

  /// What an answer without success says. One that is no problem document, such as a proxy's page, still has its status.
  init(answer: Response) {
    if let problem = try? Wire.decode(Problem.self, from: answer.body) {
      self = problem
      status = answer.status
    } else {
      self.init(code: Code(rawValue: "http_\(answer.status)"), title: Self.title(answer.status), status: answer.status)
    }
  }

  private static func title(_ status: Int) -> String {
    switch status {
    case 429: "The publication was asked too often. Wait a minute and try again."
    case 500...: "The publication cannot answer right now. Try again in a moment."
    case 300..<400, 407, 511: "Something between this computer and the publication answers in its place. Sign in to the network first."
    default: "The publication did not accept what was asked. Try again, or look for a newer version of this app."
    }
  }
}
