internal import BlurtContract

/// The level as a row of blocks, with the phase beside it: one line that is drawn again and again on a terminal, and a
/// plain line each time in a pipe (Y-21).
struct MeterDisplay: WatchDisplay {
  private static let barCount = 24
  /// To the end of the line (`EL`, ECMA-48).
  private static let clearToEnd = "\u{1B}[K"

  private let console: Console
  private var phase = PhaseEvent(phase: .idle)
  private var level = 0.0
  private var recordingSince: Duration?
  private var drawnAt: Duration?

  init(_ console: Console) { self.console = console }

  mutating func show(_ event: SessionEvent, line: [UInt8], at now: Duration) {
    switch event {
    case .level(let event):
      level = event.level
      // S-115 for a daemon that sends faster: what is left out is drawn with the next one.
      if let drawnAt, now - drawnAt < SessionContract.levelInterval { return }
      draw(at: now)
    case .phase(let event):
      if event.phase == .recording && phase.phase != .recording { recordingSince = now }
      phase = event
      if event.phase != .recording {
        level = 0
        recordingSince = nil
      }
      draw(at: now)
    case .delivery, .notice, .listening, .settings:
      clear()
      console.out(TerminalText.safe(PhaseText.sentence(event)) + "\n")
      if console.outIsTerminal { draw(at: now) }
    }
  }

  mutating func end() {
    if console.outIsTerminal && drawnAt != nil { console.out("\n") }
  }

  private mutating func draw(at now: Duration) {
    drawnAt = now
    let time = recordingSince.map { (now - $0) / .seconds(1) }
    let bars = MeterBars.text(MeterBars.heights(count: Self.barCount, level: level, time: time))
    let clock = time.map { "  " + SpoolVerb.length(Int($0 * 1000)) } ?? ""
    let text = "\(bars)  \(PhaseText.sentence(phase))\(clock)"
    if console.outIsTerminal {
      // One column less: a full line would wrap.
      console.out("\r" + TerminalText.cut(TerminalText.line(text), to: console.width() - 1) + Self.clearToEnd)
    } else {
      console.out(TerminalText.line(text) + "\n")
    }
  }

  private func clear() {
    if console.outIsTerminal { console.out("\r" + Self.clearToEnd) }
  }
}
