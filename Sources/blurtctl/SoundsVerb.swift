internal import BlurtContract
internal import BlurtIPC

/// `sounds list`, `sounds use` and `sounds play`: what is heard at the start and the end of a recording.
struct SoundsVerb {
  static let setting = "BlurtSoundPack"

  private let conversation: Conversation
  private let output: Output

  init(_ conversation: Conversation, _ output: Output) {
    self.conversation = conversation
    self.output = output
  }

  func list(namesOnly: Bool) throws(VerbError) -> ExitStatus {
    let answer = try conversation.answer(.sounds)
    let sounds = answer.ack.sounds ?? []
    if namesOnly {
      output.text(sounds.map(\.pack).joined(separator: "\n"), line: answer.line)
    } else {
      output.answer(Self.text(sounds, width: output.width), line: answer.line)
    }
    return .done
  }

  func use(_ pack: String) throws(VerbError) -> ExitStatus {
    let answer = try conversation.answerPatiently(.set(setting: Self.setting, value: .string(pack), expected: nil))
    output.answer("The sound pack \(pack) is used now.", line: answer.line)
    return .done
  }

  /// The words are `[PACK] [start|stop]`; one word that is a cue means that of the chosen pack.
  func play(_ words: [String]) throws(VerbError) -> ExitStatus {
    var (pack, cue) = (words.first, words.dropFirst().first)
    if cue == nil, let word = pack, Self.cues.contains(word) { (pack, cue) = (nil, word) }
    let answer = try conversation.answerPatiently(.playSound(pack: pack, cue: cue))
    output.answer(answer.ack.message ?? "Played.", line: answer.line)
    return .done
  }

  static let cues = ["start", "stop"]

  static func text(_ sounds: [SoundEntry], width: Int) -> String {
    var table = TextTable()
    table.add(["PACK", "", "START", "STOP"], mark: "  ")
    for sound in sounds {
      table.add(
        [sound.pack, sound.label, cell(sound, "start"), cell(sound, "stop")], mark: sound.isChosen ? "* " : "  ")
    }
    return table.text(width: width) + "\nThe star marks the chosen one. Hear it: blurtctl sounds play"
  }

  private static func cell(_ sound: SoundEntry, _ name: String) -> String {
    guard let cue = sound.cues.first(where: { $0.cue == name }) else { return "silent" }
    return "\(Int(cue.frequency.rounded())) Hz, \(cue.durationMilliseconds) ms, \(Int(cue.peakDBFS.rounded())) dB"
  }
}
