/// The roster of all settings (P-02). The raw value is a contract with installed users; the case names are not.
///
/// Not here, on purpose: the API key, which is no setting (P-27), and what a program notes for itself (P-26, P-28).
public enum SettingsKey: String, Sendable, Hashable, CaseIterable {
  // MARK: The key and listening
  case triggerKeyCode = "TriggerKeyCode"
  case triggerActivation = "TriggerActivation"
  case triggerKeyStyles = "TriggerKeyStyles"
  case triggerKeySounds = "TriggerKeySounds"
  case listening = "Listening"
  case listeningMinutes = "ListeningMinutes"

  // MARK: Sound in and out
  case micDeviceUID = "MicDeviceUID"
  case soundPack = "SoundPack"
  case pauseMedia = "PauseMedia"

  // MARK: Engines
  case engineKind = "EngineKind"
  case fallbackEngine = "FallbackEngine"
  case offlineIdleMinutes = "OfflineIdleMinutes"
  case stayLocal = "StayLocal"
  case origin = "Origin"
  case openAIOrigin = "OpenAIOrigin"
  case openAIModel = "OpenAIModel"
  case openAILanguage = "OpenAILanguage"
  case engineCommand = "EngineCommand"
  case engineCommandSeconds = "EngineCommandSeconds"

  // MARK: Text
  case enhancedTranscripts = "EnhancedTranscripts"
  case rewriteMode = "RewriteMode"
  case keyTerms = "KeyTerms"
  case styleProfiles = "StyleProfiles"
  case activeStyleProfile = "ActiveStyleProfile"
  case customStyle = "CustomStyle"
  case textShortcuts = "TextShortcuts"
  case pasteChords = "PasteChords"
  case fieldContext = "FieldContext"
  case hideFromHistories = "HideFromHistories"

  // MARK: What is kept
  case keepAudio = "KeepAudio"
  case spoolMaximumMiB = "SpoolMaximumMiB"
  case spoolMaximumCount = "SpoolMaximumCount"
  case spoolMaximumHours = "SpoolMaximumHours"
  case developerMode = "DeveloperMode"

  // MARK: The overlay
  case overlayCustomOriginX = "OverlayCustomOriginX"
  case overlayCustomOriginY = "OverlayCustomOriginY"

  /// The key in the settings file: the identity's prefix and the raw value (P-01).
  public func name(prefix: String = HostIdentity.current.defaultsPrefix) -> String { prefix + rawValue }

  /// Reads what a person wrote: the name in any case, with or without the prefix; nil if there is no such setting.
  public init?(named text: String, prefix: String = HostIdentity.current.defaultsPrefix) {
    let wanted = text.trimmingWhitespace().lowercased()
    let found = Self.allCases.first {
      $0.rawValue.lowercased() == wanted || $0.name(prefix: prefix).lowercased() == wanted
    }
    guard let found else { return nil }
    self = found
  }
}
