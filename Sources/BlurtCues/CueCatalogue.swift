package import BlurtEngine

/// The voices of this host (P-48, P-53): the one list of which sounds there are and how each of them sounds.
package enum CueCatalogue {
  /// Two notes a fifth of a second long: up when recording begins, down when it ends.
  private static let chime = CueVoice(
    pack: SoundPack(id: "chime", label: "Chime", group: "Tones"),
    start: CueSound(
      notes: [.init(659.26, for: .milliseconds(70)), .init(880, from: .milliseconds(60), for: .milliseconds(120))],
      peakDBFS: -6, attack: .milliseconds(4), decay: .milliseconds(60)),
    stop: CueSound(
      notes: [.init(880, for: .milliseconds(70)), .init(659.26, from: .milliseconds(60), for: .milliseconds(120))],
      peakDBFS: -6, attack: .milliseconds(4), decay: .milliseconds(60)))

  /// One low note that swells; half as loud as the chime.
  private static let soft = CueVoice(
    pack: SoundPack(id: "soft", label: "Soft", group: "Tones"),
    start: CueSound(
      notes: [.init(440, for: .milliseconds(160))], peakDBFS: -12, attack: .milliseconds(25), decay: .milliseconds(80)),
    stop: CueSound(
      notes: [.init(329.63, for: .milliseconds(160))], peakDBFS: -12, attack: .milliseconds(25),
      decay: .milliseconds(80)))

  package static let voices = [chime, soft]

  /// What the stores and the views decode ids with. The chime is what an unset setting means.
  package static let packs = SoundPackCatalog(voices: voices.map(\.pack), defaultID: chime.pack.id)

  /// The sounds of a pack; nil for the silent one.
  package static func voice(of pack: SoundPack) -> CueVoice? { voices.first { $0.pack.id == pack.id } }
}
