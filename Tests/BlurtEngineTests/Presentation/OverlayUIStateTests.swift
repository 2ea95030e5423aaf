import BlurtEngine
import Testing

@Suite struct OverlayUIStateTests {
  static let fault = BlurtError.sttFailed(underlying: UnderlyingError(domain: .http, code: 503, message: ""))

  static let mapping: [(phase: PipelinePhase, state: OverlayUIState, name: String)] = [
    (.idle, .idle, "idle"),
    (.cancelled, .idle, "idle"),
    (.connecting, .connecting, "connecting"),
    (.recording, .recording, "recording"),
    (.transcribing, .processing, "processing"),
    (.injecting, .processing, "processing"),
    (.failed(.apiKeyMissing), .idle, "idle"),
    (.failed(fault), .error(fault.description), "error"),
    (.pasted, .pasted, "pasted"),
    (.noTarget, .noTarget, "noTarget"),
  ]

  @Test("S-80 S-81 each phase has its place in the overlay; injecting goes on processing")
  func phases() {
    for row in Self.mapping {
      #expect(OverlayUIState(row.phase) == row.state, "\(row.phase.name)")
      #expect(OverlayUIState(row.phase).name == row.name)
    }
  }

  @Test("S-80 an error's message is never empty, whatever it wraps")
  func message() {
    for row in BlurtErrorTests.all where row.error != .apiKeyMissing {
      guard case .error(let message) = OverlayUIState(.failed(row.error)) else {
        Issue.record("\(row.name) is not shown as an error")
        continue
      }
      #expect(!message.isEmpty)
    }
    #expect(!OverlayUIState(.failed(Self.fault)).label.isEmpty)
  }

  @Test("S-82 notices stay for their dwell, all others for as long as the phase")
  func dwell() {
    #expect(OverlayUIState.pasted.dwell == .milliseconds(800))
    #expect(OverlayUIState.error("x").dwell == .milliseconds(1_600))
    #expect(OverlayUIState.noTarget.dwell == .milliseconds(1_600))
    for state in [OverlayUIState.idle, .connecting, .recording, .processing] { #expect(state.dwell == nil) }
  }

  @Test("S-84 each state has its own spoken label, an error says its message")
  func labels() {
    let states: [OverlayUIState] = [
      .idle, .connecting, .recording, .processing, .error("Broken."), .pasted, .noTarget,
    ]
    #expect(Set(states.map(\.label)).count == states.count)
    #expect(OverlayUIState.idle.label == "Blurt")
    #expect(OverlayUIState.error("Broken.").label == "Broken.")
    #expect(OverlayUIState.connecting.label.contains("microphone"))
    #expect(OverlayUIState.noTarget.label.contains("clipboard"))
  }
}
