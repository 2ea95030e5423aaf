import BlurtEngine
import Testing

@Suite struct PipelinePhaseTests {
  static let fault = UnderlyingError(domain: .alsa, code: -19, message: "No such device.")

  /// Every phase, with the properties that the specification gives it.
  static let all: [(phase: PipelinePhase, name: String, isTerminal: Bool, isCapturing: Bool)] = [
    (.idle, "idle", true, false),
    (.connecting, "connecting", false, true),
    (.recording, "recording", false, true),
    (.transcribing, "transcribing", false, false),
    (.injecting, "injecting", false, false),
    (.pasted, "pasted", true, false),
    (.noTarget, "noTarget", true, false),
    (.failed(.targetAppLost), "failed", true, false),
    (.cancelled, "cancelled", true, false),
  ]

  @Test("S-10 exactly five phases are terminal and exactly two are capturing")
  func properties() {
    for row in Self.all {
      #expect(row.phase.isTerminal == row.isTerminal, "\(row.name)")
      #expect(row.phase.isCapturing == row.isCapturing, "\(row.name)")
      #expect(row.phase.name == row.name)
    }
    #expect(Self.all.count(where: \.isTerminal) == 5)
    #expect(Self.all.count(where: \.isCapturing) == 2)
  }

  @Test("S-13 only a missing key is a setup blocker")
  func setupBlocker() {
    #expect(PipelinePhase.failed(.apiKeyMissing).setupBlocker == .apiKeyMissing)
    #expect(PipelinePhase.failed(.accessibilityPermissionMissing).setupBlocker == nil)
    #expect(PipelinePhase.failed(.audioCaptureFailed(underlying: Self.fault)).setupBlocker == nil)
    for row in Self.all where row.name != "failed" {
      #expect(row.phase.setupBlocker == nil)
      #expect(row.phase.error == nil)
    }
    #expect(PipelinePhase.failed(.noEditableTarget).error == .noEditableTarget)
  }

  @Test("S-14 the phase list has no handedBack: asking about a selection is not ported")
  func noTenthPhase() {
    // Without a default: a tenth phase stops the build here.
    func number(_ phase: PipelinePhase) -> Int {
      switch phase {
      case .idle: 1
      case .connecting: 2
      case .recording: 3
      case .transcribing: 4
      case .injecting: 5
      case .pasted: 6
      case .noTarget: 7
      case .failed: 8
      case .cancelled: 9
      }
    }
    #expect(Self.all.map { number($0.phase) } == Array(1...9))
    #expect(!Self.all.contains { $0.name == "handedBack" })
  }
}
