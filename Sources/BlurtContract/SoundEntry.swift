/// One sound pack, as `sounds` lists it.
package struct SoundEntry: Hashable, Sendable {
  /// One sound of a pack, in numbers.
  package struct Cue: Hashable, Sendable {
    /// `start` or `stop`.
    package var cue: String
    package var durationMilliseconds: Int
    /// The highest sample, in dB under full scale, as it is played.
    package var peakDBFS: Double
    /// The strongest frequency, in Hz.
    package var frequency: Double

    package init(cue: String, durationMilliseconds: Int, peakDBFS: Double, frequency: Double) {
      self.cue = cue
      self.durationMilliseconds = durationMilliseconds
      self.peakDBFS = peakDBFS
      self.frequency = frequency
    }

    var members: JSONObject {
      var members: JSONObject = [
        "cue": .string(cue), "peakDBFS": .double(peakDBFS), "frequency": .double(frequency),
      ]
      members.set("durationMs", durationMilliseconds)
      return members
    }

    init(fields: WireObject) throws {
      self.init(
        cue: try fields.string("cue") ?? "", durationMilliseconds: Int(clamping: try fields.count("durationMs") ?? 0),
        peakDBFS: try fields.number("peakDBFS") ?? 0, frequency: try fields.number("frequency") ?? 0)
    }
  }

  /// What `BlurtSoundPack` takes.
  package var pack: String
  /// Words for people.
  package var label: String
  /// The heading under which it is listed; empty for the silent pack.
  package var group: String
  package var isChosen: Bool
  package var isDefault: Bool
  /// None for the silent pack.
  package var cues: [Cue]

  package init(pack: String, label: String, group: String, isChosen: Bool, isDefault: Bool, cues: [Cue]) {
    self.pack = pack
    self.label = label
    self.group = group
    self.isChosen = isChosen
    self.isDefault = isDefault
    self.cues = cues
  }

  var members: JSONObject {
    var members: JSONObject = [
      "pack": .string(pack), "label": .string(label), "group": .string(group), "isChosen": .bool(isChosen),
      "isDefault": .bool(isDefault),
    ]
    members.set("cues", cues.map(\.members))
    return members
  }

  init(fields: WireObject) throws {
    self.init(
      pack: try fields.string("pack") ?? "", label: try fields.string("label") ?? "",
      group: try fields.string("group") ?? "", isChosen: try fields.bool("isChosen") ?? false,
      isDefault: try fields.bool("isDefault") ?? false,
      cues: try fields.objects("cues")?.map { try Cue(fields: $0) } ?? [])
  }
}
