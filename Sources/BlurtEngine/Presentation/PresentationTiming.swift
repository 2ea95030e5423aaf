/// The times and the loudness of what the user sees and hears (S-88).
public enum PresentationTiming {
  /// How long the overlay takes to appear.
  public static let fadeIn: Duration = .milliseconds(80)
  /// How long the overlay takes to vanish.
  public static let fadeOut: Duration = .milliseconds(200)
  /// How loud a cue is played, where 1 is the sound as it is stored (S-88, P-53).
  public static let cueVolume = 0.35
  /// The silence between the two cues of a pack that is being tried out.
  public static let previewGap: Duration = .milliseconds(380)
}
