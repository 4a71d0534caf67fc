import HTTPTransport
import PublicationAPI

extension Request {
  /// The request with tokens that no publication knows: what it is answered is what a reader reads whose session has ended.
  public func ofEndedSession() throws -> Request {
    var request = self
    request.headers["Authorization"] = "Bearer gone"
    if request.path == "/v1/session/refresh" { request.body = try Wire.encode(RefreshRequest(refreshToken: "gone")) }
    return request
  }
}
