/// The voices that a host has, and the one to begin with (P-48…P-51).
public struct SoundPackCatalog: Sendable, Hashable {
  /// The voices in the host's order. None has the silent pack's id, and no two have the same one.
  public let voices: [SoundPack]
  /// The groups in the order in which they first appear.
  public let groups: [String]
  /// What an unset or unknown id means.
  public let defaultPack: SoundPack

  private let voicesByID: [String: SoundPack]
  private let voicesByGroup: [String: [SoundPack]]

  /// Voices with the silent pack's id or one that is taken already lose their place. A default id that names no voice
  /// means silence (P-49).
  public init(voices: [SoundPack], defaultID: String) {
    var (accepted, groups): ([SoundPack], [String]) = ([], [])
    var (byID, byGroup): ([String: SoundPack], [String: [SoundPack]]) = ([:], [:])
    for voice in voices where voice.id != SoundPack.silent.id && byID[voice.id] == nil {
      accepted.append(voice)
      byID[voice.id] = voice
      if byGroup[voice.group] == nil { groups.append(voice.group) }
      byGroup[voice.group, default: []].append(voice)
    }
    self.voices = accepted
    self.groups = groups
    voicesByID = byID
    voicesByGroup = byGroup
    defaultPack = byID[defaultID] ?? .silent
  }

  /// All that can be chosen: silence first, then the voices.
  public var packs: [SoundPack] { [.silent] + voices }

  /// The voices of a group, in the host's order.
  public func voices(in group: String) -> [SoundPack] { voicesByGroup[group] ?? [] }

  /// The pack with that id; nil where there is none.
  public func pack(id: String) -> SoundPack? { id == SoundPack.silent.id ? .silent : voicesByID[id] }

  /// Decodes a stored id; unset and unknown ones give the default. The one rule for the store and every view (P-50).
  public func pack(storedID: String?) -> SoundPack { storedID.flatMap(pack(id:)) ?? defaultPack }

  /// The ids to choose from, as the second half of a message.
  var choices: String { "allowed are " + packs.map(\.id).joined(separator: ", ") }
}
