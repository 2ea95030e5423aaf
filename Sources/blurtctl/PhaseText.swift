internal import BlurtContract

/// Events in words, for a terminal.
enum PhaseText {
  static func sentence(_ event: PhaseEvent) -> String {
    switch event.phase {
    case .idle: "Ready."
    case .connecting: "The microphone is coming up."
    case .recording: "Recording."
    case .transcribing: "Transcribing."
    case .injecting: "Inserting."
    case .pasted: "Inserted."
    case .noTarget: "No text field had the focus. The text is on the clipboard."
    case .failed: "Failed: \(event.message ?? event.errorKind ?? "for an unknown reason.")"
    case .cancelled: "Cancelled."
    }
  }

  static func sentence(_ event: SessionEvent) -> String {
    switch event {
    case .phase(let event): sentence(event)
    case .level(let event): "Level " + String(repeating: "#", count: Int((event.level * 40).rounded()))
    case .delivery(let event):
      "Text"
        + (event.engine.map { " from \($0)" } ?? "") + (event.fellBackFrom.map { ", since \($0) failed" } ?? "")
        + (event.text.map { ": \($0)" } ?? ".")
    case .notice(let event): event.message ?? event.notice
    case .listening(let event):
      event.message ?? (event.state == .open ? "Blurt listens." : (event.reason ?? .windowClosed).text)
    case .settings(let event): "Changed: " + event.settings.joined(separator: ", ")
    }
  }
}
