/// The roster of all settings (P-02). The raw value is a contract with installed users; the case names are not.
public enum SettingsKey: String, Sendable, Hashable, CaseIterable {
  case triggerKeyCode = "TriggerKeyCode"
  case triggerActivation = "TriggerActivation"
  case micDeviceUID = "MicDeviceUID"
  case engineKind = "EngineKind"
  case fallbackEngine = "FallbackEngine"
  case offlineIdleMinutes = "OfflineIdleMinutes"
  case stayLocal = "StayLocal"
  case origin = "Origin"
  case enhancedTranscripts = "EnhancedTranscripts"
  case rewriteMode = "RewriteMode"
  case keyTerms = "KeyTerms"
  case keepAudio = "KeepAudio"
  case developerMode = "DeveloperMode"
  case styleProfiles = "StyleProfiles"
  case activeStyleProfile = "ActiveStyleProfile"
  case customStyle = "CustomStyle"
  case overlayCustomOriginX = "OverlayCustomOriginX"
  case overlayCustomOriginY = "OverlayCustomOriginY"
  case textShortcuts = "TextShortcuts"
  case triggerKeyStyles = "TriggerKeyStyles"
  case triggerKeySounds = "TriggerKeySounds"
  case soundPack = "SoundPack"
  case listening = "Listening"
  case listeningMinutes = "ListeningMinutes"

  /// The key in the settings file: the identity's prefix and the raw value (P-01).
  public func name(prefix: String = HostIdentity.current.defaultsPrefix) -> String { prefix + rawValue }
}
