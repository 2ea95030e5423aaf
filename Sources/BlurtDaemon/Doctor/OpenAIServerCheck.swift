package import AssemblyAI
internal import BlurtEngine

/// Asks a server of OpenAI's kind whether it lives. Sends no sound.
package enum OpenAIServerCheck {
  /// What it said.
  package enum Answer: Sendable, Hashable {
    case alive
    /// It is loading its model, or says that it is out of order.
    case notReady(Int)
    /// It answers, and has neither route: many have none.
    case unknown
    /// It was not reached; the sentence says why.
    case unreachable(String)
  }

  /// How long each of the two questions may take.
  package static let limit: Duration = .seconds(3)

  /// First its health, then its list of models. A server that knows neither is no broken one.
  package static func look(at address: String, transport: any HTTPTransport, userAgent: String) async -> Answer {
    let endpoint = OpenAIEndpoint(address)
    for url in [endpoint.health, endpoint.models].compactMap({ $0 }) {
      do {
        let response = try await transport.send(
          HTTPRequest(
            method: "GET", url: url, headers: [("User-Agent", userAgent)], stallTimeout: limit, totalTimeout: limit))
        switch response.status {
        case 200...299: return .alive
        // It lives, and wants a key for this.
        case 401, 403: return .alive
        case 500...599: return .notReady(response.status)
        default: continue
        }
      } catch let error as HTTPTransportError {
        return .unreachable(error.message)
      } catch {
        return .unreachable("The question was given up.")
      }
    }
    return .unknown
  }
}
