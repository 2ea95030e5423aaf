/// One thing that a host does when a cue falls due.
public enum PresentationStep: Sendable, Hashable {
  /// The overlay is made visible, and is visible before the next step.
  case showOverlay
  /// A cue is begun.
  case play(RecordingCue)

  /// What to do for a cue, in this order: the overlay is there before the start sound (S-88).
  public static func steps(for cue: RecordingCue) -> [PresentationStep] {
    switch cue {
    case .start: [.showOverlay, .play(.start)]
    case .stop: [.play(.stop)]
    }
  }
}
