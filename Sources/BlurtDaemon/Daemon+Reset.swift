internal import BlurtEngine

extension Daemon {
  /// What `reset` takes back, in the order of P-61…P-64, and then what is this daemon's own.
  static func reset(
    paths: DaemonPaths, settingsFile: SettingsFile, keys: APIKeys,
    developerLog: DeveloperLog, spools: [RecordingSpool], session: DictationSession, hub: EventHub,
    listening: @escaping @Sendable () -> Void
  ) -> ResetCommand {
    ResetCommand(
      steps: [
        ResetSteps.settings(paths.settingsFile),
        ResetSteps.brokenSettings(paths.settingsFile),
        ResetSteps.apiKey { keys.service.removeStored() + keys.openai.removeStored() },
        ResetSteps.permissions(),
        ResetSteps.logs(developerLog),
        ResetSteps.recordings(spools, folder: paths.spool),
        ResetSteps.texts {
          hub.last.forget()
          hub.outcomes.forgetTexts()
          await session.forgetRecent()
        },
        ResetSteps.readiness(paths.readinessRecord),
      ],
      phase: { session.phaseChange },
      afterwards: {
        // The file is gone for good, not for the moment of a rename.
        settingsFile.look(isQuiet: true)
        hub.installationChanged()
        listening()
      })
  }
}
