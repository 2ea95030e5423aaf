import BlurtEngine
import Testing

@testable import BlurtDaemon

@Suite struct RecordingEdgesTests {
  private let failure = BlurtError.audioCaptureFailed(
    underlying: UnderlyingError(domain: .capture, code: 0, message: "m"))

  private func walk(_ phases: [PipelinePhase], _ edges: inout RecordingEdges) -> [RecordingEdges.Action] {
    phases.compactMap { edges.take(PhaseChange(phase: $0, dictation: 7)) }
  }

  @Test("S-87 H-51 a press whose microphone never comes up, or is taken back before, gives nothing")
  func neverUp() {
    for end in [PipelinePhase.failed(failure), .cancelled] {
      var edges = RecordingEdges()
      #expect(walk([.idle, .connecting, end, .idle], &edges) == [])
    }
  }

  @Test("H-51 a shortcut, whose recording is cancelled before the patience is over, gives neither start nor stop")
  func shortcut() {
    for end in [PipelinePhase.cancelled, .transcribing, .failed(failure)] {
      var edges = RecordingEdges()
      #expect(walk([.connecting, .recording, end], &edges) == [.wait(1), .dismiss])
      #expect(edges.patienceEnded(1) == nil)
      #expect(walk([.injecting, .pasted, .idle], &edges) == [])
    }
  }

  @Test("S-86 a recording gives one start after the patience and one stop, however it ends, and repeats give nothing")
  func recording() {
    for end in [PipelinePhase.transcribing, .cancelled, .failed(failure)] {
      var edges = RecordingEdges()
      #expect(walk([.connecting, .recording, .recording], &edges) == [.wait(1)])
      #expect(edges.patienceEnded(1) == .began(dictation: 7))
      #expect(edges.patienceEnded(1) == nil)
      #expect(walk([.recording, end, .injecting, .pasted], &edges) == [.ended(dictation: 7)])
    }
  }

  @Test("S-86 the patience of an earlier recording says nothing of the next one")
  func stale() {
    var edges = RecordingEdges()
    #expect(walk([.recording, .cancelled, .connecting, .recording], &edges) == [.wait(1), .dismiss, .wait(2)])
    #expect(edges.patienceEnded(1) == nil)
    #expect(edges.patienceEnded(2) == .began(dictation: 7))
  }
}
