import BlurtContract
import Testing

@testable import blurtctl

@Suite struct StatusBarTests {
  private func phase(_ phase: DictationPhase, _ overlay: String? = nil, dwell: Double? = nil, label: String? = nil)
    -> SessionEvent
  {
    .phase(PhaseEvent(phase: phase, overlay: overlay, label: label, dwell: dwell))
  }

  @Test("S-80 the bar shows the overlay's state, and the same one where the daemon names none")
  func states() {
    let expected: [DictationPhase: String] = [
      .idle: "idle", .cancelled: "idle", .connecting: "connecting", .recording: "recording",
      .transcribing: "processing", .injecting: "processing", .pasted: "pasted", .noTarget: "noTarget", .failed: "error",
    ]
    for (name, state) in expected {
      var bar = StatusBar(showsLevel: false)
      _ = bar.take(phase(name), at: .zero)
      #expect(bar.line.state == state)
      #expect(!bar.line.text.isEmpty)
      // What the daemon says counts: a setup blocker is idle although its phase has failed.
      _ = bar.take(phase(name, "idle"), at: .zero)
      #expect(bar.line.state == "idle")
    }
    var bar = StatusBar(showsLevel: false)
    #expect(bar.take(phase(.recording, "dreaming"), at: .zero)?.text == "dreaming")
  }

  @Test("S-82 a notice goes back to idle after its dwell, not before; other states stay")
  func dwell() {
    var bar = StatusBar(showsLevel: false)
    #expect(bar.take(phase(.pasted, "pasted", dwell: 0.8, label: "Inserted"), at: .seconds(10))?.tooltip == "Inserted")
    #expect(bar.due == .milliseconds(10_800))
    #expect(bar.tick(at: .milliseconds(10_799)) == nil)
    #expect(bar.tick(at: .milliseconds(10_800))?.state == "idle")
    #expect(bar.due == nil)
    #expect(bar.tick(at: .seconds(99)) == nil)
    // Without the daemon's word the numbers of the rule.
    for (name, due) in [(DictationPhase.pasted, 800), (.failed, 1600), (.noTarget, 1600)] {
      _ = bar.take(phase(name), at: .zero)
      #expect(bar.due == .milliseconds(due))
    }
    for name in [DictationPhase.recording, .connecting, .transcribing, .idle] {
      _ = bar.take(phase(name), at: .zero)
      #expect(bar.due == nil)
    }
    for dwell in [Double.nan, .infinity, -1, 1e300] {
      _ = bar.take(phase(.pasted, "pasted", dwell: dwell), at: .zero)
      #expect(bar.due.map { $0 <= .seconds(3600) } == true)
    }
  }

  @Test("S-83 a newer state takes the place of a dwelling one; the same notice again is shown and timed again")
  func newer() {
    var bar = StatusBar(showsLevel: false)
    _ = bar.take(phase(.pasted, dwell: 0.8), at: .zero)
    #expect(bar.take(phase(.pasted, dwell: 0.8), at: .milliseconds(500)) != nil)
    #expect(bar.tick(at: .milliseconds(800)) == nil)
    #expect(bar.take(phase(.recording), at: .milliseconds(900))?.state == "recording")
    #expect(bar.tick(at: .seconds(60)) == nil)
    #expect(bar.line.state == "recording")
  }

  @Test("S-81 from transcribing to injecting nothing is printed: the state is the same")
  func noBlink() {
    var bar = StatusBar(showsLevel: false)
    #expect(bar.take(phase(.transcribing), at: .zero)?.state == "processing")
    #expect(bar.take(phase(.injecting), at: .zero) == nil)
  }

  @Test("S-115 levels are a percentage while recording, where they were asked for")
  func levels() {
    var silent = StatusBar(showsLevel: false)
    _ = silent.take(phase(.recording), at: .zero)
    #expect(silent.take(.level(LevelEvent(level: 0.5)), at: .zero) == nil)
    var bar = StatusBar(showsLevel: true)
    #expect(bar.take(.level(LevelEvent(level: 0.5)), at: .zero) == nil)
    _ = bar.take(phase(.recording), at: .zero)
    #expect(bar.take(.level(LevelEvent(level: 0.504)), at: .zero)?.percentage == 50)
    #expect(bar.take(.level(LevelEvent(level: 0.501)), at: .zero) == nil)
    for (level, value) in [(2.0, 100), (-1, 0), (Double.nan, 0)] {
      _ = bar.take(.level(LevelEvent(level: 0.3)), at: .zero)
      #expect(bar.take(.level(LevelEvent(level: level)), at: .zero)?.percentage == value)
    }
    _ = bar.take(phase(.transcribing), at: .zero)
    #expect(bar.line.percentage == nil)
  }

  @Test("S-120 where no press is answered, idle is closed, with the reason; a running dictation is shown all the same")
  func closed() {
    var bar = StatusBar(showsLevel: false)
    let event = ListeningEvent(state: .interrupted, reason: .suspended, generation: 3)
    #expect(bar.take(.listening(event), at: .zero)?.tooltip == FailureReason.suspended.text)
    #expect(bar.line.state == "closed")
    #expect(bar.take(phase(.recording), at: .zero)?.state == "recording")
    _ = bar.take(phase(.idle), at: .zero)
    #expect(bar.take(.listening(ListeningEvent(state: .open, generation: 4)), at: .zero)?.state == "idle")
  }

  @Test("S-151 the line is one JSON object that a bar's markup cannot break")
  func line() throws {
    let line = StatusBar.Line(text: "Failed", state: "error", tooltip: "<b>&\"'\n\u{1B}[31mred", percentage: 7)
    #expect(
      String(decoding: line.json, as: UTF8.self)
        == #"{"alt":"error","class":"error","percentage":7,"text":"Failed","tooltip":"&lt;b&gt;&amp;&quot;&#39; ␛[31mred"}"#
        + "\n")
  }

  @Test("B-42 the pause before the next look for the daemon doubles up to 5 s, and begins anew when it was there")
  func pauses() {
    var pause = ReconnectPause()
    let pauses = (0..<7).map { _ in pause.take() }
    #expect(pauses.first == .milliseconds(250))
    #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $1 == min($0 * 2, .seconds(5)) })
    #expect(pauses.last == .seconds(5))
    pause.reset()
    #expect(pause.take() == .milliseconds(250))
  }
}
