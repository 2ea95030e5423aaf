/// Takes an installation back to its first start, step by step (P-61…P-67).
///
/// Knows no file and no store: it reaches only what the host's steps reach, in a test nothing but memory (P-67). Steps run
/// in their order, one at a time, and none stops a later one (P-65). The order of P-61…P-64 is settings, key, grants, logs.
public struct InstallReset: Sendable {
  /// What survived a step: why, and what to do about it.
  public struct Survivor: Error, Sendable, Hashable {
    public let message: String

    public init(_ message: String) { self.message = message }
  }

  /// One thing to take back.
  public struct Step: Sendable {
    public let name: String
    let run: @Sendable () async -> Outcome?

    /// Removes something. `remove` returns a remark or nil, also where there was nothing to remove; it throws what
    /// survived. It must not block.
    public static func removing(
      _ name: String, _ remove: @escaping @Sendable () async throws(Survivor) -> String?
    ) -> Step {
      Step(name: name) {
        do throws(Survivor) { return .removed(try await remove()) } catch { return .survived(error.message) }
      }
    }

    /// Tells of something that software cannot take back (P-66), as information and never as a failure. `tell` returns
    /// nil where there is nothing to say.
    public static func informing(_ name: String, _ tell: @escaping @Sendable () async -> String?) -> Step {
      Step(name: name) { await tell().map(Outcome.information) }
    }
  }

  /// What became of a step.
  public enum Outcome: Sendable, Hashable {
    case removed(String?)
    case survived(String)
    case information(String)
  }

  /// A step's name and what became of it.
  public struct Finding: Sendable, Hashable {
    public let step: String
    public let outcome: Outcome
  }

  /// What all steps found, in their order.
  public struct Report: Sendable, Hashable {
    public let findings: [Finding]

    /// The steps that something survived.
    public var survivors: [String] {
      findings.compactMap { finding in
        switch finding.outcome {
        case .survived: finding.step
        case .removed, .information: nil
        }
      }
    }

    /// P-65: what to show where something survived; nil after a clean reset.
    public var alert: String? {
      let survivors = survivors
      return survivors.isEmpty ? nil : "Not everything could be removed: \(survivors.joined(separator: ", "))."
    }
  }

  private let steps: [Step]

  public init(steps: [Step]) { self.steps = steps }

  /// Runs every step once. A cancelled task does not stop it half way.
  public func run() async -> Report {
    var findings: [Finding] = []
    for step in steps {
      if let outcome = await step.run() { findings.append(Finding(step: step.name, outcome: outcome)) }
    }
    return Report(findings: findings)
  }
}
