internal import BlurtContract

/// What a status bar shows, from the events of the daemon (S-80…S-83). Times are on the monotonic clock.
///
/// The state follows the overlay, so a notice goes back to idle by itself; where the daemon listens to no press, idle is
/// `closed`, and without a daemon `offline`.
struct StatusBar {
  /// One line for the bar.
  struct Line: Hashable {
    /// The word that is shown.
    var text: String
    /// The name of the state, by which a bar chooses an icon and a style.
    var state: String
    /// A sentence.
    var tooltip: String
    /// The microphone's level.
    var percentage: Int?

    /// As waybar's `custom` modules read it (`return-type: json`).
    var json: [UInt8] {
      var members: JSONObject = [
        "text": .string(text), "alt": .string(state), "class": .string(state),
        "tooltip": .string(Self.escaped(tooltip)),
      ]
      if let percentage { members["percentage"] = .integer(Int64(percentage)) }
      return MessageCoder.encode(.object(members))
    }

    /// Waybar reads markup: what could be some is written out (Pango's five).
    private static func escaped(_ text: String) -> String {
      TerminalText.line(text).map { character in
        switch character {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        case "'": "&#39;"
        default: String(character)
        }
      }.joined()
    }
  }

  private let showsLevel: Bool
  private var overlay = "idle"
  private var label: String?
  private var percentage: Int?
  /// Why no press is answered; nil while it is.
  private var closed: String?
  private(set) var due: Duration?
  /// What the bar shows; nil before the first line.
  private var shown: Line?

  init(showsLevel: Bool) { self.showsLevel = showsLevel }

  /// The line to show after the event; nil where nothing changes.
  mutating func take(_ event: SessionEvent, at now: Duration) -> Line? {
    switch event {
    case .phase(let phase):
      overlay = phase.overlay ?? Self.overlay(phase.phase)
      label = phase.label ?? phase.message
      // A newer state takes the place of what is still dwelling; the same notice again is timed again (S-83).
      let dwell = phase.dwell.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
      due = (dwell ?? Self.dwell(overlay)).map { now + .milliseconds(Int64(min($0, 3600) * 1000)) }
      percentage = nil
      return next(again: due != nil)
    case .level(let event):
      guard showsLevel, overlay == "recording" else { return nil }
      let value = Int((min(max(event.level.isFinite ? event.level : 0, 0), 1) * 100).rounded())
      guard value != percentage else { return nil }
      percentage = value
      return next()
    case .listening(let event): return setClosed(event.state, event.message ?? event.reason?.text)
    case .delivery, .notice, .settings: return nil
    }
  }

  /// What the daemon said of its listening window when the bar connected.
  mutating func take(_ status: DaemonStatus) -> Line? {
    guard let listening = status.listening else { return nil }
    return setClosed(listening ? .open : .closed, status.reason?.text ?? status.message)
  }

  private mutating func setClosed(_ state: ListeningState, _ reason: String?) -> Line? {
    closed =
      switch state {
      case .open, .opening: nil
      case .closed, .interrupted, .closing: reason ?? "Blurt does not listen."
      }
    return next()
  }

  /// The dwell is over: back to idle (S-82).
  mutating func tick(at now: Duration) -> Line? {
    guard let due, now >= due else { return nil }
    self.due = nil
    (overlay, label) = ("idle", nil)
    return next()
  }

  /// The line of now, unless the bar shows it already.
  private mutating func next(again: Bool = false) -> Line? {
    let line = line
    guard again || line != shown else { return nil }
    shown = line
    return line
  }

  /// The line of now.
  var line: Line {
    if overlay == "idle", let closed { return Line(text: "Off", state: "closed", tooltip: closed) }
    return Line(
      text: Self.word(overlay), state: overlay, tooltip: label ?? Self.word(overlay), percentage: percentage)
  }

  /// Without a daemon.
  static func offline(_ reason: String) -> Line { Line(text: "Off", state: "offline", tooltip: reason) }

  /// The words of the overlay's states; a state that only a newer daemon knows is shown by its name.
  private static func word(_ overlay: String) -> String {
    switch overlay {
    case "idle": "Blurt"
    case "connecting": "Wait"
    case "recording": "Recording"
    case "processing": "Working"
    case "error": "Failed"
    case "pasted": "Inserted"
    case "noTarget": "Copied"
    default: overlay
    }
  }

  /// S-80, where the daemon did not say it.
  private static func overlay(_ phase: DictationPhase) -> String {
    switch phase {
    case .idle, .cancelled: "idle"
    case .connecting: "connecting"
    case .recording: "recording"
    case .transcribing, .injecting: "processing"
    case .pasted: "pasted"
    case .noTarget: "noTarget"
    case .failed: "error"
    }
  }

  /// S-82, where the daemon did not say it; in seconds.
  private static func dwell(_ overlay: String) -> Double? {
    switch overlay {
    case "pasted": 0.8
    case "error", "noTarget": 1.6
    default: nil
    }
  }
}
