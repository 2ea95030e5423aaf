/// Asks the service whether it knows a key (T-09, T-97…T-100).
public struct APIKeyValidator: Sendable {
  public enum Verdict: Sendable, Hashable {
    case valid
    case invalid
    /// The service was not reached, or did not say: the key was not checked.
    case unreachable
  }

  /// T-09: not on the dictation host.
  public static let url = "https://api.assemblyai.com" + path
  /// What is asked of that host: the newest transcript, of which only the status of the answer matters.
  public static let path = "/v2/transcript?limit=1"
  /// How long the check may take in all; a person waits for it.
  public static let timeout: Duration = .seconds(10)

  private let transport: any HTTPTransport
  private let userAgent: String
  private let url: String

  /// `url` is for tests.
  public init(transport: any HTTPTransport, userAgent: String, url: String = APIKeyValidator.url) {
    self.transport = transport
    self.userAgent = userAgent
    self.url = url
  }

  /// One request; none for a blank key (T-97).
  public func validate(_ key: String) async -> Verdict {
    let key = key.trimmedOfWhitespace()
    guard !key.isEmpty else { return .invalid }
    let request = HTTPRequest(
      method: "GET", url: url, headers: [("Authorization", key), ("User-Agent", userAgent)],
      stallTimeout: Self.timeout, totalTimeout: Self.timeout)
    guard let response = try? await transport.send(request) else { return .unreachable }
    return switch response.status {
    case 200...299: .valid
    case 400, 401, 403, 422: .invalid
    default: .unreachable
    }
  }
}
