public import AssemblyAI

/// The key as a host shows it: one value that stays right after a submission and after a removal (P-73).
public struct APIKeyModel: Sendable {
  /// Where people make keys (P-69).
  public static let dashboardURL = "https://www.assemblyai.com/dashboard/api-keys"

  private let gateway: any APIKeyGateway
  private let submission: APIKeySubmission
  private let offPool: APIKeySubmission.OffPool
  private let onChange: @Sendable () -> Void

  /// `onChange` is called after each save that took effect.
  public init(
    gateway: any APIKeyGateway, validate: @escaping @Sendable (String) async -> APIKeyValidator.Verdict,
    offPool: @escaping APIKeySubmission.OffPool = { $0() }, onChange: @escaping @Sendable () -> Void = {}
  ) {
    self.gateway = gateway
    self.offPool = offPool
    self.onChange = onChange
    submission = APIKeySubmission(gateway: gateway, validate: validate, offPool: offPool)
  }

  public var hasAPIKey: Bool { gateway.hasKey }

  /// What is shown of the key now.
  public var display: APIKeyDisplay { APIKeyDisplay(key: gateway.current) }

  /// P-75: nil also while the store cannot say, so that the press tries.
  public var readinessCheck: BlurtError? { gateway.known == .absent ? .apiKeyMissing : nil }

  public func submit(_ text: String) async -> APIKeySubmission.Outcome {
    let outcome = await submission.submit(text)
    if outcome == .valid { onChange() }
    return outcome
  }

  /// Stores without a check; nil removes. Returns why it did not work.
  public func save(_ key: String?) async -> APIKeyStoreFault? {
    let fault = await offPool { [gateway] in
      do throws(APIKeyStoreFault) {
        try gateway.save(key)
        return nil
      } catch {
        return error
      }
    }
    if fault == nil { onChange() }
    return fault
  }
}
