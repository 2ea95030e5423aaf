internal import BlurtContract
internal import BlurtEngine

/// What `keys` and `setKey` answer (H-55…H-59). Blocks on the file.
struct KeyAnswers: Sendable {
  let file: SettingsFile
  let prefix: String

  func answer(_ command: ClientCommand) -> CommandAck {
    switch command.action {
    case .keys(let name):
      if let refusal = name.flatMap({ TriggerKey.refusal(of: $0) }) {
        return command.ack(.failed, reason: .badValue, message: "There is no such key: \(refusal).")
      }
      let wanted = name.flatMap { TriggerKey($0) }
      var ack = command.ack(.done, message: file.problem)
      ack.keys = TriggerKeyReport(DocumentBacking(document: file.current()), prefix: prefix).entries
        .filter { wanted == nil || $0.code == wanted?.code }
      return ack
    case .setKey(let change): return carryOut(change, command)
    case .press, .release, .cancel, .cancelRecording, .toggle, .watch, .wait, .presence, .status, .last, .recent,
      .transcribe, .spool, .retry, .discard, .settings, .set, .unset, .edit, .reset, .apiKey, .setApiKey,
      .clearApiKey, .devices, .sounds, .playSound, .doctor:
      return command.ack(.failed, reason: .badRequest)
    }
  }

  private func carryOut(_ change: KeyChange, _ command: ClientCommand) -> CommandAck {
    let edit: TriggerKeyEdit
    do throws(SettingRefusal) {
      edit = try TriggerKeyEdit(change)
    } catch {
      return refused(error, command)
    }
    var refusal: SettingRefusal?
    var (before, after): ([KeyEntry], [KeyEntry]) = ([], [])
    do throws(SettingsFileError) {
      let setAside = try file.change { document in
        refusal = nil
        before = TriggerKeyReport(DocumentBacking(document: document), prefix: prefix).entries
        do throws(SettingRefusal) {
          try edit.apply(to: &document, prefix: prefix)
        } catch {
          refusal = error
          return false
        }
        after = TriggerKeyReport(DocumentBacking(document: document), prefix: prefix).entries
        return true
      }
      if let refusal { return refused(refusal, command) }
      let moved = setAside.map { "The settings file was broken. It was moved to \($0), not lost." }
      var ack = command.ack(.done, message: moved ?? file.problem)
      ack.keys = zip(before, after).filter {
        $0.choice != $1.choice || ($0 != $1 && $1.choice != "off") || edit.concerns($1)
      }
      .map(\.1)
      return ack
    } catch {
      return command.ack(.failed, reason: .notWritable, message: error.description)
    }
  }

  private func refused(_ refusal: SettingRefusal, _ command: ClientCommand) -> CommandAck {
    command.ack(.failed, reason: .badValue, message: "The keys are left as they were: \(refusal.reason).")
  }
}
