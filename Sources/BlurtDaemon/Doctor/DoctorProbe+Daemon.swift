package import BlurtCapture
internal import BlurtContract
package import BlurtEngine
package import BlurtInjection

/// The links that the daemon knows. Each takes what it looks at as a closure, so that a test can break one at a time.
extension DoctorProbe {
  /// The settings file, with everything in it that is not used.
  package static func settings(
    path: String, isThere: @escaping @Sendable () -> Bool = { true },
    complaints: @escaping @Sendable () -> [SettingComplaint] = { [] }, problem: @escaping @Sendable () -> String?
  ) -> DoctorProbe {
    DoctorProbe("settings") {
      if let problem = problem() { return DoctorCheck("settings", .failed, problem, remedy: "mv \(path) \(path).old") }
      guard isThere() else { return DoctorCheck("settings", .ok, "There is no settings file; the defaults count.") }
      let complaints = complaints()
      guard let first = complaints.first else { return DoctorCheck("settings", .ok, "Read from \(path).") }
      var sentences = complaints.prefix(Self.shownComplaints).map(\.sentence)
      if complaints.count > sentences.count { sentences.append("And \(complaints.count - sentences.count) more.") }
      return DoctorCheck(
        "settings", .warning, sentences.joined(separator: " "),
        remedy: first.isKnown ? "blurtctl settings reset \(first.setting)" : "edit \(path)")
    }
  }

  /// The most faults that one message lists: an answer is one line of bounded length.
  static let shownComplaints = 40

  /// Who would transcribe the next dictation.
  package static func engine(_ engines: Engines) -> DoctorProbe {
    engine(choice: { engines.choice }, fallback: { engines.fallback }, explained: { engines.explained($0) })
  }

  package static func engine(
    choice: @escaping @Sendable () -> EngineChoice, fallback: @escaping @Sendable () -> EngineKind?,
    explained: @escaping @Sendable (BlurtError) -> BlurtError = { $0 }
  ) -> DoctorProbe {
    DoctorProbe("engine") {
      switch choice().decide() {
      case .success(let engine):
        let second = fallback().map { ", and \($0.rawValue) if it fails" } ?? ""
        // What a program of the user's own does with the audio is not known.
        let local =
          choice().staysLocal && engine != .command ? " Audio stays on this machine (BlurtStayLocal)." : ""
        return DoctorCheck("engine", .ok, "Dictations go to \(engine.rawValue)\(second).\(local)")
      case .failure(let error):
        // By the sentences: two errors of one code are equal whatever they say.
        let plain = EventTranslation.sentence(refusal: error)
        let sentence = EventTranslation.sentence(refusal: explained(error))
        return DoctorCheck(
          "engine", .failed, sentence,
          remedy: sentence == plain ? remedy(for: error, choice: choice()) : "mend the settings file or move it away")
      }
    }
  }

  private static func remedy(for error: BlurtError, choice: EngineChoice) -> String {
    if case .apiKeyMissing = error { return "scripts/fetch-offline-engine.sh, or blurtctl key set" }
    switch choice.chosen {
    case .offline?: return "scripts/fetch-offline-engine.sh"
    case .openai? where choice.openAI == .unset:
      return "blurtctl settings set OpenAIOrigin http://127.0.0.1:8000, or where your server is"
    case .command?: return "blurtctl settings set EngineCommand '[\"/path/to/program\"]'"
    case .assemblyai?, .openai?, nil: return "blurtctl settings set EngineKind offline"
    }
  }

  /// The key of the service: whether there is one, never what it is.
  package static func apiKey(
    reading: @escaping @Sendable () async -> APIKeyReading, problem: @escaping @Sendable () -> String?, file: String,
    isNeeded: @escaping @Sendable () -> Bool
  ) -> DoctorProbe {
    DoctorProbe("apiKey") { _ in
      let fault: DoctorCheck.State = isNeeded() ? .failed : .warning
      switch await reading() {
      case .found: return DoctorCheck("apiKey", .ok, "There is an API key.")
      case .unavailable(let reason):
        return DoctorCheck("apiKey", fault, reason, remedy: "unlock the keyring, then blurtctl key check")
      case .absent:
        if let problem = problem() { return DoctorCheck("apiKey", fault, problem, remedy: "chmod 600 \(file)") }
        return DoctorCheck(
          "apiKey", isNeeded() ? .failed : .ok,
          isNeeded() ? "There is no API key." : "There is no API key, and none is needed now.",
          remedy: isNeeded() ? "blurtctl key set" : nil)
      }
    }
  }

  /// The engine on this machine.
  package static func offlineEngine(
    folder: @escaping @Sendable () -> String?, programIsThere: @escaping @Sendable () -> Bool, program: String,
    isNeeded: @escaping @Sendable () -> Bool
  ) -> DoctorProbe {
    DoctorProbe("offlineEngine") {
      guard let folder = folder() else {
        let consequence = isNeeded() ? "." : ": nothing takes over when the engine fails."
        return DoctorCheck(
          "offlineEngine", isNeeded() ? .failed : .warning, "The offline engine is not installed" + consequence,
          remedy: "scripts/fetch-offline-engine.sh")
      }
      guard programIsThere() else {
        return DoctorCheck(
          "offlineEngine", .failed, "The program \(program) is missing.", remedy: "scripts/install.sh")
      }
      return DoctorCheck("offlineEngine", .ok, "Installed in \(folder).")
    }
  }

