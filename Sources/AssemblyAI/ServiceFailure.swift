internal import FoundationEssentials

/// A status outside 200–299, and what the service said about it (T-84…T-86).
public struct ServiceFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The most characters of a message that are kept (T-85).
  public static let messageLimit = 500

  public let status: Int
  /// The service's own words; nil where it gave none.
  public let message: String?
  /// The machine-readable `error_code` of the body.
  public let errorCode: String?
  /// The `Retry-After` header, in whole seconds; nil where it is missing or a date.
  public let retryAfterSeconds: Int?

  public init(status: Int, message: String? = nil, errorCode: String? = nil, retryAfterSeconds: Int? = nil) {
    self.status = status
    self.message = message
    self.errorCode = errorCode
    self.retryAfterSeconds = retryAfterSeconds
  }

  /// Reads an answer. `secret` is wiped from the message, in case the service repeats the key.
  public init(_ response: HTTPResponse, hiding secret: String = "") {
    let wire = try? JSONDecoder().decode(Wire.self, from: Data(response.body))
    status = response.status
    message = Self.message(wire, raw: response.body, hiding: secret)
    errorCode = wire?.errorCode
    retryAfterSeconds = response.headers.last { $0.name.lowercased() == "retry-after" }
      .flatMap { Int($0.value.trimmedOfWhitespace()) }
  }

  /// T-66: the one answer after which the whole clip is sent to the other route.
  public var isOverStreamingCap: Bool { status == 413 && errorCode == "audio_too_large" }

  /// Whether a 429 is no matter of time: the account has nothing left. Services use one status for both.
  public var isQuotaSpent: Bool {
    let said = "\(message ?? "") \(errorCode ?? "")".lowercased()
    return status == 429 && ["quota", "credit", "billing", "balance"].contains { said.contains($0) }
  }

  /// T-86.
  public var description: String {
    "AssemblyAI answered with HTTP status \(status)" + (message.map { ": \($0)" } ?? "")
  }

  /// T-85: string `error`, else string `detail`, else the raw body; a blank one is none.
  private static func message(_ wire: Wire?, raw: [UInt8], hiding secret: String) -> String? {
    var text = wire?.error ?? wire?.detail ?? String(decoding: raw, as: UTF8.self)
    if !secret.isEmpty { text = text.replacing(secret, with: "[key]") }
    let message = String(text.trimmedOfWhitespace().prefix(messageLimit))
    return message.isEmpty ? nil : message
  }

  /// The keys of an error body that are looked at.
  private struct Wire: Decodable {
    enum CodingKeys: String, CodingKey {
      case error
      case detail
      case errorCode = "error_code"
    }

    let error: String?
    let detail: String?
    let errorCode: String?

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      error = try? fields.decode(String.self, forKey: .error)
      detail = try? fields.decode(String.self, forKey: .detail)
      errorCode = try? fields.decode(String.self, forKey: .errorCode)
    }
  }
}
