public import AssemblyAI

/// A key that a person hands in: trimmed, checked by its service, saved, read back (P-71).
public struct APIKeySubmission: Sendable {
  /// What became of it (T-101…T-104).
  public enum Outcome: Sendable, Hashable {
    /// The service takes it, and it is stored.
    case valid
    /// The service takes it; it could not be stored, and the sentence says why. The old key is still stored.
    case saveFailed(String)
    /// The service refused it, or it is blank. The old key is still stored.
    case invalid
    /// The service did not say: the key was not checked. The old key is still stored.
    case unreachable
  }

  /// Runs what may block for seconds away from Swift's shared pool.
  public typealias OffPool =
    @Sendable (
      _ body: @escaping @Sendable () -> APIKeyStoreFault?
    ) async -> APIKeyStoreFault?

  private let gateway: any APIKeyGateway
  private let validate: @Sendable (String) async -> APIKeyValidator.Verdict
  private let offPool: OffPool

  /// `validate` gets the trimmed key and is not asked for a blank one.
  public init(
    gateway: any APIKeyGateway, validate: @escaping @Sendable (String) async -> APIKeyValidator.Verdict,
    offPool: @escaping OffPool = { $0() }
  ) {
    self.gateway = gateway
    self.validate = validate
    self.offPool = offPool
  }

  public func submit(_ text: String) async -> Outcome {
    // T-97: blank, or what no header could carry: no request.
    guard let key = text.trimmedNonEmpty, Self.isUsable(key) else { return .invalid }
    switch await validate(key) {
    case .invalid: return .invalid
    case .unreachable: return .unreachable
    case .valid:
      let fault = await offPool { [gateway] in
        do throws(APIKeyStoreFault) {
          try gateway.save(key)
          return nil
        } catch {
          return error
        }
      }
      return fault.map { .saveFailed($0.message) } ?? .valid
    }
  }

  /// The longest key that is taken, in bytes: far more than any service gives out.
  public static let longestKey = 1_024

  /// Whether a header can carry it: printable ASCII without spaces.
  public static func isUsable(_ key: String) -> Bool {
    key.utf8.count <= longestKey && key.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}

extension APIKeySubmission.Outcome {
  /// How a failure is shown (P-72); nil for a success.
  public enum Report: Sendable, Hashable {
    /// Beside the field that the key was written into.
    case inline(String)
    /// On its own: the key was right, this computer's store was not.
    case alert(title: String, message: String)
  }

  public var report: Report? {
    switch self {
    case .valid: nil
    case .invalid: .inline("The service does not accept this key: copy it again, without anything around it.")
    case .unreachable:
      .inline("The service could not be reached, so the key was not checked and not stored: try again online.")
    case .saveFailed(let reason): .alert(title: "The key could not be stored", message: reason)
    }
  }
}
