/// The settings that the daemon reads, each through its store.
///
/// A small value over its backing: make one whenever it is needed, keep none of what it returns (P-04).
public struct Settings: Sendable {
  private let backing: any SettingsBacking
  private let prefix: String

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    self.backing = backing
    self.prefix = prefix
  }

  /// What every trigger key does (H-56).
  public var triggerKeys: TriggerKeyBindings { TriggerKeyBindingStore(backing: backing, prefix: prefix).current() }
  /// The style of a press by that key, by its evdev code (H-59): a key's own where it dictates beside the bound one; else,
  /// and for a press without a key, the active one. Nil for the base.
  public func dictationStyle(ofKey code: Int?) -> DictationStyle? {
    let styles = StyleProfileStore(backing: backing, prefix: prefix)
    let isEnhanced = enhancedTranscripts
    guard let key = code.flatMap(TriggerKey.init(code:)) else { return styles.dictationStyle(isEnhanced: isEnhanced) }
    let binding = triggerKeys[key]
    return styles.dictationStyle(
      of: binding.choice, isBoundKey: binding.isBound || !binding.choice.dictates, isEnhanced: isEnhanced)
  }
  /// Whether presses are answered at all.
  public var listens: Bool { ListeningStore(backing: backing, prefix: prefix).current }
  /// Minutes after the last word; 0: for ever.
  public var listeningMinutes: Double { ListeningMinutesStore(backing: backing, prefix: prefix).current }

  /// The device to record from: a stable name, or an ALSA PCM.
  public var microphone: String { MicDeviceStore(backing: backing, prefix: prefix).current }
  /// The stored id; `SoundPackStore` decodes it.
  public var soundPack: String? { SoundPackStore(backing: backing, prefix: prefix).current }
  /// Whether media players are paused while the user dictates.
  public var pausesMedia: Bool { PauseMediaStore(backing: backing, prefix: prefix).current }

  /// The engine that was chosen; nil: the first one that can work.
  public var engine: EngineKind? { EngineKindStore(backing: backing, prefix: prefix).current }
  /// Whether a failed request is given to the offline engine.
  public var fallsBackToOffline: Bool { FallbackEngineStore(backing: backing, prefix: prefix).current == .offline }
  /// Minutes after which the idle offline engine is stopped; 0 keeps it.
  public var offlineIdleMinutes: Double { OfflineIdleMinutesStore(backing: backing, prefix: prefix).current }
  /// Only engines on this machine may be used; also while the settings cannot be read.
  public var staysLocal: Bool { StayLocalStore(backing: backing, prefix: prefix).current }
  /// The service's address.
  public var origin: String { DictationOriginStore(backing: backing, prefix: prefix).current }
  /// The server of the engine `openai`; nil where none is set.
  public var openAIOrigin: String? { OpenAIOriginStore(backing: backing, prefix: prefix).current }
  public var openAIModel: String { OpenAIModelStore(backing: backing, prefix: prefix).current }
  public var openAILanguage: String? { OpenAILanguageStore(backing: backing, prefix: prefix).current }
  /// The program of the engine `command` and its arguments; empty where none is set.
  public var engineCommand: [String] { EngineCommandStore(backing: backing, prefix: prefix).current }
  /// Seconds beyond the recording's length.
  public var engineCommandSeconds: Double { EngineCommandSecondsStore(backing: backing, prefix: prefix).current }

  /// Whether the rewritten text is shown rather than the verbatim one.
  public var enhancedTranscripts: Bool { EnhancedTranscriptsStore(backing: backing, prefix: prefix).current }
  /// Whether the slower, better rewrite is asked for.
  public var usesSmartRewrite: Bool { RewriteModeStore(backing: backing, prefix: prefix).isSmart }
  /// The words to listen for.
  public var keyTerms: [String] { KeyTermsStore(backing: backing, prefix: prefix).current }
  /// The user's own rules for pasting, by window class.
  public var pasteChords: [String: String] { PasteChordsStore(backing: backing, prefix: prefix).current }
  /// Whether the focused field is read.
  public var readsFieldContext: Bool { FieldContextStore(backing: backing, prefix: prefix).current }
  /// Whether clipboard histories are asked not to keep what passes through the clipboard for a paste.
  public var hidesFromHistories: Bool { HideFromHistoriesStore(backing: backing, prefix: prefix).current }

  /// Whether recordings are kept until they are delivered.
  public var keepsAudio: Bool { KeepAudioStore(backing: backing, prefix: prefix).current }
  public var spoolMaximumMiB: Double { SpoolMaximumMiBStore(backing: backing, prefix: prefix).current }
  public var spoolMaximumCount: Int { SpoolMaximumCountStore(backing: backing, prefix: prefix).current }
  public var spoolMaximumHours: Double { SpoolMaximumHoursStore(backing: backing, prefix: prefix).current }
  /// Whether dictations and errors are logged to files.
  public var developerMode: Bool { DeveloperModeStore(backing: backing, prefix: prefix).current }
}
