public import AssemblyAI

/// Asks a server of OpenAI's kind whether it takes a key, by its list of models.
public struct OpenAIKeyValidator: Sendable {
  private let transport: any HTTPTransport
  private let userAgent: String
  private let address: @Sendable () -> String?

  public init(transport: any HTTPTransport, userAgent: String, address: @escaping @Sendable () -> String?) {
    self.transport = transport
    self.userAgent = userAgent
    self.address = address
  }

  /// One request; none where no address is set, which nobody can reach.
  ///
  /// A server without that route (404, 405) checks no keys there, and most such servers check none at all: it is taken to
  /// accept the key.
  public func validate(_ key: String) async -> APIKeyValidator.Verdict {
    guard let address = address(), let url = OpenAIEndpoint(address).models else { return .unreachable }
    let request = HTTPRequest(
      method: "GET", url: url, headers: [("Authorization", "Bearer \(key)"), ("User-Agent", userAgent)],
      stallTimeout: APIKeyValidator.timeout, totalTimeout: APIKeyValidator.timeout)
    guard let response = try? await transport.send(request) else { return .unreachable }
    return switch response.status {
    case 200...299, 404, 405: .valid
    case 400, 401, 403, 422: .invalid
    default: .unreachable
    }
  }
}
