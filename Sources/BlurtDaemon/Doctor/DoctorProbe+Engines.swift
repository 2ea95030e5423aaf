internal import BlurtContract
package import BlurtEngine
package import BlurtOffline

/// The links of the engines that are the user's own.
extension DoctorProbe {
  /// The server of the engine `openai`.
  package static func openAIServer(
    isChosen: @escaping @Sendable () -> Bool, address: @escaping @Sendable () -> String?,
    ask: @escaping @Sendable (String) async -> OpenAIServerCheck.Answer
  ) -> DoctorProbe {
    DoctorProbe("openAIServer") { _ in
      guard isChosen() else {
        return DoctorCheck("openAIServer", .skipped, "The engine openai is not chosen.")
      }
      guard let address = address() else {
        return DoctorCheck(
          "openAIServer", .failed, "No server is set.",
          remedy: "blurtctl settings set OpenAIOrigin http://127.0.0.1:8000, or where your server is")
      }
      switch await ask(address) {
      case .alive, .unknown:
        guard address.hasPrefix("http://"), !Engines.isLoopback(address) else {
          return DoctorCheck("openAIServer", .ok, "\(address) answers.")
        }
        return DoctorCheck(
          "openAIServer", .warning,
          "\(address) answers, and all on the way can listen: it is http to another computer.",
          remedy: "use https, or a tunnel to 127.0.0.1")
      case .notReady(let status):
        return DoctorCheck(
          "openAIServer", .warning, "\(address) answers with status \(status): it may still be loading its model.",
          remedy: "look at the server's own log")
      case .unreachable(let reason):
        return DoctorCheck("openAIServer", .failed, reason, remedy: "start the server, or correct BlurtOpenAIOrigin")
      }
    }
  }

  /// The program of the engine `command`. It is not run: nobody knows what it does.
  package static func commandProgram(
    isChosen: @escaping @Sendable () -> Bool, command: @escaping @Sendable () -> [String],
    find: @escaping @Sendable (String) -> String?
  ) -> DoctorProbe {
    DoctorProbe(
      "commandProgram",
      of: {
        guard isChosen() else {
          return DoctorCheck("commandProgram", .skipped, "The engine command is not chosen.")
        }
        guard let name = command().first else {
          return DoctorCheck(
            "commandProgram", .failed, "No program is set.",
            remedy: "blurtctl settings set EngineCommand '[\"/path/to/program\"]'")
        }
        guard let path = find(name) else {
          return DoctorCheck(
            "commandProgram", .failed, "\(name) is missing or not executable, or is no absolute path.",
            remedy: "chmod +x \(name), or name another program in BlurtEngineCommand")
        }
        return DoctorCheck("commandProgram", .ok, "\(path) is there and executable.")
      })
  }

  /// Whether the user's own words reach the engine.
  package static func keyTerms(
    engine: @escaping @Sendable () -> EngineKind?, terms: @escaping @Sendable () -> [String]
  ) -> DoctorProbe {
    DoctorProbe(
      "keyTerms",
      of: {
        let terms = terms()
        guard !terms.isEmpty else { return DoctorCheck("keyTerms", .ok, "There are no key terms.") }
        let sent: Int
        switch engine() {
        case nil: return DoctorCheck("keyTerms", .skipped, "No engine can work now.")
        case .offline?:
          return DoctorCheck(
            "keyTerms", .warning, "The engine offline takes no key terms: your \(terms.count) have no effect.",
            remedy: "choose another engine: blurtctl settings set EngineKind")
        case .assemblyai?, .command?: sent = KeyTerms.fit(terms).count
        case .openai?: sent = OpenAIPrompt.make(terms).terms.count
        }
        guard sent < terms.count else { return DoctorCheck("keyTerms", .ok, "\(sent) key terms reach the engine.") }
        return DoctorCheck(
          "keyTerms", .warning, "Only the first \(sent) of \(terms.count) key terms reach the engine.",
          remedy: "blurtctl terms remove those that are not needed")
      })
  }

  /// Which files `transcribe` can read: those that need no library, and those that do.
  package static func soundFiles(
    version: @escaping @Sendable () async -> Result<String, SoundFault>
  ) -> DoctorProbe {
    DoctorProbe("soundFiles") { _ in
      switch await version() {
      case .success(let version):
        return DoctorCheck("soundFiles", .ok, "WAV, FLAC and Ogg files can be transcribed (\(version)).")
      case .failure(.libraryMissing):
        return DoctorCheck(
          "soundFiles", .warning, "Of files only WAV can be transcribed: FLAC and Ogg need libsndfile.",
          remedy: "sudo apt-get install libsndfile1")
      case .failure(.notStarted):
        return DoctorCheck(
          "soundFiles", .warning, "Of files only WAV can be transcribed: blurt-offline cannot be started.",
          remedy: "install blurt-offline beside blurtd: scripts/install.sh")
      case .failure:
        return DoctorCheck(
          "soundFiles", .warning, "Of files only WAV can be transcribed: the installed libsndfile does not work.",
          remedy: "sudo apt-get install --reinstall libsndfile1")
      }
    }
  }
}
