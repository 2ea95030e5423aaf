import BlurtEngine
import Testing

@Suite struct RecordingCueGateTests {
  private func cues(_ phases: [PipelinePhase]) -> [RecordingCue?] {
    var gate = RecordingCueGate()
    return phases.map { gate.cue(for: $0) }
  }

  @Test("S-86 entering recording starts, leaving it stops, all else is silent")
  func cues() {
    #expect(
      cues([.idle, .connecting, .recording, .recording, .transcribing, .injecting, .pasted])
        == [nil, nil, .start, nil, .stop, nil, nil])
    #expect(cues([.connecting, .recording, .cancelled, .connecting, .recording]) == [nil, .start, .stop, nil, .start])
  }

  @Test("S-87 a microphone that never comes up gives neither cue")
  func silent() {
    #expect(cues([.connecting, .failed(.targetAppLost), .connecting, .cancelled]) == [nil, nil, nil, nil])
  }
}