  /// What the trigger keys do, and what stands against it: no key dictates, a style is gone, the desktop acts on the key.
  package static func triggerKeys(_ settings: @escaping @Sendable () -> any SettingsBacking) -> DoctorProbe {
    DoctorProbe("triggerKeys") {
      let report = TriggerKeyReport(settings())
      let used = report.bindings.all.filter { $0.choice != .off }
      guard let bound = report.bindings.dictationKey else {
        return DoctorCheck(
          "triggerKeys", .failed, "No key dictates.", remedy: "blurtctl keys bind \(TriggerKey.default.name)")
      }
      let besides = used.filter { $0.choice.dictates && !$0.isBound }.map(\.key.label)
      let dictating =
        "\(bound.label) dictates"
        + (besides.isEmpty ? "." : ", and besides \(besides.joined(separator: ", ")).")
      let faults = used.flatMap { binding in
        ((binding.choice.dictates ? [binding.key.caution].compactMap { $0 } : []) + report.faults(of: binding))
          .map { "\(binding.key.label): \($0)" }
      }
      guard !faults.isEmpty else { return DoctorCheck("triggerKeys", .ok, dictating) }
      return DoctorCheck(
        "triggerKeys", .warning, ([dictating] + faults).joined(separator: " "), remedy: "blurtctl keys")
    }
  }

  /// The microphone: opened and closed, or, if asked, recorded from for a second.
  package static func microphone(
    device: @escaping @Sendable () -> String, isBusy: @escaping @Sendable () -> Bool,
    open: @escaping @Sendable (String) async -> MicrophoneProbe.Finding,
    isAbsent: @escaping @Sendable (String) async -> Bool = { _ in false },
    record: @escaping @Sendable (String) async throws -> MicrophoneTrial
  ) -> DoctorProbe {
    DoctorProbe("microphone") { mayRecord in
      let device = device()
      let absent = DoctorCheck(
        "microphone", .warning, absentMicrophone(device), remedy: "connect it, or choose another: blurtctl devices")
      if await isAbsent(device) { return absent }
      guard !isBusy() else {
        return DoctorCheck("microphone", .skipped, "A dictation is running, so the microphone is left alone.")
      }
      // What is recorded from a chosen device must be known to come from it.
      if !mayRecord || device != MicDeviceStore.systemDefault {
        switch await open(device) {
        case .opens: break
        case .absent: return absent
        case .fails(let failure): return failed(failure)
        }
      }
      guard mayRecord else {
        return DoctorCheck(
          "microphone", .ok, "\(device) can be opened. Whether it hears you: blurtctl doctor --record.")
      }
      do {
        return try await record(device).check
      } catch let error as BlurtError {
        return failed(error)
      } catch {
        return DoctorCheck("microphone", .failed, "\(error)", remedy: "blurtctl devices")
      }
    }
  }

  private static func failed(_ error: BlurtError) -> DoctorCheck {
    DoctorCheck("microphone", .failed, EventTranslation.sentence(refusal: error), remedy: "blurtctl devices")
  }

  /// The display and its XTest extension (P-82).
  package static func display(
    _ status: @escaping @Sendable () async -> DisplayStatus, isWayland: @escaping @Sendable () -> Bool
  ) -> DoctorProbe {
    DoctorProbe("display") { _ in
      let status = await status()
      if case .wayland(let message, let remedy) = status {
        return DoctorCheck("display", remedy == nil ? .ok : .warning, message, remedy: remedy)
      }
      if case .connected = status {
        guard isWayland() else { return DoctorCheck("display", .ok, status.message) }
        return DoctorCheck(
          "display", .warning,
          "\(status.message) This is a Wayland session: into windows that are not X11 the text does not go by itself; it "
            + "lies on the clipboard.", remedy: "paste it with Ctrl+V")
      }
      return DoctorCheck("display", .failed, status.message, remedy: remedy(for: status))
    }
  }

  private static func remedy(for status: DisplayStatus) -> String {
    switch status {
    case .connected, .wayland: ""
    case .unknown, .noDisplay, .unreachable:
      "systemctl --user import-environment DISPLAY XAUTHORITY"
    case .noXTest: "start the X server with the extension XTEST"
    }
  }

  /// Kept recordings, and whether any wait for the user.
  package static func recordings(
    folder: String, isKept: @escaping @Sendable () -> Bool, list: @escaping @Sendable () -> [SpoolRecord]
  ) -> DoctorProbe {
    DoctorProbe("recordings") {
      guard isKept() else {
        return DoctorCheck(
          "recordings", .warning, "Recordings are not kept (BlurtKeepAudio), so a failure loses what was said.",
          remedy: "blurtctl settings reset KeepAudio")
      }
      let interrupted = list().filter { $0.state == .interrupted }.count
      guard interrupted == 0 else {
        return DoctorCheck(
          "recordings", .warning, "\(interrupted) recordings were interrupted and wait in \(folder).",
          remedy: "blurtctl retry")
      }
      return DoctorCheck("recordings", .ok, "Kept in \(folder) until their text is delivered.")
    }
  }

  /// What leaves this machine (C-79…C-87, Y-152): said here because it is where people look before they trust.
  package static func privacy(engine: @escaping @Sendable () -> EngineKind?) -> DoctorProbe {
    DoctorProbe("privacy") {
      switch engine() {
      case .openai?:
        return DoctorCheck(
          "privacy", .ok,
          "With each dictation the server gets the sound and your key terms. Nothing else leaves this machine, and no "
            + "keystroke is kept.")
      case .command?:
        return DoctorCheck(
          "privacy", .ok,
          "With each dictation your program gets the sound and your key terms; what it does with them is up to it. No "
            + "keystroke is kept.")
      case .assemblyai?:
        return DoctorCheck(
          "privacy", .ok,
          "With each dictation the engine gets the sound, your key terms, your style, your last dictations and the text "
            + "before the caret where it can be read. Nothing else leaves this machine, and no keystroke is kept.")
      case .offline?, nil:
        return DoctorCheck("privacy", .ok, "Nothing leaves this machine, and no keystroke is kept.")
      }
    }
  }
}
