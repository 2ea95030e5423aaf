/// Why the service gave no transcript. Faults below HTTP stay `HTTPTransportError`s (T-87).
public enum AssemblyAIError: Error, Sendable, Hashable, CustomStringConvertible {
  /// T-84: a status outside 200–299.
  case http(ServiceFailure)
  /// T-61: a 2xx answer that is not the documented JSON object.
  case malformedResponse

  public var description: String {
    switch self {
    case .http(let failure): failure.description
    case .malformedResponse: "AssemblyAI answered with something other than a transcript"
    }
  }
}
