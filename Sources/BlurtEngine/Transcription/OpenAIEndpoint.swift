/// The addresses of a server with the transcription route of OpenAI.
///
/// People write the base with `/v1`, without it, or the whole route; it is neither doubled nor lost.
public struct OpenAIEndpoint: Sendable, Hashable {
  /// Where recordings are posted.
  public let transcriptions: String
  /// Lists the models, where the server has it; nil where the whole route was given and is none of the usual ones.
  public let models: String?
  /// Says that the server lives, where it has it.
  public let health: String

  /// `address` is a normalised one, without a slash at its end.
  public init(_ address: String) {
    if address.hasSuffix("/transcriptions") || address.hasSuffix("/inference") {
      transcriptions = address
      models = Self.dropping("/audio/transcriptions", from: address).map { $0 + "/models" }
    } else if address.hasSuffix("/v1") {
      transcriptions = address + "/audio/transcriptions"
      models = address + "/models"
    } else {
      transcriptions = address + "/v1/audio/transcriptions"
      models = address + "/v1/models"
    }
    health = Self.root(of: address) + "/health"
  }

  private static func dropping(_ end: String, from text: String) -> String? {
    text.hasSuffix(end) ? String(text.dropLast(end.count)) : nil
  }

  /// Scheme, host and port.
  private static func root(of address: String) -> String {
    guard let start = address.firstRange(of: "://")?.upperBound else { return address }
    let end = address[start...].firstIndex(of: "/") ?? address.endIndex
    return String(address[..<end])
  }
}
