/// One voice of the cues (P-47). The sounds themselves are the host's (P-48).
public struct SoundPack: Sendable, Hashable, Identifiable {
  public let id: String
  /// The words to show to people.
  public let label: String
  /// The heading under which it is listed.
  public let group: String

  public init(id: String, label: String, group: String) {
    self.id = id
    self.label = label
    self.group = group
  }

  /// The pack without sounds, always there to be chosen (P-49).
  public static let silent = SoundPack(id: "none", label: "None", group: "")

  /// The name of a cue's file, without its extension; nil for the silent pack, which has no files.
  public func fileStem(of cue: RecordingCue) -> String? {
    guard id != Self.silent.id else { return nil }
    switch cue {
    case .start: return "\(id)-start"
    case .stop: return "\(id)-stop"
    }
  }
}
