import Foundation
import HTTPTransport
import PublicationAPI

/// Why a call to a publication gave no answer that can be used.
public enum ClientError: LocalizedError, Sendable {
  /// There is no answer: unreachable, timed out or cut short. It is not known what the server did.
  case offline(TransportError)
  /// The transport would not send the request or take the answer: insecure, too large, unsupported.
  case unacceptable(TransportError)
  /// The publication refused, with the pause that it requested, if any.
  case problem(Problem, retryAfter: Duration?)
  /// The answer is not what this version understands: what was requested, and the decoder's error.
  case undecodable(what: String, underlying: any Error)
  /// The task was cancelled.
  case cancelled

  /// From what a transport threw.
  init(transport error: any Error) {
    switch error {
    case let error as TransportError:
      switch error {
      case .unreachable, .timedOut, .cutShort: self = .offline(error)
      case .insecure, .tooLarge, .unreadable, .unsupported: self = .unacceptable(error)
      }
    case is CancellationError: self = .cancelled
    default: self = .offline(.unreachable(String(describing: error)))
    }
  }

  /// A sentence for the reader: what happened, and what to do.
  public var sentence: String {
    switch self {
    case .offline(let error), .unacceptable(let error): error.sentence(about: "The publication")
    case .problem(let problem, _): problem.title
    case .undecodable: "The publication answered in a way this version does not understand. An update may help."
    case .cancelled: "Cancelled."
    }
  }

  /// The same for a reader who is not signed in, and may have the wrong address.
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
  /// Whether the publication itself answered.
  public var isPublications: Bool { if case .problem(let problem, _) = self { problem.isPublications } else { false } }
  /// The publication's code, when it said no.
  public var code: Problem.Code? { if case .problem(let problem, _) = self { problem.code } else { nil } }
  /// A stable code for programs, logs and counts: the publication's own when it refused.
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
  /// Whether the requested thing does not exist, or no longer.
  public var isNotFound: Bool { disposition == .notFound }
}

extension ClientError {
  /// How to handle an error. Charges are handled by `SubmissionOutcome` instead, since money may have moved.
  public enum Disposition: Equatable, Sendable {
    /// The same request may succeed later, and not before a pause that the server requested.
    case retryLater(Cause, after: Duration?)
    /// The session has ended: it may succeed with a new one.
    case sessionEnded
    /// The requested thing does not exist, or no longer.
    case notFound
    /// The publication said no, and will again.
    case refused
    /// The caller does not wait for an answer any more.
    case cancelled

    /// Why there was no answer that counts.
    public enum Cause: Equatable, Sendable {
      /// There was no answer.
      case unreachable
      /// Not now: too early, too slow, too often; or a proxy or a network requires something first.
      case busy
      /// A gateway's errors, maintenance, a network's own page.
      case down
      /// The publication failed at this request, or its answer is invalid: it may do so each time.
      case broken
      /// Another server on the way answered, or the answer was blocked.
      case intercepted
    }
  }

  /// What the app does about the error.
  public var disposition: Disposition {
    switch self {
    case .offline: return .retryLater(.unreachable, after: nil)
    case .unacceptable(.insecure): return .retryLater(.busy, after: nil)
    case .unacceptable: return .retryLater(.intercepted, after: nil)
    case .undecodable: return .retryLater(.broken, after: nil)
    case .cancelled: return .cancelled
    case .problem(let problem, let retryAfter):
      switch problem.status {
      case 401: return .sessionEnded
      case 407, 408, 425, 429: return .retryLater(.busy, after: retryAfter)
      // The publication redirects no request: a network does, to its own page.
      case 300..<400, 502, 503, 504, 511: return .retryLater(.down, after: retryAfter)
      case 500...: return .retryLater(.broken, after: retryAfter)
      default:
        guard problem.isPublications else { return .retryLater(.intercepted, after: retryAfter) }
        return problem.code == .notFound ? .notFound : .refused
      }
    }
  }
}

extension Problem {
  /// Whether it is the publication's own answer, rather than that of a proxy or a network on the way.
  public var isPublications: Bool { !code.rawValue.hasPrefix("http_") }

  /// The problem in an unsuccessful answer. One that is no problem document, such as a proxy's page, still has its status.
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
